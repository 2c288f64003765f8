/** Start and end of a run; milliseconds since the epoch. */
interface RunTimes {
  readonly startMs: number;
  /** Undefined until it is over. */
  readonly endMs: number | undefined;
}

/** Time range and step of a query. */
interface Span {
  readonly fromMs: number;
  readonly toMs: number;
  readonly stepMs: number;
  /** Whether its end is past, so that a repeated query returns the same. */
  readonly isFinal: boolean;
}

/** Minimum time before and after the run, to show the state before and the recovery; for runs of more than five minutes a tenth of the run. */
const LEAST_MARGIN_MS = 30_000;
const MARGIN = 0.1;
/** Values of a series: as many as a screen can show. The agent accepts no more. */
const MOST_MOMENTS = 500;

/** From shortly before a run to shortly after it, or to now, in steps of whole seconds. Pure. */
export function spanOf({ startMs, endMs }: RunTimes, nowMs: number): Span {
  const lastMs = Math.max(startMs, endMs ?? nowMs);
  const margin = Math.max(LEAST_MARGIN_MS, (lastMs - startMs) * MARGIN);
  const wantedMs = lastMs + margin;
  const untilMs = Math.max(startMs, Math.min(wantedMs, nowMs));
  const since = startMs - margin;
  // One step less than the limit, because the first moment is moved back to a whole step.
  const stepMs = Math.max(1, Math.ceil((untilMs - since) / (MOST_MOMENTS - 2) / 1000)) * 1000;
  // On whole steps, so that later queries of an unfinished run use the same moments.
  const fromMs = Math.floor(since / stepMs) * stepMs;
  const toMs = fromMs + Math.floor((untilMs - fromMs) / stepMs) * stepMs;
  return { fromMs, toMs, stepMs, isFinal: endMs !== undefined && wantedMs <= nowMs };
}
