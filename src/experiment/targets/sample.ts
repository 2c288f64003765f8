import type { Random } from '@turnsole/kube/base/clock';

/** How many of `length` are hit at a percentage: at least one, at most all. */
export function affectedCount(length: number, percentage: number): number {
  if (length === 0) return 0;
  return Math.max(1, Math.floor((Math.min(percentage, 100) * length) / 100));
}

/** A share of the items: consecutive ones from a random start, going round at the end; each at most once. */
export function samplePercentage<T>(items: readonly T[], percentage: number, random: Random): T[] {
  const count = affectedCount(items.length, percentage);
  const start = Math.floor(random() * items.length);
  return [...items.slice(start), ...items.slice(0, start)].slice(0, count);
}
