import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock } from '@turnsole/kube/testing/fake-clock';
import { Rests } from './large-state-pauses.ts';
import type { RunEvent } from './run-event.ts';
import { readStoredEvent, storedEvent } from './stored-event.ts';

const MIB = 1024 * 1024;

test('a run rests for as long as its state is large, and not after its last one', async () => {
  const clock = new FakeClock();
  const rests = new Rests(clock);
  rests.begin('small', 1_000, false);
  rests.begin('large', MIB, false);
  assert.deepEqual([rests.msLeft('small'), rests.msLeft('large'), rests.msLeft('other')], [0, 1_000, 0]);
  await clock.advance(600);
  assert.equal(rests.msLeft('large'), 400);
  await clock.advance(600);
  assert.equal(rests.msLeft('large'), 0);
  rests.begin('large', 2 * MIB, false);
  assert.equal(rests.msLeft('large'), 2_000);
  rests.begin('large', 2 * MIB, true);
  assert.equal(rests.msLeft('large'), 0);
});

test('a stored event comes back as it was, whatever its texts hold', () => {
  const event = {
    uid: 'u',
    name: 'two\nlines',
    finishedAt: '1',
    notifyID: null,
    message: '\n"ü"',
  } as RunEvent;
  const json = Buffer.from(JSON.stringify(event));
  const { head, json: read } = readStoredEvent(storedEvent(event, json));
  assert.deepEqual([head.name, head.uid, head.notifyID, head.isOver], ['two\nlines', 'u', null, true]);
  assert.ok(read.equals(json));
});
