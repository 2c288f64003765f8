import type { Window } from './window.ts';

const STEPS_MS = [1, 2, 5, 10, 20, 50, 100, 200, 500].concat(
  [1, 2, 5, 10, 15, 30].map((seconds) => seconds * 1000),
  [1, 2, 5, 10, 15, 30].map((minutes) => minutes * 60_000),
  [1, 2, 4, 6, 12, 24, 48, 96, 168].map((hours) => hours * 3_600_000),
);

/** A line of the axis. */
export interface Tick {
  /** Milliseconds from the start of the run. */
  readonly atMs: number;
  readonly label: string;
}

/** Round times in a window, from the start of the run on, at most `most` of them. Pure. */
export function axisTicks({ fromMs, toMs }: Window, most = 10): Tick[] {
  const lengthMs = toMs - fromMs;
  const last = STEPS_MS.at(-1) ?? 1;
  const step =
    STEPS_MS.find((candidate) => lengthMs / candidate < most) ?? Math.ceil(lengthMs / most / last) * last;
  const ticks: Tick[] = [];
  for (let atMs = Math.max(0, Math.ceil(fromMs / step) * step); atMs <= toMs; atMs += step) {
    ticks.push({ atMs, label: durationText(atMs, step) });
  }
  return ticks;
}

/** `0`, `250 ms`, `12.5 s`, `1:05`, `2:03:00`: as precise as the step between two ticks requires. */
function durationText(ms: number, stepMs: number): string {
  if (ms === 0) return '0';
  if (ms < 1000) return `${ms} ms`;
  const digits = stepMs >= 1000 ? 0 : stepMs >= 100 ? 1 : stepMs >= 10 ? 2 : 3;
  if (ms < 60_000) return `${(ms / 1000).toFixed(digits)} s`;
  const seconds = (Math.floor(ms) / 1000) % 60;
  const minutes = Math.floor(ms / 60_000) % 60;
  const hours = Math.floor(ms / 3_600_000);
  const rest = seconds.toFixed(digits).padStart(digits === 0 ? 2 : digits + 3, '0');
  return hours > 0 ? `${hours}:${String(minutes).padStart(2, '0')}:${rest}` : `${minutes}:${rest}`;
}
