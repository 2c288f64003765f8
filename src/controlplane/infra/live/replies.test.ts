import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readNames, readObjects } from './kube-lists.ts';
import { isLastPiece } from './pod-logs.ts';

for (const [log, expected] of [
  ['{"mainLogs":"x"}', true],
  [' Could not get logs ', true],
  ['{"mainLogs":"x","piece":0,"isLast":false}', false],
  ['{"mainLogs":"","piece":4,"isLast":true}', true],
] as const) {
  test(`log ${log} is ${expected ? '' : 'not '}the last of its request`, () =>
    assert.equal(isLastPiece(log), expected));
}

test('objects that an agent could not list are none', () => {
  assert.deepEqual(readObjects('{"namespace":"litmus","data":null}'), { namespace: 'litmus', data: [] });
  assert.deepEqual(readObjects('{"namespace":"a","data":[null,{"name":"b","labels":null}]}'), {
    namespace: 'a',
    data: [{ name: 'b', labels: [], service: null }],
  });
});

test('what is no answer is refused', () => {
  for (const read of [() => readObjects('x'), () => readNames('{}'), () => readNames('')]) {
    assert.throws(read, { name: 'Refusal', code: 'unavailable' });
  }
});
