import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { test } from 'node:test';
import { termination } from './signals.ts';

test('the first signal aborts; the next one is left to the system, which ends the process', () => {
  const source = new EventEmitter();
  const { signal } = termination({ source });
  source.emit('SIGTERM', 'SIGTERM');
  assert.equal(signal.aborted, true);
  assert.equal(signal.reason.message, 'received SIGTERM');
  assert.deepEqual(source.eventNames(), []);
});

test('while something has to be reverted, further signals are only reported', () => {
  const source = new EventEmitter();
  const further: string[] = [];
  const reason = (name: string): Error => new TypeError(name);
  const { signal, close } = termination({ source, reason, onFurther: (name) => further.push(name) });
  source.emit('SIGTERM', 'SIGTERM');
  source.emit('SIGINT', 'SIGINT');
  assert.ok(signal.reason instanceof TypeError);
  assert.equal(signal.reason.message, 'SIGTERM');
  assert.deepEqual(further, ['SIGINT']);
  close();
  assert.deepEqual(source.eventNames(), []);
});
