import assert from 'node:assert/strict';
import { test } from 'node:test';
import { afterRestart, type CrashBackoff, restartAtMs } from './crash-backoff.ts';

/** Times of restart, in seconds, of a container whose runs last as long as given. */
function restarts(runSeconds: readonly number[]): number[] {
  let backoff: CrashBackoff | undefined;
  let now = 0;
  return runSeconds.map((seconds) => {
    const finishedAt = now + seconds * 1000;
    now = restartAtMs(backoff, finishedAt);
    backoff = afterRestart(backoff, finishedAt, now);
    return now / 1000;
  });
}

const cases: [name: string, runs: number[], restartsAt: number[]][] = [
  [
    'first at once, then 10 s doubling to 5 minutes',
    Array(9).fill(0),
    [0, 10, 30, 70, 150, 310, 610, 910, 1210],
  ],
  ['the delay counts from the end of a run', [1, 1, 1], [1, 12, 33]],
  ['a run of more than 10 minutes makes the next restart immediate', [0, 0, 601, 0], [0, 10, 611, 621]],
  ['a run of exactly 10 minutes does not', [0, 0, 600], [0, 10, 630]],
];

for (const [name, runs, expected] of cases) {
  test(name, () => assert.deepEqual(restarts(runs), expected));
}
