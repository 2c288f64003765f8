import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EventTrackerPolicy, PolicyTrigger } from '../../../api/index.ts';
import { firstStatus, mirrorOf, withEnd, withoutOldTriggers } from './trigger-list.ts';

const NOW = Date.parse('2030-01-02T03:04:05Z');

function trigger(id: string, state: string): PolicyTrigger {
  const time = '2030-01-02T03:04:05Z';
  return {
    id,
    time,
    resource: 'Deployment',
    namespace: 'shop',
    name: 'web',
    experimentID: 'e',
    reason: '',
    state,
  };
}

test('of those that are over the last 20 are kept, of those that wait all', () => {
  const all = Array.from({ length: 100 }, (_, index) =>
    trigger(`${index}`, index % 2 === 0 ? 'Pending' : 'Sent'),
  );
  const kept = withoutOldTriggers(all);
  assert.equal(kept.filter(({ state }) => state === 'Pending').length, 50);
  assert.deepEqual(
    kept.filter(({ state }) => state === 'Sent').map(({ id }) => Number(id)),
    Array.from({ length: 20 }, (_, index) => 61 + 2 * index),
  );
});

test('an end is noted once, and what is over stays over', () => {
  const status = { triggers: [trigger('a', 'Pending'), trigger('b', 'Sent')] };
  const ended = withEnd(status, 'a', { state: 'Sent', message: 'ok' }, NOW);
  assert.deepEqual(ended.triggers?.[0], {
    ...trigger('a', 'Sent'),
    message: 'ok',
    endTime: '2030-01-02T03:04:05Z',
  });
  assert.equal(withEnd(ended, 'a', { state: 'Refused', message: 'no' }, NOW), ended);
  assert.equal(withEnd(status, 'none', { state: 'Sent', message: '' }, NOW), status);
});

test('the reason why a trigger waits is written only when it changes', () => {
  const status = { triggers: [trigger('a', 'Pending')] };
  const waits = withEnd(status, 'a', { state: 'Pending', message: 'no server' }, NOW);
  assert.equal(waits.triggers?.[0]?.message, 'no server');
  assert.equal(withEnd(waits, 'a', { state: 'Pending', message: 'no server' }, NOW), waits);
});

test("the mirror is upstream's form, with Go's time", () => {
  assert.deepEqual(mirrorOf([trigger('a', 'Pending'), trigger('b', 'Sent')]), [
    {
      time_stamp: 'Wednesday, 02-Jan-30 03:04:05 UTC',
      ...{
        resource: 'Deployment',
        resource_name: 'web',
        result: 'ConditionPassed',
        experiment_id: 'e',
        is_triggered: 'false',
      },
    },
    {
      time_stamp: 'Wednesday, 02-Jan-30 03:04:05 UTC',
      ...{
        resource: 'Deployment',
        resource_name: 'web',
        result: 'ConditionPassed',
        experiment_id: 'e',
        is_triggered: 'true',
      },
    },
  ]);
});

test("what upstream's tracker has left to be sent is taken over, once", () => {
  const [left, sent] = mirrorOf([trigger('a', 'Pending'), trigger('b', 'Sent')]);
  const metadata = { name: 'p', uid: 'u' };
  const policy = {
    metadata,
    statuses: [sent, left, { result: 'ConditionPassed', is_triggered: 'false' }],
  } as EventTrackerPolicy;
  const status = firstStatus(policy, NOW);
  assert.deepEqual(
    status.triggers?.map(({ name, state, experimentID }) => [name, state, experimentID]),
    [['web', 'Pending', 'e']],
  );
  assert.deepEqual(firstStatus(policy, NOW + 1), status);
  assert.deepEqual(firstStatus({ metadata } as EventTrackerPolicy, NOW), {});
});
