import type { ChaosResult, EngineVerdict } from '../../api/index.ts';
import { isUnfinished } from '../../chaos/close-result.ts';
import { isResultOfRun } from '../../chaos/run-id.ts';

/** The verdict and text of the engine's entry for an experiment whose pod has ended. */
interface EntryJudgement {
  readonly verdict: EngineVerdict;
  /** Why, when the verdict is not that of a final result. */
  readonly reason?: string;
  /** The result was left Running by an experiment that is no more: it has to be closed with `reason`. */
  readonly unfinished: boolean;
}

/**
 * The verdict of an experiment whose pod has ended: that of its result, or Error when the result is missing, of another
 * run, or was left unfinished. Pure.
 */
export function judgeExperiment(
  result: ChaosResult | undefined,
  run: { readonly resultName: string; readonly engineUid: string; readonly runId: string },
  detail: string | undefined,
): EntryJudgement {
  const cause = detail === undefined ? '' : `; ${detail}`;
  if (result === undefined || !isResultOfRun(result.metadata, run)) {
    const reason = `the experiment pod ended without a ChaosResult ${run.resultName} of this run${cause}`;
    return { verdict: 'Error', reason, unfinished: false };
  }
  const outcome = result.status?.experimentStatus;
  const verdict = outcome?.verdict;
  if (verdict === undefined || isUnfinished(result)) {
    const reason = `the experiment pod ended before it stored a verdict in ChaosResult ${run.resultName}${cause}`;
    return { verdict: 'Error', reason, unfinished: true };
  }
  const said = outcome?.errorOutput?.reason || dryRunText(result);
  return { verdict, ...(said ? { reason: said } : {}), unfinished: false };
}

/** What a dry run found, so that the engine's entry shows it and is not taken for a run. */
function dryRunText({ status }: ChaosResult): string | undefined {
  if (status?.dryRun !== true) return undefined;
  return `dry run, nothing was injected${status.plan === undefined ? '' : `: ${status.plan.summary}`}`;
}
