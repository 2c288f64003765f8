import type { KubeObject } from '@turnsole/kube/kinds/core';
import { isOverPhase } from '@turnsole/workflows/kinds/completed';
import type { Workflow } from '@turnsole/workflows/kinds/workflow';
import type { ChaosEngine, ChaosResult } from '../../api/index.ts';
import { LABEL_WORKFLOW_RUN_ID } from '../../api/labels.ts';
import { type EnginesOf, enginesOf } from '../../services/workflows/engines-of.ts';
import { libraryOf } from '../../services/workflows/template-library.ts';
import type { ClusterKind } from '../schema/generated/types.ts';
import type { ChaosAround } from './object-state.ts';
import type { ObservedCluster } from './observed-cluster.ts';

/** The engines and results of a cluster by what they belong to. Each index is made when it is first asked for. */
export function chaosAround(cluster: Pick<ObservedCluster, 'list' | 'nowMs'>): ChaosAround {
  let results: ReadonlyMap<string, readonly ChaosResult[]> | undefined;
  let engines: ReadonlyMap<string, readonly ChaosEngine[]> | undefined;
  return {
    nowMs: cluster.nowMs,
    resultsOf: (namespace, engine) => {
      // The informer of a kind has objects of that kind.
      results ??= Map.groupBy(cluster.list('ChaosResult') as readonly ChaosResult[], ({ metadata, spec }) =>
        placeOf(metadata.namespace, spec?.engine),
      );
      return results.get(placeOf(namespace, engine)) ?? [];
    },
    enginesOf: (workflow) => {
      engines ??= Map.groupBy(cluster.list('ChaosEngine') as readonly ChaosEngine[], makerOf);
      const made = engines.get(workflow.metadata.uid ?? '') ?? [];
      if (made.length > 0 || isOverPhase(workflow.status?.phase)) return made;
      // Of one that is under way it is worth the while to read which engines its steps bring along.
      const loose = engines.get('') ?? [];
      return loose.length === 0 ? made : loose.filter(recognizerOf(workflow).has);
    },
  };
}

/** UID of the workflow that says to have made an engine; empty where none does. */
function makerOf({ metadata: { labels, ownerReferences } }: ChaosEngine): string {
  const owner = ownerReferences?.find(({ kind }) => kind === 'Workflow');
  return labels?.[LABEL_WORKFLOW_RUN_ID] ?? owner?.uid ?? '';
}

/** By the object, of which there is another one after each change. */
const RECOGNIZERS = new WeakMap<Workflow, EnginesOf>();
const NO_TEMPLATES = libraryOf([]);

function recognizerOf(workflow: Workflow): EnginesOf {
  const known = RECOGNIZERS.get(workflow) ?? enginesOf(workflow, NO_TEMPLATES);
  RECOGNIZERS.set(workflow, known);
  return known;
}

function placeOf(namespace = '', name = ''): string {
  return `${namespace}/${name}`;
}

/** Versions of an object and of all that its state depends on: a text that changes when one of them does. */
export function versionAround(kind: ClusterKind, object: KubeObject, around: ChaosAround): string {
  const { metadata } = object;
  const { namespace = '', name } = metadata;
  const engines = kind === 'Workflow' ? around.enginesOf(object as Workflow) : [];
  const results =
    kind === 'ChaosEngine'
      ? around.resultsOf(namespace, name)
      : engines.flatMap((engine) => around.resultsOf(engine.metadata.namespace ?? '', engine.metadata.name));
  // An object that was created again under its name may have any version.
  return [metadata, ...[...engines, ...results].map((one) => one.metadata)]
    .map(({ uid, resourceVersion }) => `${uid}/${resourceVersion}`)
    .join();
}
