import { isFinalVerdict } from './ended-run.ts';
import type { SlimResult } from './slim-objects.ts';

/**
 * Whether a run has ended between two looks at a result. A final verdict counts once; where both looks show one, the history says
 * whether another run took place between them. Pure.
 *
 * @param before undefined where the result was not there
 */
export function hasEnded(before: SlimResult | undefined, now: SlimResult): boolean {
  if (!isFinalVerdict(now.verdict)) return false;
  if (before === undefined || !isFinalVerdict(before.verdict)) return true;
  return COUNTERS.some((counter) => now[counter] > before[counter]);
}

const COUNTERS = ['passedRuns', 'failedRuns', 'stoppedRuns'] as const;
