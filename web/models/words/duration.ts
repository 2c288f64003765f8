const UNITS = [
  [86_400_000, 'd'],
  [3_600_000, 'h'],
  [60_000, 'min'],
] as const;

/** `340 ms`, `12.5 s`, `2 min 5 s`, `3 h 4 min`: two units at most. */
export function durationWords(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${trimmed(ms / 1000)} s`;
  const [size, unit] = UNITS.find(([length]) => ms >= length) ?? UNITS[2];
  const [restSize, restUnit] = UNITS[UNITS.findIndex(([length]) => length === size) + 1] ?? [1000, 's'];
  const rest = Math.floor((ms % size) / restSize);
  return `${Math.floor(ms / size)} ${unit}${rest === 0 ? '' : ` ${rest} ${restUnit}`}`;
}

/** Seconds with one digit, without `.0`. */
function trimmed(seconds: number): string {
  return seconds.toFixed(1).replace(/\.0$/, '');
}
/** Time since a moment: `just now`, `2 min ago`. The exact time is shown on hover. */
export function agoWords(thenMs: number, nowMs: number): string {
  const ms = nowMs - thenMs;
  if (ms < 5000) return 'just now';
  if (ms < 60_000) return `${Math.floor(ms / 1000)} s ago`;
  const [size, unit] = UNITS.find(([length]) => ms >= length) ?? UNITS[2];
  return `${Math.floor(ms / size)} ${unit} ago`;
}

/** Time until a moment: `in 2 min`, `in 3 h`. */
export function inWords(thenMs: number, nowMs: number): string {
  const ms = thenMs - nowMs;
  if (ms < 60_000) return 'within a minute';
  const [size, unit] = UNITS.find(([length]) => ms >= length) ?? UNITS[2];
  return `in ${Math.floor(ms / size)} ${unit}`;
}
