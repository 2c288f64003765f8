import {
  type ChaosEngine,
  type ChaosResult,
  type EngineExperimentStatus,
  type EngineVerdict,
  isOpen,
  LABEL_RUN_ID,
} from '../../../api/index.ts';
import { closedStatus, isUnfinished } from '../../../chaos/close-result.ts';
import { mergeTargets, targetsOfAnnotations, withoutTargets } from '../../../chaos/history-targets.ts';
import { iterationRunId } from '../../../chaos/run-id.ts';

/** Merge patches of one result; `metadata` and `status` are written apart where the status is a subresource. */
interface ResultPatch {
  readonly metadata?: { readonly annotations: Readonly<Record<string, null>> };
  readonly status: Readonly<Record<string, unknown>>;
}

/**
 * What an aborted engine's result still needs: targets that stand in annotations go to the history, and a result that its
 * experiment left Running becomes Stopped, or Error where the run could not go on. Undefined when the experiment has closed it itself. Pure.
 *
 * @param failure why the run could not go on; undefined when a client stopped or deleted the engine
 */
export function settleResult(result: ChaosResult, failure: string | undefined): ResultPatch | undefined {
  const { annotations } = result.metadata;
  const targets = targetsOfAnnotations(annotations);
  const isLeft = isUnfinished(result);
  if (targets.length === 0 && !isLeft) return undefined;
  const ending =
    failure === undefined
      ? ({ verdict: 'Stopped' } as const)
      : ({ verdict: 'Error', reason: failure } as const);
  const history = result.status?.history;
  return {
    ...(targets.length === 0 ? {} : { metadata: { annotations: withoutTargets(annotations) } }),
    status: {
      history: {
        passedRuns: history?.passedRuns ?? 0,
        failedRuns: history?.failedRuns ?? 0,
        stoppedRuns: (history?.stoppedRuns ?? 0) + (isLeft && failure === undefined ? 1 : 0),
        targets: mergeTargets(history?.targets ?? [], targets),
      },
      ...(isLeft ? closedStatus(result, ending) : {}),
    },
  };
}

/** How a run ended that did not complete: because a client wished it, or because it could not go on. */
interface AbortedEnd {
  readonly time: string;
  /** Why it could not go on; undefined when a client stopped or deleted the engine. */
  readonly failure?: string;
}

/**
 * The engine's entries at the end of a run that did not complete. What was running or waiting was aborted, unless its result
 * already has a verdict of this run: the engine never says less than the result. After a failure every experiment of the
 * engine has an entry. Pure.
 */
export function endExperiments(
  engine: ChaosEngine,
  results: readonly ChaosResult[],
  { time, failure }: AbortedEnd,
): EngineExperimentStatus[] {
  const entries = engine.status?.experiments ?? [];
  const ended = entries.map((entry): EngineExperimentStatus => {
    if (entry.status !== 'Running' && entry.status !== 'Waiting for Job Creation') return entry;
    const verdict = finalVerdict(engine, entry, results);
    if (verdict !== undefined) return { ...entry, status: 'Completed', verdict, lastUpdateTime: time };
    return failure === undefined
      ? { ...entry, status: 'Forcefully Aborted', verdict: 'Stopped', lastUpdateTime: time }
      : { ...entry, status: 'Forcefully Aborted', verdict: 'Error', lastUpdateTime: time, reason: failure };
  });
  if (failure === undefined || entries.length > 0) return ended;
  return engine.spec.experiments.map(({ name }) => ({
    name,
    runner: `${engine.metadata.name}-runner`,
    experimentPod: 'N/A',
    status: 'Skipped',
    verdict: 'Error',
    lastUpdateTime: time,
    reason: failure,
  }));
}

/**
 * The engine's entries with the verdicts of their results, when each experiment has come to its own end and nothing that it
 * injected is still in force; undefined as long as one has not. Pure.
 */
export function settledExperiments(
  engine: ChaosEngine,
  results: readonly ChaosResult[],
  time: string,
): EngineExperimentStatus[] | undefined {
  const entries = engine.status?.experiments ?? [];
  const isInForce = results.some(({ status }) => Object.values(status?.ledger ?? {}).some(isOpen));
  if (entries.length === 0 || isInForce) return undefined;
  const settled = entries.flatMap((entry): EngineExperimentStatus[] => {
    if (entry.status !== 'Running' && entry.status !== 'Waiting for Job Creation') return [entry];
    const verdict = finalVerdict(engine, entry, results);
    return verdict === undefined ? [] : [{ ...entry, status: 'Completed', verdict, lastUpdateTime: time }];
  });
  return settled.length === entries.length ? settled : undefined;
}

/** The verdict of an experiment that came to its own end in this run, before the abort reached it. */
function finalVerdict(
  engine: ChaosEngine,
  { name, iteration = 1 }: EngineExperimentStatus,
  results: readonly ChaosResult[],
): EngineVerdict | undefined {
  const runId = engine.status?.runId;
  if (runId === undefined) return undefined;
  const result = results.find(
    ({ metadata, spec }) =>
      spec?.experiment === name && metadata.labels?.[LABEL_RUN_ID] === iterationRunId(runId, iteration),
  );
  const verdict = result?.status?.experimentStatus?.verdict;
  // The verdict of a dry run that has ended.
  if (verdict === 'N/A' && result?.status?.dryRun === true) return verdict;
  return verdict === 'Pass' || verdict === 'Fail' || verdict === 'Error' ? verdict : undefined;
}
