import type { KubeObject } from '@turnsole/kube/kinds/core';
import type { ChaosEngine, ChaosResult } from '../../api/index.ts';
import type { ClusterKind } from '../schema/generated/types.ts';
import { workflowOf } from './cluster-object.ts';
import type { ChaosAround } from './object-state.ts';
import type { ObservedCluster } from './observed-cluster.ts';

/** The engines and results of a cluster by what they belong to. Each index is made when it is first asked for. */
export function chaosAround(cluster: ObservedCluster): ChaosAround {
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
    enginesOf: (namespace, workflow) => {
      engines ??= Map.groupBy(cluster.list('ChaosEngine') as readonly ChaosEngine[], ({ metadata }) =>
        placeOf(metadata.namespace, workflowOf(metadata)),
      );
      return engines.get(placeOf(namespace, workflow)) ?? [];
    },
  };
}

function placeOf(namespace = '', name = ''): string {
  return `${namespace}/${name}`;
}

/** Versions of an object and of all that its state depends on: a text that changes when one of them does. */
export function versionAround(kind: ClusterKind, { metadata }: KubeObject, around: ChaosAround): string {
  const { namespace = '', name } = metadata;
  const engines = kind === 'Workflow' ? around.enginesOf(namespace, name) : [];
  const results =
    kind === 'ChaosEngine'
      ? around.resultsOf(namespace, name)
      : engines.flatMap((engine) => around.resultsOf(engine.metadata.namespace ?? '', engine.metadata.name));
  // An object that was created again under its name may have any version.
  return [metadata, ...[...engines, ...results].map((one) => one.metadata)]
    .map(({ uid, resourceVersion }) => `${uid}/${resourceVersion}`)
    .join();
}
