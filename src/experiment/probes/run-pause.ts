import type { RunTimes } from './background.ts';

/** What the pause after a run of a background probe depends on. Times in milliseconds since 1970. */
interface PauseInput {
  readonly pollingMs: number;
  /** The run that has ended. */
  readonly times: RunTimes;
  /** Everything is ready, and nothing is injected yet: whether the steady state holds is asked often. */
  readonly isArmed: boolean;
  /** When the fault came into force; undefined before. */
  readonly inForceSinceMs: number | undefined;
  /** How long it is meant to stay in force; undefined where that is not known. */
  readonly durationMs: number | undefined;
}

/** How old a measurement may be that says that the steady state holds. */
export const STEADY_MS = 1000;
/** The last measurement of the fault begins at least this long before the fault is meant to end. */
const LEAST_LEAD_MS = 250;

/**
 * The pause after a run: probePollingInterval, but for two moments. While helpers start, at most {@link STEADY_MS}. And where it would
 * outlast the fault, it ends a little before the fault does, so that the probe is not judged by the first moments of the fault alone. Pure.
 */
export function pauseAfter({ pollingMs, times, isArmed, inForceSinceMs, durationMs }: PauseInput): number {
  const { beganMs, endedMs } = times;
  if (inForceSinceMs === undefined) return isArmed ? Math.min(pollingMs, STEADY_MS) : pollingMs;
  if (durationMs === undefined) return pollingMs;
  const endMs = inForceSinceMs + durationMs;
  // Twice what the last run took, so that one that takes a little longer is still over in time.
  const lead = Math.min(durationMs / 4, Math.max(LEAST_LEAD_MS, 2 * (endedMs - beganMs)));
  const lastBeginMs = endMs - lead;
  const isLate = endedMs >= lastBeginMs || endedMs + pollingMs <= lastBeginMs;
  return isLate ? pollingMs : lastBeginMs - endedMs;
}
