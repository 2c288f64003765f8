import type { Condition } from '@turnsole/kube/kinds/conditions';
import { runIsOver } from '../../../api/engine-status.ts';
import type { ChaosEngine } from '../../../api/index.ts';
import {
  ANNOTATION_RUN,
  keptSettingsOf,
  type RunRecord,
  runRecordOf,
  TIGHTENING_FLAGS,
} from '../../../chaos/run-record.ts';
import type { RunnerPodDefaults } from '../../../engines/pods/runner-pod.ts';
import type { EngineChange } from './engine-writes.ts';

/** The annotation with which a run begins: stored before its first pod, so before any other writer of the engine. Pure. */
export function beginRecord(
  engine: ChaosEngine,
  runId: string,
  conditions: readonly Condition[],
  { protectedNamespaces, annotationKey }: Pick<RunnerPodDefaults, 'protectedNamespaces' | 'annotationKey'>,
): Readonly<Record<string, string>> {
  const record: RunRecord = {
    uid: engine.metadata.uid ?? '',
    runId,
    settings: keptSettingsOf(engine.spec),
    runnerAttempts: 1,
    conditions,
    ...(protectedNamespaces === undefined ? {} : { protectedNamespaces }),
    ...(annotationKey === undefined ? {} : { annotationKey }),
  };
  return { [ANNOTATION_RUN]: JSON.stringify(record) };
}

/**
 * A change of an engine whose run is under way, with what other writers may have dropped stored once more, and the annotation
 * kept as the status will be. The write that ends the run removes the annotation and gives the spec its settings back: from
 * then on the spec is the user's again. Pure.
 */
export function keepingRun(engine: ChaosEngine, change: EngineChange): EngineChange {
  const record = runRecordOf(engine);
  if (record === undefined || change.status === undefined) return change;
  const { engineStatus, runnerAttempts, conditions } = change.status;
  const before = engine.status ?? {};
  const status = {
    ...(before.runId === undefined ? {} : { runId: before.runId }),
    ...(before.runnerAttempts === undefined ? {} : { runnerAttempts: before.runnerAttempts }),
    ...(before.conditions === undefined ? {} : { conditions: before.conditions }),
    ...change.status,
  };
  if (runIsOver(engineStatus)) {
    const annotations = { ...change.annotations, [ANNOTATION_RUN]: null };
    return { ...change, status, annotations, restoredSpec: settingsAsSpec(engine, record) };
  }
  const next: RunRecord = {
    ...record,
    ...(typeof runnerAttempts === 'number' ? { runnerAttempts } : {}),
    ...(Array.isArray(conditions) ? { conditions } : {}),
  };
  return {
    ...change,
    status,
    annotations: { ...change.annotations, [ANNOTATION_RUN]: JSON.stringify(next) },
  };
}

function settingsAsSpec({ spec }: ChaosEngine, { settings }: RunRecord): Readonly<Record<string, unknown>> {
  const flags = TIGHTENING_FLAGS.filter((flag) => settings[flag] === true).map((flag) => [flag, true]);
  return {
    ...Object.fromEntries(flags),
    ...(settings.execution === undefined ? {} : { execution: settings.execution }),
    // A merge patch replaces lists as a whole.
    ...(settings.dependsOn === undefined ? {} : { experiments: spec.experiments }),
  };
}
