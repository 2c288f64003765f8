/**
 * The number an int-or-percent field means for a total, e.g. `25%` of 3 is 1 rounded up and 0 rounded down. A text
 * that is neither gives 0, as the API server has refused it already.
 */
export function resolveIntOrPercent(
  value: number | string | undefined,
  total: number,
  rounding: 'up' | 'down',
): number {
  if (value === undefined) return 0;
  if (typeof value === 'number') return value;
  const match = /^(\d+)%$/.exec(value);
  if (match === null) return /^\d+$/.test(value) ? Number(value) : 0;
  const exact = (Number(match[1]) * total) / 100;
  return rounding === 'up' ? Math.ceil(exact) : Math.floor(exact);
}
