/** Phases of a run whose score is not known yet, whatever number the server gives. */
const UNKNOWN = ['Queued', 'Pending', 'Running', 'NA'];

/** The score of a run as it is said: a dash until the run is over. Pure. */
export function scoreWords(phase: string, score: number | null | undefined): string {
  return UNKNOWN.includes(phase) || score === null || score === undefined ? '–' : String(score);
}
