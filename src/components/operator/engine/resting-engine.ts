import { findCondition } from '@turnsole/kube/kinds/conditions';
import type { ObjectMeta } from '@turnsole/kube/kinds/core';
import { dropManagedFields } from '@turnsole/kube/runtime/informer';
import { runIsOver } from '../../../api/engine-status.ts';
import { type ChaosEngine, CONDITION_MONITORED } from '../../../api/index.ts';
import { ANNOTATION_LAST_APPLIED, restoreRun } from '../../../chaos/run-record.ts';
import type { EngineAction } from './actions.ts';

/**
 * Whether an engine is at rest: nothing of it runs, and nothing is to begin before its spec changes. Of thousands of engines
 * nearly all are. Pure.
 */
export function isResting({ metadata, spec, status }: ChaosEngine): boolean {
  if (metadata.deletionTimestamp !== undefined || spec?.engineState !== 'stop') return false;
  const engineStatus = status?.engineStatus ?? '';
  return engineStatus === '' || runIsOver(engineStatus);
}

/**
 * An engine as the operator's local copy keeps it: whole while a run is to begin or under way; at rest only its identity, its
 * owners, and what the removal of leftovers depends on. Timeline, experiments and spec of an engine at rest are most of its
 * size, and the watch event that ends its rest brings them again. Idempotent.
 */
export function slimEngine(engine: ChaosEngine): ChaosEngine {
  dropManagedFields(engine);
  if (!isResting(engine)) {
    // Before a run begins, the annotation says what the user asked for.
    if (engine.status?.engineStatus === 'initialized') {
      delete engine.metadata.annotations?.[ANNOTATION_LAST_APPLIED];
    }
    return restoreRun(engine);
  }
  const { apiVersion, kind, spec, status } = engine;
  const { engineState, jobCleanUpPolicy, terminationGracePeriodSeconds } = spec;
  const { engineStatus, runId, timeline } = status ?? {};
  // By it the clean-up of an ended run knows that a monitor exists.
  const monitored = findCondition(status?.conditions, CONDITION_MONITORED);
  // A schedule reads in the last line when the run of its engine ended.
  const isOwned = (engine.metadata.ownerReferences ?? []).length > 0;
  return {
    apiVersion,
    kind,
    metadata: slimMetadata(engine.metadata),
    spec: {
      experiments: [],
      engineState,
      jobCleanUpPolicy,
      terminationGracePeriodSeconds,
    },
    status: {
      engineStatus,
      runId,
      ...(monitored === undefined ? {} : { conditions: [monitored] }),
      ...(isOwned && timeline !== undefined && timeline !== null ? { timeline: timeline.slice(-1) } : {}),
    },
  };
}

function slimMetadata(metadata: ObjectMeta): ObjectMeta {
  const { name, namespace, uid, resourceVersion, creationTimestamp, finalizers, ownerReferences } = metadata;
  return {
    name,
    namespace,
    uid,
    resourceVersion,
    creationTimestamp,
    finalizers,
    ownerReferences,
  };
}

/** Whether an action needs more of a resting engine than is kept. */
export function needsWholeEngine({ type }: EngineAction): boolean {
  return type !== 'wait' && type !== 'deleteEnginePods' && type !== 'removeRecoveries';
}
