const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

/**
 * Milliseconds out of Go's form of durations (`250ms`, `1m30s`), or out of a plain number of `plain`; undefined for anything
 * else. Pure.
 */
export function parseDuration(text: string, plain: 'milliseconds' | 'seconds'): number | undefined {
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text) * (plain === 'seconds' ? 1000 : 1);
  if (!/^(\d+(\.\d+)?(ms|s|m|h))+$/.test(text)) return undefined;
  return [...text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h)/g)].reduce(
    (sum, [, number = '0', unit = 's']) => sum + Number(number) * (UNITS[unit] ?? 1),
    0,
  );
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
