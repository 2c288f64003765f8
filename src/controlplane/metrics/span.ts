/** When a run was; milliseconds since the epoch. */
interface RunTimes {
  readonly startMs: number;
  /** Undefined while it is not over. */
  readonly endMs: number | undefined;
}

/** Which moments are asked for. */
interface Span {
  readonly fromMs: number;
  readonly toMs: number;
  readonly stepMs: number;
  /** Whether its end is past: asked again it is the same. */
  readonly isFinal: boolean;
}

/** How it was before, and whether it came back: at least so much, and a tenth of a run that is longer than five minutes. */
const LEAST_MARGIN_MS = 30_000;
const MARGIN = 0.1;
/** Of a series: as many as a screen can show. The agent takes no more. */
const MOST_MOMENTS = 500;

/** From shortly before a run to shortly after it, or to now, in steps of whole seconds. Pure. */
export function spanOf({ startMs, endMs }: RunTimes, nowMs: number): Span {
  const lastMs = Math.max(startMs, endMs ?? nowMs);
  const margin = Math.max(LEAST_MARGIN_MS, (lastMs - startMs) * MARGIN);
  const wantedMs = lastMs + margin;
  const untilMs = Math.max(startMs, Math.min(wantedMs, nowMs));
  const since = startMs - margin;
  // One step less than there may be: the first moment is moved back to a whole step.
  const stepMs = Math.max(1, Math.ceil((untilMs - since) / (MOST_MOMENTS - 2) / 1000)) * 1000;
  // On whole steps, so that a run that goes on is asked for at the same moments again.
  const fromMs = Math.floor(since / stepMs) * stepMs;
  const toMs = fromMs + Math.floor((untilMs - fromMs) / stepMs) * stepMs;
  return { fromMs, toMs, stepMs, isFinal: endMs !== undefined && wantedMs <= nowMs };
}
