import type { EngineVerdict, ProbeStatus, ResultPhase } from '../../../api/index.ts';
import { closeProbes, successPercentage } from '../../../chaos/close-result.ts';
import type { ErrorOutput } from '../errors.ts';

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
 * Judges a run (table of section 6 of the compatibility reference). A failed probe decides over how the run ended: with
 * stopOnFailure it is Stopped, without it Fail.
 *
 * @param stopping names of the probes with stopOnFailure
 * @param objection why a run whose probes passed is a Fail all the same: its fault had no effect, and the engine wants one
 */
export function judge(
  ending: Ending,
  probes: readonly ProbeStatus[],
  stopping: ReadonlySet<string>,
  objection?: ErrorOutput,
): Judgement {
  const failed = probes.filter(({ status }) => status.verdict === 'Failed');
  const percentage = successPercentage(probes);
  if (failed.some(({ name }) => stopping.has(name)) || (ending.kind === 'aborted' && failed.length === 0)) {
    return judgement('Stopped', 'Stopped', percentage, 'stoppedRuns', probes);
  }
  if (failed.length > 0) {
    return judgement('Completed_With_Probe_Failure', 'Fail', percentage, 'failedRuns', probes);
  }
  if (ending.kind === 'error') {
    return { ...judgement('Error', 'Error', '0', undefined, probes), errorOutput: ending.errorOutput };
  }
  if (objection !== undefined) {
    return { ...judgement('Completed', 'Fail', percentage, 'failedRuns', probes), errorOutput: objection };
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
