import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pauseAfter } from './run-pause.ts';

interface Row {
  readonly name: string;
  readonly pollingMs: number;
  /** Of the run that has ended; it took 10 ms. */
  readonly endedMs: number;
  readonly isArmed?: boolean;
  readonly inForceSinceMs?: number;
  readonly durationMs?: number;
  readonly pauseMs: number;
}

const TABLE: readonly Row[] = [
  { name: 'before the fault', pollingMs: 60_000, endedMs: 0, pauseMs: 60_000 },
  { name: 'while helpers start', pollingMs: 60_000, endedMs: 0, isArmed: true, pauseMs: 1000 },
  { name: 'often by itself', pollingMs: 10, endedMs: 0, isArmed: true, pauseMs: 10 },
  {
    name: 'within the fault',
    pollingMs: 1000,
    endedMs: 0,
    inForceSinceMs: 0,
    durationMs: 6000,
    pauseMs: 1000,
  },
  {
    name: 'one that would outlast the fault',
    pollingMs: 60_000,
    endedMs: 10,
    inForceSinceMs: 0,
    durationMs: 6000,
    pauseMs: 5740,
  },
  {
    name: 'one that would end in its last moments',
    pollingMs: 2900,
    endedMs: 3000,
    inForceSinceMs: 0,
    durationMs: 6000,
    pauseMs: 2750,
  },
  {
    name: 'after the last',
    pollingMs: 60_000,
    endedMs: 5760,
    inForceSinceMs: 0,
    durationMs: 6000,
    pauseMs: 60_000,
  },
  { name: 'short chaos', pollingMs: 60_000, endedMs: 10, inForceSinceMs: 0, durationMs: 400, pauseMs: 290 },
  { name: 'a fault of unknown length', pollingMs: 60_000, endedMs: 10, inForceSinceMs: 0, pauseMs: 60_000 },
];

for (const { name, pollingMs, endedMs, isArmed = false, inForceSinceMs, durationMs, pauseMs } of TABLE) {
  test(name, () => {
    const times = { beganMs: endedMs - 10, endedMs };
    assert.equal(pauseAfter({ pollingMs, times, isArmed, inForceSinceMs, durationMs }), pauseMs);
  });
}
