/**
 * Reads the actual content of a result or engine: upstream's definitions check no types, and any client may write anything. An unusable
 * value counts as absent, so that one odd object never hides the others.
 */
import { isObject } from '@turnsole/kube/text/json';
import { parseTime } from '@turnsole/kube/text/time';

/** Longer texts are cut: they become labels, which every scrape repeats. */
const MAX_TEXT = 512;

/** The members of an object; none of anything else. */
export function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  return isObject(value) ? value : {};
}

/** A text, cut to 512 characters; empty for any other value. */
export function textOf(value: unknown): string {
  if (typeof value !== 'string') return '';
  // By a copy: a part of a text would keep the whole of it in memory.
  return value.length <= MAX_TEXT ? value : Buffer.from(value.slice(0, MAX_TEXT)).toString();
}

/** A number of runs: 0 for negative or infinite numbers and for other values. */
export function countOf(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) && value > 0 ? value : 0;
}

/** A share of passed probes, 0 to 100; 0 for `Awaited`, a missing value, and anything outside of this range. */
export function percentageOf(value: unknown): number {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof number === 'number' && number >= 0 && number <= 100 ? number : 0;
}

/** A list; empty for any other value. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Milliseconds since 1970 of an RFC 3339 time; undefined for any other value. */
export function timeOf(value: unknown): number | undefined {
  return typeof value === 'string' ? parseTime(value) : undefined;
}
