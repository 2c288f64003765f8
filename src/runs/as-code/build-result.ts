import { withoutUndefined } from '@turnsole/kube/text/without-undefined';
import type { ChaosResult, LedgerEntry, TimelineEntry } from '../../api/index.ts';
import type { ProbeStatus } from '../../api/schema/result.ts';
import { type EngineOutcome, experimentRuns } from '../../services/report/build.ts';
import type { EngineReport, ExperimentReport, RunReport } from '../../services/report/model.ts';
import { injectionsOf } from '../../services/report/run-record.ts';
import type { CarriedOut } from '../execute/carry-out.ts';
import type {
  ExperimentResult,
  InjectionResult,
  ProbeResult,
  RunResult,
  TimelineStep,
  Verdict,
} from './result.ts';

/** The verdict of a run that had no verdict of its own experiments. */
const OF_OUTCOME: Readonly<Record<string, Verdict>> = {
  Passed: 'Pass',
  Failed: 'Fail',
  Stopped: 'Stopped',
  'Dry run': 'N/A',
};

/** The result of a run, from its report and the objects that the report was made of. Pure. */
export function buildResult({ report, outcomes }: CarriedOut, warnings: readonly string[]): RunResult {
  const experiments = report.engines.flatMap((engine, index) => experimentsOf(engine, outcomes[index]));
  const coverage = experiments.find((one) => one.coverage !== undefined)?.coverage;
  const reason = report.outcome?.reason ?? experiments.find((one) => one.reason !== undefined)?.reason;
  const verdict = OF_OUTCOME[report.outcome?.word ?? ''] ?? 'Error';
  return withoutUndefined({
    verdict,
    reason: verdict === 'Pass' ? undefined : reason,
    startedAt: report.startedAt,
    endedAt: report.endedAt,
    experiments,
    probes: experiments.flatMap(({ probes }) => probes),
    injections: experiments.flatMap(({ injections }) => injections),
    coverage,
    timeline: timelineOf(report),
    warnings,
  });
}

function timelineOf({ engines, workflows = [] }: RunReport): TimelineStep[] {
  // The timeline of a workflow has the steps of its engines.
  const alone = engines.filter(({ workflow }) => workflow === undefined);
  return [...alone, ...workflows]
    .flatMap(({ timeline }) => timeline.map(stepOf))
    .toSorted((one, other) => Date.parse(one.time) - Date.parse(other.time));
}

function stepOf({ time, actor, step, object, message }: TimelineEntry): TimelineStep {
  return withoutUndefined({ time, actor, step, message, object });
}

function experimentsOf(report: EngineReport, outcome: EngineOutcome | undefined): ExperimentResult[] {
  const runs = outcome === undefined ? [] : experimentRuns(outcome);
  const runId = outcome?.engine.status?.runId;
  // Both lists are made of the entries of the engine, in their order.
  return report.experiments.map((one, index) => experimentOf(report, one, runs[index]?.result, runId));
}

function experimentOf(
  { namespace, name: engine }: EngineReport,
  {
    name,
    iteration,
    verdict,
    reason,
    errorCode,
    probeSuccessPercentage,
    coverage,
    workloads,
  }: ExperimentReport,
  result: ChaosResult | undefined,
  runId: string | undefined,
): ExperimentResult {
  const percentage = Number(probeSuccessPercentage);
  const ledger = injectionsOf({ results: result === undefined ? [] : [result], runId });
  return withoutUndefined({
    engine,
    namespace,
    name,
    iteration,
    verdict: verdictOf(verdict),
    reason,
    errorCode,
    probeSuccessPercentage:
      probeSuccessPercentage !== undefined && Number.isFinite(percentage) ? percentage : undefined,
    probes: (result?.status?.probeStatuses ?? []).map(probeOf),
    injections: ledger.map(injectionOf),
    coverage,
    workloads: workloads ?? [],
  });
}

/** A run that is over awaits nothing: what has no verdict then never had one. */
function verdictOf(word: string): Verdict {
  const known: readonly Verdict[] = ['Pass', 'Fail', 'Error', 'Stopped'];
  return known.find((one) => one === word) ?? 'N/A';
}

function probeOf({ name, type, mode, status, summary, measured }: ProbeStatus): ProbeResult {
  const { verdict, description } = status;
  return withoutUndefined({ name, type, mode, verdict, description, summary, measured });
}

function injectionOf({
  fault,
  target: { kind, namespace, name, container, node },
  state,
  injectedAt,
  revertedAt,
  inForce,
  effect,
  message,
}: LedgerEntry): InjectionResult {
  return withoutUndefined({
    fault,
    target: withoutUndefined({ kind, name, namespace, container, node }),
    state,
    injectedAt,
    revertedAt,
    inForce,
    effect,
    message,
  });
}
