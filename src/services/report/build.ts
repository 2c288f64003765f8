import type { KubeObject } from '@turnsole/kube/kinds/core';
import type {
  ChaosEngine,
  ChaosResult,
  EngineExperimentStatus,
  LedgerEntry,
  TimelineEntry,
} from '../../api/index.ts';
import { describeCoverage } from '../../chaos/coverage.ts';
import { describeTarget, ofUnknownEffect } from '../../chaos/no-effect.ts';
import { describeOverload } from '../../chaos/overload.ts';
import { isResultOfRun, iterationRunId } from '../../chaos/run-id.ts';
import { wantsDryRun } from '../../chaos/run-record.ts';
import { describeReadiness } from '../../chaos/workload-readiness.ts';
import { hitGroups } from './course/hits.ts';
import { errorPhaseOf } from './error-phase.ts';
import { errorText, plainWords } from './error-words.ts';
import type { EffectReport, EngineReport, ExperimentReport } from './model.ts';
import { injectionsOf } from './run-record.ts';
import { mergeTimeline } from './timeline.ts';

/** Facts about one engine at the end of its run. */
export interface EngineOutcome {
  readonly engine: ChaosEngine;
  /** Results of this engine's experiments, those that exist. */
  readonly results: readonly ChaosResult[];
  /** The step of the workflow that made it, where it is known. */
  readonly step?: string;
  /** Why the run could not be carried out, when it could not. */
  readonly reason?: string;
}

/** Puts engine status and results together into the report of one engine. Pure. */
export function buildEngineReport({ engine, results, step, reason }: EngineOutcome): EngineReport {
  const runId = engine.status?.runId;
  return {
    namespace: engine.metadata.namespace ?? '',
    name: engine.metadata.name,
    ...generateNameOf(engine),
    ...(step !== undefined && { step }),
    status: engine.status?.engineStatus ?? 'unknown',
    reason,
    ...(wantsDryRun(engine) ? { dryRun: true } : {}),
    experiments: experimentRuns({ engine, results }).map((run) => buildExperimentReport(run, runId)),
    timeline: mergeTimeline(engine, results, runId),
  };
}

/** One run of an experiment of an engine. */
interface ExperimentRun {
  readonly name: string;
  /** What the engine says of it. */
  readonly status: EngineExperimentStatus | undefined;
  /** Its result; absent where it has none, and where the stored one is of an earlier run or another iteration. */
  readonly result: ChaosResult | undefined;
  /** The stored result, whatever run it is of: its timeline has lines of several. */
  readonly lastResult: ChaosResult | undefined;
}

/** The runs of an engine's experiments, of each iteration one, each with the result that is its own. Pure. */
export function experimentRuns({
  engine,
  results,
}: Pick<EngineOutcome, 'engine' | 'results'>): readonly ExperimentRun[] {
  const run = { engineUid: engine.metadata.uid, runId: engine.status?.runId };
  return engineEntries(engine, results).map(({ name, status }) => {
    const lastResult = results.find((candidate) => candidate.spec?.experiment === name);
    return { name, status, result: resultOfEntry(lastResult, status, run), lastResult };
  });
}

/** The field of a report, where the object has one. Pure. */
export function generateNameOf({ metadata: { generateName = '' } }: KubeObject): {
  readonly generateName?: string;
} {
  return generateName === '' ? {} : { generateName };
}

/**
 * One entry per experiment, or per experiment and iteration once the runner has made such. An engine as an agent reports it has no spec:
 * then its status and its results name the experiments.
 */
function engineEntries(
  { spec, status }: ChaosEngine,
  results: readonly ChaosResult[],
): readonly { readonly name: string; readonly status: EngineExperimentStatus | undefined }[] {
  const entries = status?.experiments ?? [];
  if (entries.some(({ iteration }) => iteration !== undefined)) {
    return entries.map((entry) => ({ name: entry.name, status: entry }));
  }
  const reported = [
    ...entries.map(({ name }) => name),
    ...results.flatMap((result) => result.spec?.experiment ?? []),
  ];
  const names = spec?.experiments?.map(({ name }) => name) ?? [...new Set(reported)];
  return names.map((name) => ({ name, status: entries.find((entry) => entry.name === name) }));
}

interface RunOfEngine {
  readonly engineUid: string | undefined;
  readonly runId: string | undefined;
}

/**
 * A result holds the last iteration only; of earlier ones the engine's entry and the timeline are left. One of an earlier run says
 * nothing of this one, whose experiment may have died before it stored its own.
 */
function resultOfEntry(
  result: ChaosResult | undefined,
  status: EngineExperimentStatus | undefined,
  { engineUid, runId }: RunOfEngine,
): ChaosResult | undefined {
  // An experiment that was not started has no result: a present one is of an earlier run.
  if (status?.status === 'Skipped' || status?.status === 'ChaosExperiment Not Found') return undefined;
  const id =
    runId === undefined || status?.iteration === undefined ? runId : iterationRunId(runId, status.iteration);
  return result !== undefined && isResultOfRun(result.metadata, { engineUid, runId: id })
    ? result
    : undefined;
}

