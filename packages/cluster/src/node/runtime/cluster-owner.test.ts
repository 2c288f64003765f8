import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hasOwnerEnded, startTicksOf, thisOwner } from './cluster-owner.ts';

const skip = process.platform === 'linux' ? false : 'needs /proc';

test('this process has not ended; one with its number that began at another time has', { skip }, () => {
  const own = thisOwner();
  assert.deepEqual(
    [
      own,
      { ...own, startTicks: '1' },
      { ...own, pid: 2 ** 30 },
      { ...own, namespace: '1', startTicks: '1' },
      { ...own, namespace: '0', startTicks: '1' },
    ].map(hasOwnerEnded),
    [false, true, true, false, false],
  );
});

test('when a process was started is read whatever its name, and of no zombie', () => {
  const stat = (state: string): string =>
    `42 (a) S b) ${state} 1 42 42 0 -1 4194304 ${'0 '.repeat(12)}98765 1000 2000`;
  assert.deepEqual(
    ['S', 'R', 'T', 'Z', 'X'].map((state) => startTicksOf(stat(state))),
    [...['98765', '98765', '98765'], undefined, undefined],
  );
  assert.equal(startTicksOf(''), undefined);
});
