/** The score of a run in words: a dash for one that is not over, and for one that probes did not decide. Pure. */
export function scoreWords(score: number | null | undefined): string {
  return score === null || score === undefined ? '–' : String(score);
}