function buildExperimentReport(
  { name, status, result, lastResult }: ExperimentRun,
  runId: string | undefined,
): ExperimentReport {
  const outcome = result?.status?.experimentStatus;
  const entries = timelineOfEntry(lastResult, status, runId);
  const reason = reasonOf(status, result);
  const ledger = injectionsOf({ results: result === undefined ? [] : [result], runId });
  const effects = ledger.flatMap(effectOf);
  const hits = hitGroups(ledger);
  const coverage = result?.status?.coverage;
  const workloads = (result?.status?.workloads ?? []).map((one) => ({
    ...one,
    text: describeReadiness(one),
  }));
  const processes = result?.status?.pressure ?? [];
  const effectUnknown =
    outcome?.verdict === 'Pass' ? ofUnknownEffect(ledger).map(({ target }) => describeTarget(target)) : [];
  return {
    name,
    ...(status?.iteration === undefined ? {} : { iteration: status.iteration }),
    ...(status?.status === 'Skipped' ? { skipped: true as const } : {}),
    // The result is the experiment's own word; without one the engine's copy stands in.
    verdict: outcome?.verdict ?? status?.verdict ?? 'N/A',
    ...(outcome?.phase === undefined ? {} : { phase: outcome.phase }),
    ...(outcome?.probeSuccessPercentage === undefined
      ? {}
      : { probeSuccessPercentage: outcome.probeSuccessPercentage }),
    probes: (result?.status?.probeStatuses ?? []).map(
      ({ name: probe, type, mode, status: judged, summary }) => ({
        name: probe,
        type,
        mode,
        verdict: judged.verdict,
        description: judged.description,
        ...(summary === undefined ? {} : { summary }),
      }),
    ),
    targets: (result?.status?.history?.targets ?? []).map(({ kind, name: target, chaosStatus }) => ({
      kind,
      name: target,
      status: chaosStatus,
    })),
    ...(hits.length === 0 ? {} : { hits }),
    ...(effects.length === 0 ? {} : { effects }),
    ...(effectUnknown.length === 0 ? {} : { effectUnknown }),
    ...(workloads.length === 0 ? {} : { workloads }),
    ...(coverage === undefined ? {} : { coverage: { ...coverage, text: describeCoverage(coverage) } }),
    ...(processes.length === 0 ? {} : { pressure: { processes, text: describeOverload(processes) } }),
    reason,
    ...errorOf(outcome?.errorOutput),
    ...(entries[0] === undefined ? {} : { startedAt: entries[0].time }),
    ...(entries.length === 0 ? {} : { endedAt: entries.at(-1)?.time }),
  };
}

function effectOf({ target, effect }: LedgerEntry): EffectReport[] {
  if (effect === undefined) return [];
  const place = [target.kind, target.namespace, target.name, target.container];
  return [{ target: place.filter((part) => part !== undefined).join('/'), ...effect }];
}

/** What programs go by of an error. */
function errorOf(
  error: { readonly errorCode?: string; readonly reason?: string } | undefined,
): Pick<ExperimentReport, 'errorCode' | 'errorPhase'> {
  const phase = errorPhaseOf(error?.reason ?? '');
  return {
    ...(error?.errorCode !== undefined && { errorCode: error.errorCode }),
    ...(phase !== undefined && { errorPhase: phase }),
  };
}

function timelineOfEntry(
  result: ChaosResult | undefined,
  status: EngineExperimentStatus | undefined,
  runId: string | undefined,
): TimelineEntry[] {
  const entries = mergeTimeline(undefined, result === undefined ? [] : [result], runId);
  if (runId === undefined || status?.iteration === undefined) return entries;
  const id = iterationRunId(runId, status.iteration);
  return entries.filter((entry) => entry.runId === id);
}

/** Why an experiment did not pass: its error in words, else what the engine says of it. */
function reasonOf(
  status: EngineExperimentStatus | undefined,
  result: ChaosResult | undefined,
): string | undefined {
  const error = result?.status?.experimentStatus?.errorOutput;
  if (error?.reason !== undefined && error.reason !== '') return errorText(error.reason, error.errorCode);
  if (result?.status?.dryRun === true) {
    const { plan } = result.status;
    return `dry run, nothing was injected${plan === undefined ? '' : `: ${plan.summary}`}`;
  }
  // An experiment that died before it had a result has its reason in the engine alone, under status Completed.
  if (result !== undefined || status === undefined) return undefined;
  if (status.reason !== undefined && status.reason !== '') return errorText(status.reason);
  return plainWords(status.status) || undefined;
}
