import assert from 'node:assert/strict';
import { test } from 'node:test';
import { afterEvent, type Connection, type ConnectionEvent, mayPass, waitBeforeTry } from './connection.ts';

const WAYS: readonly [name: string, events: ConnectionEvent[], state: Connection][] = [
  ['nothing came yet', ['opened'], { state: 'connecting' }],
  ['something came', ['opened', 'received'], { state: 'live' }],
  ['the server is gone', ['opened', 'received', 'lost'], { state: 'away', sinceMs: 2 }],
  ['it was never there', ['lost', 'lost'], { state: 'away', sinceMs: 0 }],
  ['it is back', ['opened', 'received', 'lost', 'opened'], { state: 'catching-up' }],
  ['it is back and has told what was missed', ['lost', 'opened', 'received'], { state: 'live' }],
];
for (const [name, events, state] of WAYS) {
  test(`a connection: ${name}`, () => {
    let connection: Connection = { state: 'connecting' };
    for (const [index, event] of events.entries()) connection = afterEvent(connection, event, index);
    assert.deepEqual(connection, state);
  });
}

test('a connection that is live stays the same object at each further item, so that no view is drawn for it', () => {
  const live: Connection = { state: 'live' };
  assert.equal(afterEvent(live, 'received', 1), live);
});

test('tries come less and less often, never at the same time, and never cease', () => {
  assert.deepEqual(
    [0, 1, 2, 10, 10_000].map((tries) => waitBeforeTry(tries, 1)),
    [500, 1000, 2000, 15_000, 15_000],
  );
  assert.equal(waitBeforeTry(0, 0), 250);
});

test('a request is tried again after errors that may pass, not after refusals', () => {
  const codes = [
    'away',
    'unavailable',
    'timed-out',
    'too-many',
    'forbidden',
    'not-found',
    'unauthenticated',
    'invalid',
  ];
  assert.deepEqual(codes.filter(mayPass), ['away', 'unavailable', 'timed-out', 'too-many']);
});
