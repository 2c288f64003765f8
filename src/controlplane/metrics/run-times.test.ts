import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runTimes } from './run-times.ts';

const NODES = { nodes: { a: { startedAt: '20', finishedAt: '30' }, b: { startedAt: '15', finishedAt: '' } } };

for (const [name, completed, account, expected] of [
  ['nothing is told', 0, {}, [1, undefined]],
  ['nothing was told', 1, {}, [1, 99_000]],
  ['a run that runs', 0, { startedAt: '16', ...NODES }, [15_000, undefined]],
  ['one that is over', 1, { startedAt: '10', finishedAt: '40', ...NODES }, [10_000, 40_000]],
  ['one that is stopped, and not reverted yet', 1, { startedAt: '10', ...NODES }, [10_000, 99_000]],
  ['an end before the start', 1, { startedAt: '50', finishedAt: '40' }, [50_000, 50_000]],
  ['no times', 1, { startedAt: 'x', finishedAt: 40, nodes: ['0', { startedAt: '0' }, 1] }, [1, 99_000]],
] as const) {
  test(`when a run was: ${name}`, () => {
    const { startMs, endMs } = runTimes(
      { created_at: 1, updated_at: 99_000, completed },
      JSON.stringify(account),
    );
    assert.deepEqual([startMs, endMs], expected);
  });
}
