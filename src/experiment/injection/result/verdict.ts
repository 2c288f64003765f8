import type { EngineVerdict, ProbeStatus, ResultPhase } from '../../../api/index.ts';
import { closeProbes, successPercentage } from '../../../chaos/close-result.ts';
import type { ErrorOutput } from '../errors.ts';
import { isError, type Objection, outputOf } from './objection.ts';

/** How the run came to its end. */
export type Ending =
  | { readonly kind: 'completed' }
  | { readonly kind: 'aborted' }
  | {
      readonly kind: 'error';
      /** Absent when a helper has written its own. */
      readonly errorOutput: ErrorOutput | undefined;
    };

/** Which counter of `status.history` a run adds to; errors are counted nowhere, as upstream. */
type RunCounter = 'passedRuns' | 'failedRuns' | 'stoppedRuns';

/** The judgement on a run, as the ChaosResult has it. */
export interface Judgement {
  readonly phase: ResultPhase;
  readonly verdict: EngineVerdict;
  readonly probeSuccessPercentage: string;
  readonly counter: RunCounter | undefined;
  readonly errorOutput: ErrorOutput | undefined;
  /** With the probes that were never judged closed. */
  readonly probeStatuses: readonly ProbeStatus[];
}

/**
 * Judges a run. The first of these that holds decides; rows with (u) are upstream's (table of section 6 of the compatibility reference):
 *
 * | what happened | verdict |
 * | --- | --- |
 * | aborted, and a probe with stopOnFailure failed (u) | Stopped |
 * | aborted, and another probe failed (u) | Fail |
 * | aborted (u) | Stopped |
 * | an objection of verdict Error: what probes found is no evidence | Error |
 * | a probe with stopOnFailure failed (u) | Stopped |
 * | another probe failed, also where the run ended in an error (u) | Fail |
 * | the run ended in an error (u) | Error |
 * | an objection of verdict Fail | Fail |
 * | none of these (u) | Pass |
 *
 * `errorOutput` has the reasons of all objections to a run that was not aborted, also beside a failed probe.
 *
 * @param stopping names of the probes with stopOnFailure
 */
export function judge(
  ending: Ending,
  probes: readonly ProbeStatus[],
  stopping: ReadonlySet<string>,
  objections: readonly Objection[] = [],
): Judgement {
  const failed = probes.filter(({ status }) => status.verdict === 'Failed');
  const isAborted = ending.kind === 'aborted';
  const percentage = successPercentage(probes);
  const errorOutput = isAborted ? undefined : outputOf(objections);
  if (!isAborted && objections.some(isError)) {
    return { ...judgement('Error', 'Error', '0', undefined, probes), errorOutput };
  }
  if (failed.some(({ name }) => stopping.has(name)) || (isAborted && failed.length === 0)) {
    return { ...judgement('Stopped', 'Stopped', percentage, 'stoppedRuns', probes), errorOutput };
  }
  if (failed.length > 0) {
    return {
      ...judgement('Completed_With_Probe_Failure', 'Fail', percentage, 'failedRuns', probes),
      errorOutput,
    };
  }
  if (ending.kind === 'error') {
    return { ...judgement('Error', 'Error', '0', undefined, probes), errorOutput: ending.errorOutput };
  }
  if (objections.length > 0) {
    return { ...judgement('Completed', 'Fail', percentage, 'failedRuns', probes), errorOutput };
  }
  return {
    ...judgement('Completed', 'Pass', '100', 'passedRuns', probes),
    // A pass leaves nothing to close: every probe was judged.
    probeStatuses: probes,
  };
}

/**
 * The judgement on a dry run: nothing was injected, so nothing was passed, and no counter counts it. What went wrong stays as it is.
 */
export function asDryRun(judged: Judgement): Judgement {
  const { probeStatuses, verdict } = judged;
  const probeSuccessPercentage = successPercentage(probeStatuses);
  return {
    ...judged,
    counter: undefined,
    ...(verdict === 'Pass' ? { verdict: 'N/A', probeSuccessPercentage } : {}),
  };
}

function judgement(
  phase: ResultPhase,
  verdict: EngineVerdict,
  probeSuccessPercentage: string,
  counter: RunCounter | undefined,
  probes: readonly ProbeStatus[],
): Judgement {
  const probeStatuses = closeProbes(probes);
  return { phase, verdict, probeSuccessPercentage, counter, errorOutput: undefined, probeStatuses };
}
