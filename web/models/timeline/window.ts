/** The part of a run that is shown. Milliseconds since its start; `toMs` is above `fromMs`. */
export interface Window {
  readonly fromMs: number;
  readonly toMs: number;
}

/** Nothing shorter is shown: beyond that all times are the same millisecond. */
const SHORTEST_MS = 2;
/** Empty room beside a whole run, as a share of its length, so that its first and last marks are not cut. */
const MARGIN = 0.02;

/** The whole of a run, which is what is shown where nobody has chosen. */
export function fitted(lengthMs: number): Window {
  return { fromMs: -lengthMs * MARGIN, toMs: lengthMs * (1 + MARGIN) };
}

/** All that can be shown: the whole of a run, and what is known of the time before and after it. Pure. */
export function wholeOf(lengthMs: number, times: readonly number[]): Window {
  const { fromMs, toMs } = fitted(lengthMs);
  return times.reduce<Window>(
    (whole, time) => ({ fromMs: Math.min(whole.fromMs, time), toMs: Math.max(whole.toMs, time) }),
    { fromMs, toMs },
  );
}

/** The window `factor` times as long, with what is at `atMs` staying where it is; `whole` is all that can be shown. */
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

/** The window moved so far that a moment is inside; unchanged where it is already. */
export function revealing(window: Window, atMs: number, whole: Window): Window {
  const { fromMs, toMs } = window;
  if (atMs >= fromMs && atMs <= toMs) return window;
  return panned(window, atMs - (fromMs + toMs) / 2, whole);
}

/** The window inside of what can be shown: moved where it leaves that, shortened where it is longer. */
export function kept({ fromMs, toMs }: Window, whole: Window): Window {
  const length = Math.max(SHORTEST_MS, toMs - fromMs);
  if (length >= whole.toMs - whole.fromMs) return whole;
  const from = Math.min(Math.max(fromMs, whole.fromMs), whole.toMs - length);
  return { fromMs: from, toMs: from + length };
}

/** Where a moment stands in a drawing of a width, in pixels; may be outside. */
export function xOf(atMs: number, { fromMs, toMs }: Window, width: number): number {
  return ((atMs - fromMs) / (toMs - fromMs)) * width;
}

/** The moment under a pixel. */
export function msAt(x: number, { fromMs, toMs }: Window, width: number): number {
  return fromMs + (x / Math.max(1, width)) * (toMs - fromMs);
}
