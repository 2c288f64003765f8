/** Small judgements over the words of the chaos kinds, so that every room draws the same line. */
import type { EngineVerdict, ExperimentStatus } from './schema/vocabulary.ts';

const FINAL_VERDICTS: ReadonlySet<string> = new Set<EngineVerdict>(['Pass', 'Fail', 'Stopped', 'Error']);
const FINAL_STATUSES: ReadonlySet<string> = new Set<ExperimentStatus>([
  'Completed',
  'ChaosExperiment Not Found',
  'Forcefully Aborted',
  'Skipped',
]);

/** Whether the verdict will not change any more in this run: it is neither awaited nor absent. */
export function isFinalVerdict(verdict: string | undefined): boolean {
  return verdict !== undefined && FINAL_VERDICTS.has(verdict);
}

/** Whether the experiment of an engine has ended, well or not; it is not started again in this run. */
export function isFinalExperimentStatus(status: string | undefined): boolean {
  return status !== undefined && FINAL_STATUSES.has(status);
}

/** From the one that decides most to the one that decides least. */
const WEIGHTS: readonly EngineVerdict[] = ['Error', 'Fail', 'Stopped', 'Awaited', 'N/A', 'Pass'];

/**
 * One verdict for several experiments: Pass only when all passed, and otherwise the gravest of them, from Error over
 * Fail and Stopped to Awaited. Without experiments, and for words that are not known, nothing is judged: N/A.
 */
export function overallVerdict(verdicts: readonly string[]): EngineVerdict {
  if (verdicts.length === 0) return 'N/A';
  const known = verdicts.map((verdict) => WEIGHTS.find((weight) => weight === verdict) ?? 'N/A');
  return WEIGHTS.find((weight) => known.includes(weight)) ?? 'N/A';
}
