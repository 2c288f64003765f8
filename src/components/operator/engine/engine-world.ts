import type { KubeClient } from '@turnsole/kube/client/types';
import type { Job, Pod } from '@turnsole/kube/kinds/core';
import { JOBS, PODS } from '@turnsole/kube/kinds/resources';
import { hasFinalizer } from '@turnsole/kube/runtime/finalizers';
import type { Lister } from '@turnsole/kube/runtime/store';
import {
  CHAOS_ENGINES,
  CHAOS_RESULTS,
  type ChaosEngine,
  type ChaosResult,
  ENGINE_FINALIZER,
  LABEL_CHAOS_UID,
} from '../../../api/index.ts';
import { restoreRun } from '../../../chaos/run-record.ts';
import { runnerPodName } from '../../../chaos/runner-name.ts';
import { type EngineWorld, isSilent } from './observed.ts';

/** Index of pods and Jobs by the engine that caused them. */
export const BY_CHAOS_UID = 'chaosUID';

/** Local copies of the objects an engine's decision depends on. */
export interface EngineListers {
  readonly engines: Lister<ChaosEngine>;
  /** Pods with a chaosUID, indexed by {@link BY_CHAOS_UID}. */
  readonly pods: Lister<Pod>;
  readonly jobs: Lister<Job>;
}

/** The world of an engine as the local copies have it; undefined when the engine does not exist. */
export function gatherFromCache(listers: EngineListers, key: string): EngineWorld | undefined {
  const engine = listers.engines.get(key);
  if (engine === undefined) return undefined;
  const { name, namespace, uid = '' } = engine.metadata;
  const inNamespace = (object: { metadata: { namespace?: string } }): boolean =>
    object.metadata.namespace === namespace;
  return {
    engine,
    runner: listers.pods.get(`${namespace ?? ''}/${runnerPodName(name)}`),
    pods: listers.pods.byIndex(BY_CHAOS_UID, uid).filter(inNamespace),
    jobs: listers.jobs.byIndex(BY_CHAOS_UID, uid).filter(inNamespace),
  };
}

/** The same, read from the API server now. */
export async function gatherFresh(
  client: KubeClient,
  engine: ChaosEngine,
  signal: AbortSignal,
): Promise<EngineWorld | undefined> {
  const { name, namespace = '', uid = '' } = engine.metadata;
  const place = { namespace, signal };
  const selection = { ...place, labelSelector: `${LABEL_CHAOS_UID}=${uid}` };
  // One after the other, so that pods are read after Jobs: a Job that is gone makes no pod after that.
  const [current, jobs] = await Promise.all([
    client.find<ChaosEngine>(CHAOS_ENGINES, name, place),
    client.list<Job>(JOBS, selection),
  ]);
  if (current === undefined || current.metadata.uid !== uid) return undefined;
  const pods = await client.list<Pod>(PODS, selection);
  const runnerName = runnerPodName(name);
  const runner =
    pods.items.find(({ metadata }) => metadata.name === runnerName) ??
    (await client.find<Pod>(PODS, runnerName, place));
  const isRunnerSilent = runner !== undefined && isSilent(runner);
  const results =
    isEnding(current) || isRunnerSilent
      ? (await client.list<ChaosResult>(CHAOS_RESULTS, selection)).items
      : undefined;
  const world = { engine: restoreRun(current), runner, pods: pods.items, jobs: jobs.items };
  return results === undefined ? world : { ...world, results };
}

/** Whether its run is to be closed: only then what its results say is of interest. Read last, when no pod writes any more. */
function isEnding(engine: ChaosEngine): boolean {
  const { metadata, spec, status } = engine;
  const word = status?.engineStatus;
  const isKept = word === 'stopped' && hasFinalizer(engine, ENGINE_FINALIZER);
  const isStopping = spec.engineState === 'stop' && (word === 'initialized' || isKept);
  return isStopping || metadata.deletionTimestamp !== undefined;
}
