/** Phases of a run without a score, whatever number the server sends. */
const UNKNOWN = ['Queued', 'Pending', 'Running', 'NA'];

/** The score of a run in words: a dash until the run is over. Pure. */
export function scoreWords(phase: string, score: number | null | undefined): string {
  return UNKNOWN.includes(phase) || score === null || score === undefined ? '–' : String(score);
}
