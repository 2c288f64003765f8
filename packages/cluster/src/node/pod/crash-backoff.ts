/**
 * The delay before a container is started again after it ended, as kubelet counts it (its CrashLoopBackOff).
 *
 * The first restart is immediate and sets the delay to 10 s; each further restart doubles it, up to 5 minutes. A run
 * that ended more than 10 minutes after the last restart counts as the first again. Example, each run ending at once:
 * start 0 s, restart 0 s, restart 10 s, 30 s, 70 s, 150 s, 310 s, 610 s, then every 300 s.
 */
export interface CrashBackoff {
  readonly delayMs: number;
  /** When the delay was last set: the time of the restart. */
  readonly updatedAtMs: number;
}

export const FIRST_DELAY_MS = 10_000;
export const MAX_DELAY_MS = 300_000;
/** A run that lasted longer than this makes the next restart immediate. */
const RESET_AFTER_MS = 2 * MAX_DELAY_MS;

function isExpired(backoff: CrashBackoff, finishedAtMs: number): boolean {
  return finishedAtMs - backoff.updatedAtMs > RESET_AFTER_MS;
}

/** When a container that ended at `finishedAtMs` may start again; pure. Not later than that moment itself: at once. */
export function restartAtMs(backoff: CrashBackoff | undefined, finishedAtMs: number): number {
  if (backoff === undefined || isExpired(backoff, finishedAtMs)) return finishedAtMs;
  return finishedAtMs + backoff.delayMs;
}

/** The back-off after a restart at `nowMs` of a run that ended at `finishedAtMs`; pure. */
export function afterRestart(
  backoff: CrashBackoff | undefined,
  finishedAtMs: number,
  nowMs: number,
): CrashBackoff {
  const delayMs =
    backoff === undefined || isExpired(backoff, finishedAtMs)
      ? FIRST_DELAY_MS
      : Math.min(backoff.delayMs * 2, MAX_DELAY_MS);
  return { delayMs, updatedAtMs: nowMs };
}
