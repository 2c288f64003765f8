import type { ChaosEngine, ChaosResult, EngineExperimentStatus } from '../../api/index.ts';
import type { EngineReport, ExperimentReport } from './model.ts';
import { mergeTimeline } from './timeline.ts';

/** What is known of one engine at the end of its run. */
export interface EngineOutcome {
  readonly engine: ChaosEngine;
  /** Results of this engine's experiments, those that exist. */
  readonly results: readonly ChaosResult[];
  /** Why the run could not be carried out, when it could not. */
  readonly reason?: string;
}

/** Puts engine status and results together into the report of one engine. Pure. */
export function buildEngineReport({ engine, results, reason }: EngineOutcome): EngineReport {
  const runId = engine.status?.runId;
  return {
    namespace: engine.metadata.namespace ?? '',
    name: engine.metadata.name,
    status: engine.status?.engineStatus ?? 'unknown',
    ...(reason === undefined ? {} : { reason }),
    experiments: (engine.spec?.experiments ?? []).map(({ name }) => {
      const status = engine.status?.experiments?.find((entry) => entry.name === name);
      const result = results.find((candidate) => candidate.spec?.experiment === name);
      return buildExperimentReport(name, status, result, runId);
    }),
    timeline: mergeTimeline(engine, results, runId),
  };
}

function buildExperimentReport(
  name: string,
  status: EngineExperimentStatus | undefined,
  result: ChaosResult | undefined,
  runId: string | undefined,
): ExperimentReport {
  const outcome = result?.status?.experimentStatus;
  const entries = mergeTimeline(undefined, result === undefined ? [] : [result], runId);
  const reason = reasonOf(status, result);
  return {
    name,
    // The result is the experiment's own word; the engine's copy stands in when there is no result.
    verdict: outcome?.verdict ?? status?.verdict ?? 'N/A',
    ...(outcome?.phase === undefined ? {} : { phase: outcome.phase }),
    ...(outcome?.probeSuccessPercentage === undefined
      ? {}
      : { probeSuccessPercentage: outcome.probeSuccessPercentage }),
    probes: (result?.status?.probeStatuses ?? []).map(({ name: probe, type, mode, status: judged }) => ({
      name: probe,
      type,
      mode,
      verdict: judged.verdict,
      ...(judged.description === undefined ? {} : { description: judged.description }),
    })),
    targets: (result?.status?.history?.targets ?? []).map(({ kind, name: target, chaosStatus }) => ({
      kind,
      name: target,
      status: chaosStatus,
    })),
    ...(reason === undefined ? {} : { reason }),
    ...(entries[0] === undefined ? {} : { startedAt: entries[0].time }),
    ...(entries.length === 0 ? {} : { endedAt: entries.at(-1)?.time }),
  };
}

/** Why an experiment did not pass: its error in words, else what the engine says of it. */
function reasonOf(
  status: EngineExperimentStatus | undefined,
  result: ChaosResult | undefined,
): string | undefined {
  const error = result?.status?.experimentStatus?.errorOutput;
  if (error?.reason !== undefined && error.reason !== '') return readableError(error.errorCode, error.reason);
  if (result === undefined && status !== undefined && status.status !== 'Completed') return status.status;
  return undefined;
}

/** Turns upstream's `errorOutput.reason` (JSON in a text) into a sentence. */
function readableError(code: string | undefined, reason: string): string {
  try {
    const parsed = JSON.parse(reason) as { reason?: string; target?: string; errorCode?: string };
    const target = parsed.target === undefined ? '' : ` (${parsed.target})`;
    return `${parsed.errorCode ?? code ?? 'error'}: ${parsed.reason ?? reason}${target}`;
  } catch {
    return code === undefined || code === '' ? reason : `${code}: ${reason}`;
  }
}
