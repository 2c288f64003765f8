import assert from 'node:assert/strict';
import { test } from 'node:test';
import { UndoStack } from './undo-stack.ts';

test('all is undone once, the last first, also when some of it fails', async () => {
  const undone: string[] = [];
  const stack = new UndoStack();
  stack.defer(() => undone.push('first'));
  stack.defer(async () => {
    await Promise.resolve();
    undone.push('second');
    throw new Error('no');
  });
  stack.defer(() => undone.push('third'));
  await assert.rejects(stack.disposeAsync(), /^Error: no$/);
  assert.deepEqual(undone, ['third', 'second', 'first']);
  await stack.disposeAsync();
  for (const name of ['a', 'b']) stack.defer(() => Promise.reject(new Error(name)));
  await assert.rejects(stack.disposeAsync(), (error) => {
    assert.ok(error instanceof AggregateError);
    assert.deepEqual(
      error.errors.map((one: Error) => one.message),
      ['b', 'a'],
    );
    return true;
  });
});
