/** What `status.engineStatus` says when the run of an engine is over. */
const ENDED: readonly unknown[] = ['completed', 'stopped'];

/**
 * Whether the run of an engine is over. An engine that was stopped before it began has had no run: its status is empty, and stays so. Pure.
 *
 * @param engineStatus `status.engineStatus`
 */
export function runIsOver(engineStatus: unknown): boolean {
  return ENDED.includes(engineStatus);
}
