import assert from 'node:assert/strict';
import { test } from 'node:test';
import { resultNameOf } from './result-name.ts';

test('a result is named after engine, experiment and instance, as far as there are any', () => {
  const name = (engine: string | undefined, instanceId: string | undefined): string =>
    resultNameOf({ engine, experiment: 'pod-delete', instanceId });
  assert.deepEqual(
    [name('eng', ''), name('eng', 'x1'), name(undefined, undefined), name(undefined, 'x1')],
    ['eng-pod-delete', 'eng-pod-delete-x1', 'pod-delete', 'pod-delete-x1'],
  );
});
