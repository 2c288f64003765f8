const STEPS_MS = [1, 2, 5, 10, 20, 50, 100, 200, 500].concat(
  [1, 2, 5, 10, 15, 30].map((seconds) => seconds * 1000),
  [1, 2, 5, 10, 15, 30].map((minutes) => minutes * 60_000),
  [1, 2, 4, 6, 12, 24, 48, 96, 168].map((hours) => hours * 3_600_000),
);

/** A line of the axis. */
interface Tick {
  /** Milliseconds from the start. */
  readonly atMs: number;
  readonly label: string;
}

/** Round times from the start of a run to its end, at most `most` of them. Pure. */
export function axisTicks(lengthMs: number, most = 10): Tick[] {
  const last = STEPS_MS.at(-1) ?? 1;
  const step =
    STEPS_MS.find((candidate) => lengthMs / candidate < most) ?? Math.ceil(lengthMs / most / last) * last;
  const ticks: Tick[] = [];
  for (let atMs = 0; atMs <= lengthMs; atMs += step) ticks.push({ atMs, label: durationText(atMs, step) });
  return ticks;
}

/** `0`, `250 ms`, `12.5 s`, `1:05`, `2:03:00`: as exact as the step between two ticks asks for. */
function durationText(ms: number, stepMs: number): string {
  if (ms === 0) return '0';
  if (ms < 1000) return `${ms} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(stepMs < 1000 ? 1 : 0)} s`;
  const seconds = Math.floor(ms / 1000);
  const two = (value: number): string => String(value).padStart(2, '0');
  const [hours, minutes, rest] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  return hours > 0 ? `${hours}:${two(minutes)}:${two(rest)}` : `${minutes}:${two(rest)}`;
}
