import type { Random } from '@turnsole/kube/base/clock';
import { MAX_CHAOS_SECONDS } from './limits.ts';
import { drawInteger, type TunableProblem } from './parse-tunables.ts';

/** Time between two rounds: fixed when both ends are equal, else drawn anew for each round. */
export interface Interval {
  readonly lowMs: number;
  readonly highMs: number;
}

/**
 * Gives the interval out of CHAOS_INTERVAL. With RANDOMNESS `N` means 0..N and `lo-hi` means lo..hi seconds, with an upper
 * end of at least 1; without, it is the number the table has already read.
 */
export function parseInterval(
  text: string | undefined,
  fixedSeconds: number,
  randomness: boolean,
): Interval | TunableProblem {
  if (!randomness) return { lowMs: fixedSeconds * 1000, highMs: fixedSeconds * 1000 };
  const found = (text ?? '').trim() === '' ? String(fixedSeconds) : (text ?? '').trim();
  const match = /^(?:(\d+)-)?(\d+)$/.exec(found);
  const [low, high] = [Number(match?.[1] ?? 0), Number(match?.[2] ?? 0)];
  if (match === null || high < 1 || high > MAX_CHAOS_SECONDS || low > high) {
    return {
      variable: 'CHAOS_INTERVAL',
      found,
      expected: `with RANDOMNESS a whole number of seconds from 1 to ${MAX_CHAOS_SECONDS}, or a range low-high`,
    };
  }
  return { lowMs: low * 1000, highMs: high * 1000 };
}

/** Draws the wait before the next round, in whole seconds as upstream. */
export function drawIntervalMs(interval: Interval, random: Random): number {
  if (interval.lowMs === interval.highMs) return interval.lowMs;
  return drawInteger(interval.lowMs / 1000, interval.highMs / 1000, random) * 1000;
}
