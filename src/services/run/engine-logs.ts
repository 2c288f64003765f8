import type { Pod } from '@turnsole/kube/kinds/core';
import type { ChaosEngine } from '../../api/index.ts';
import { COMPONENT_MONITOR, LABEL_CHAOS_UID, LABEL_COMPONENT, LABEL_RUN_ID } from '../../api/index.ts';
import { belongsToRun } from '../../chaos/run-id.ts';
import { followedLogs, type LogOptions, presentLogs } from '../logs/pod-logs.ts';
import { lastRunId } from '../report/find-record.ts';
import type { RunRecord } from '../report/run-record.ts';
import { judgeProgress } from './engine-progress.ts';
import { watchEngine } from './observe.ts';

/** Which logs of an engine. */
interface EngineLogOptions extends LogOptions {
  /** Those of all runs whose pods are there, not only of the last one. */
  readonly allRuns: boolean;
  /** Only this pod. */
  readonly pod?: string;
  /** @default the first of each pod */
  readonly container?: string;
  /** Until the run has ended. */
  readonly follow: boolean;
  readonly signal: AbortSignal;
}

/** A run is followed to its end however long it is; users stop the command. */
const LONGEST_MS = 7 * 24 * 3_600_000;

/**
 * Passes on what the pods of an engine's run print: runner, experiments, helpers and recoveries.
 *
 * @returns how many pods there were; none when they were removed after the run, as upstream's clean-up policy `delete` asks for
 * @throws ApiError when pods may not be listed or a log may not be read · the signal's reason
 */
export function engineLogs(record: Omit<RunRecord, 'runId'>, options: EngineLogOptions): Promise<number> {
  const { allRuns, pod: only, container } = options;
  const { namespace, engine, results } = record;
  const uid = engine?.metadata.uid ?? results[0]?.metadata.labels?.[LABEL_CHAOS_UID] ?? '';
  const follows = options.follow && engine !== undefined;
  // A run that is yet to begin, or begins again, has an id that nobody knows yet.
  const runId = allRuns || (follows && !isUnderWay(engine)) ? undefined : lastRunId(engine, results);
  const pods = {
    namespace,
    labelSelector: `${LABEL_CHAOS_UID}=${uid},${LABEL_COMPONENT}!=${COMPONENT_MONITOR}`,
    isMeant: (pod: Pod) => (only === undefined || pod.metadata.name === only) && isOfRun(pod, runId),
    containerOf: (pod: Pod) => container ?? pod.spec?.containers[0]?.name,
  };
  return follows ? followedLogs(pods, () => endOfRun(engine, options), options) : presentLogs(pods, options);
}

function isUnderWay(engine: ChaosEngine): boolean {
  return judgeProgress(engine, undefined, false).state === 'running';
}

/** Pods of upstream's operator carry no run id. Pure. */
function isOfRun({ metadata }: Pod, runId: string | undefined): boolean {
  const label = metadata.labels?.[LABEL_RUN_ID];
  return runId === undefined || label === undefined || belongsToRun(label, runId);
}

function endOfRun({ metadata }: ChaosEngine, { client, signal }: EngineLogOptions): Promise<void> {
  const { name, namespace = '' } = metadata;
  return watchEngine({ client, namespace, name, timeoutMs: LONGEST_MS, signal }, ({ engine }) => {
    const { state } = judgeProgress(engine, undefined, false);
    return state === 'ended' || state === 'gone';
  });
}
