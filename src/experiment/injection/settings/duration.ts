import { DurationError, parseDuration as parseGoDuration } from '@turnsole/kube/text/duration';

/**
 * Milliseconds out of Go's form of durations (`250ms`, `1m30s`), or out of a plain number of `plain`; undefined for anything
 * else. Pure.
 */
export function parseDuration(text: string, plain: 'milliseconds' | 'seconds'): number | undefined {
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text) * (plain === 'seconds' ? 1000 : 1);
  // Blank is 0 in Go's fields of probes, and nothing here.
  if (text.trim() === '') return undefined;
  try {
    return parseGoDuration(text);
  } catch (error) {
    if (!(error instanceof DurationError)) throw error;
    return undefined;
  }
}

/** The shortest usual form of a time: `1m30s`, `2s`, `250ms`. Pure. */
export function formatDuration(milliseconds: number): string {
  if (milliseconds % 1000 !== 0 || milliseconds === 0) return `${milliseconds}ms`;
  const seconds = milliseconds / 1000;
  const parts = [
    [Math.floor(seconds / 3600), 'h'],
    [Math.floor((seconds % 3600) / 60), 'm'],
    [seconds % 60, 's'],
  ] as const;
  return parts.map(([value, unit]) => (value === 0 ? '' : `${value}${unit}`)).join('');
}
