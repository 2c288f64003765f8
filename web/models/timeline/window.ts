/** The visible part of a run. Milliseconds since its start; `toMs` is above `fromMs`. */
export interface Window {
  readonly fromMs: number;
  readonly toMs: number;
}

/** Shortest window: below it all times are the same millisecond. */
const SHORTEST_MS = 2;
/** Margin beside a whole run, as a share of its length, so that its first and last marks are not cut. */
const MARGIN = 0.02;

/** The whole run, which is the default window. */
export function fitted(lengthMs: number): Window {
  return { fromMs: -lengthMs * MARGIN, toMs: lengthMs * (1 + MARGIN) };
}

/** The whole range: the run, and known times before and after it. Pure. */
export function wholeOf(lengthMs: number, times: readonly number[]): Window {
  const { fromMs, toMs } = fitted(lengthMs);
  return times.reduce<Window>(
    (whole, time) => ({ fromMs: Math.min(whole.fromMs, time), toMs: Math.max(whole.toMs, time) }),
    { fromMs, toMs },
  );
}

/** The window `factor` times as long, with `atMs` at the same position; `whole` is the whole range. */
export function zoomed({ fromMs, toMs }: Window, factor: number, atMs: number, whole: Window): Window {
  const length = Math.max(SHORTEST_MS, (toMs - fromMs) * factor);
  const share = (atMs - fromMs) / (toMs - fromMs);
  const from = atMs - share * length;
  return kept({ fromMs: from, toMs: from + length }, whole);
}

/** The window moved along the run. */
export function panned({ fromMs, toMs }: Window, byMs: number, whole: Window): Window {
  return kept({ fromMs: fromMs + byMs, toMs: toMs + byMs }, whole);
}

/** The window moved so that it contains a moment; unchanged if it already does. */
export function revealing(window: Window, atMs: number, whole: Window): Window {
  const { fromMs, toMs } = window;
  if (atMs >= fromMs && atMs <= toMs) return window;
  return panned(window, atMs - (fromMs + toMs) / 2, whole);
}

/** The window within the whole range: moved if it leaves it, shortened if it is longer. */
export function kept({ fromMs, toMs }: Window, whole: Window): Window {
  const length = Math.max(SHORTEST_MS, toMs - fromMs);
  if (length >= whole.toMs - whole.fromMs) return whole;
  const from = Math.min(Math.max(fromMs, whole.fromMs), whole.toMs - length);
  return { fromMs: from, toMs: from + length };
}

/** Position of a moment in a drawing of a width, in pixels; may be outside. */
export function xOf(atMs: number, { fromMs, toMs }: Window, width: number): number {
  return ((atMs - fromMs) / (toMs - fromMs)) * width;
}

/** The moment under a pixel. */
export function msAt(x: number, { fromMs, toMs }: Window, width: number): number {
  return fromMs + (x / Math.max(1, width)) * (toMs - fromMs);
}
