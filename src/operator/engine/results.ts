import {
  type ChaosEngine,
  type ChaosResult,
  type ChaosTarget,
  type EngineExperimentStatus,
  type EngineVerdict,
  isOpen,
  LABEL_RUN_ID,
  type ProbeStatus,
  TARGET_STATUSES,
  type TargetStatus,
} from '../../api/index.ts';
import { iterationRunId } from '../../api/run-id.ts';

/** Merge patches of one result; `metadata` and `status` are written apart where the status is a subresource. */
export interface ResultPatch {
  readonly metadata?: { readonly annotations: Readonly<Record<string, null>> };
  readonly status: Readonly<Record<string, unknown>>;
}

/** What the experiment says of a probe that was still to come when it ended. */
const NOT_EVALUATED = 'Either probe is not executed or not evaluated';

/**
 * What an aborted engine's result still needs: targets that stand in annotations go to the history, and a result that its
 * experiment left Running becomes Stopped. Undefined when the experiment has closed it itself. Pure.
 */
export function settleResult(result: ChaosResult): ResultPatch | undefined {
  const { annotations, targets } = annotatedTargets(result);
  const isOpen = isUnfinished(result);
  if (targets.length === 0 && !isOpen) return undefined;
  const history = result.status?.history;
  return {
    ...(targets.length === 0
      ? {}
      : { metadata: { annotations: Object.fromEntries(annotations.map((key) => [key, null])) } }),
    status: {
      history: {
        passedRuns: history?.passedRuns ?? 0,
        failedRuns: history?.failedRuns ?? 0,
        stoppedRuns: (history?.stoppedRuns ?? 0) + (isOpen ? 1 : 0),
        targets: mergeTargets(history?.targets ?? [], targets),
      },
      ...(isOpen ? stoppedStatus(result) : {}),
    },
  };
}

function isUnfinished({ status }: ChaosResult): boolean {
  const outcome = status?.experimentStatus;
  return outcome?.phase === 'Running' || outcome?.verdict === 'Awaited';
}

function stoppedStatus({ status }: ChaosResult): Record<string, unknown> {
  const probes = status?.probeStatuses ?? [];
  const passed = probes.filter((probe) => probe.status.verdict === 'Passed').length;
  const percentage = probes.length === 0 ? 0 : Math.floor((passed * 100) / probes.length);
  return {
    experimentStatus: {
      phase: 'Stopped',
      verdict: 'Stopped',
      probeSuccessPercentage: String(percentage),
    },
    probeStatuses: probes.map(closeProbe),
  };
}

function closeProbe(probe: ProbeStatus): ProbeStatus {
  if (probe.status.verdict !== 'Awaited') return probe;
  return { ...probe, status: { verdict: 'N/A', description: NOT_EVALUATED } };
}

/** Annotations `<kind>/<name>: injected|reverted|targeted…` that experiment and helpers leave while chaos runs. */
function annotatedTargets({ metadata }: ChaosResult): { annotations: string[]; targets: ChaosTarget[] } {
  const annotations: string[] = [];
  const targets: ChaosTarget[] = [];
  for (const [key, word] of Object.entries(metadata.annotations ?? {})) {
    const slash = key.indexOf('/');
    if (slash <= 0 || !isTargetStatus(word)) continue;
    annotations.push(key);
    targets.push({ kind: key.slice(0, slash).trim(), name: key.slice(slash + 1).trim(), chaosStatus: word });
  }
  return { annotations, targets };
}

function isTargetStatus(word: string): word is TargetStatus {
  return (TARGET_STATUSES as readonly string[]).includes(word);
}

/** Entries of the same kind and name once, with the later status. */
function mergeTargets(earlier: readonly ChaosTarget[], later: readonly ChaosTarget[]): ChaosTarget[] {
  const merged = new Map<string, ChaosTarget>();
  for (const target of [...earlier, ...later]) merged.set(`${target.kind}/${target.name}`, target);
  return [...merged.values()];
}

/** How a run ended that did not complete: on somebody's wish, or because it could not go on. */
export interface Ending {
  readonly time: string;
  /** Why it could not go on; undefined when somebody stopped or deleted the engine. */
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
  { time, failure }: Ending,
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
  // That of a dry run that has ended.
  if (verdict === 'N/A' && result?.status?.dryRun === true) return verdict;
  return verdict === 'Pass' || verdict === 'Fail' || verdict === 'Error' ? verdict : undefined;
}
