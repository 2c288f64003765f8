import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type LockRequest, LockTable } from './lock-table.ts';

const MUTEX = { name: 'n/Mutex/m', limit: 1 };
const PAIR = { name: 'n/ConfigMap/c/k', limit: 2 };

const request = (holder: string, createdAt: number, locks = [MUTEX], priority = 0): LockRequest => ({
  holder,
  locks,
  priority,
  createdAt,
});

const HELD = { kind: 'held' };
const waiting = (lock = MUTEX, status = '0/1') => ({
  kind: 'waiting',
  lock: lock.name,
  message: `Waiting for ${lock.name} lock. Lock status: ${status}`,
});

test('one holds a mutex, the others wait in order of priority and age', () => {
  const table = new LockTable();
  assert.deepEqual(table.acquire(request('n/a', 1)), HELD);
  assert.deepEqual(table.acquire(request('n/young', 3)), waiting());
  assert.deepEqual(table.acquire(request('n/old', 2)), waiting());
  assert.deepEqual(table.acquire(request('n/urgent', 4, [MUTEX], 1)), waiting());
  assert.deepEqual(
    table.waiting().map(({ holder }) => holder),
    ['n/urgent', 'n/old', 'n/young'],
  );
  table.release((holder) => holder === 'n/a');
  assert.deepEqual(table.acquire(request('n/old', 2)), waiting(MUTEX, '1/1'));
  assert.deepEqual(table.acquire(request('n/urgent', 4, [MUTEX], 1)), HELD);
});

test('who holds a lock and asks again holds it', () => {
  const table = new LockTable();
  assert.deepEqual(table.acquire(request('n/a', 1)), HELD);
  assert.deepEqual(table.acquire(request('n/a', 1)), HELD);
});

test('all locks of a request are held or none', () => {
  const table = new LockTable();
  assert.deepEqual(table.acquire(request('n/a', 1, [MUTEX])), HELD);
  assert.deepEqual(table.acquire(request('n/b', 2, [PAIR, MUTEX])), waiting());
  assert.deepEqual(table.holders(PAIR.name), []);
  table.release((holder) => holder === 'n/a');
  assert.deepEqual(table.acquire(request('n/b', 2, [PAIR, MUTEX])), HELD);
  assert.deepEqual([table.holders(PAIR.name), table.holders(MUTEX.name)], [['n/b'], ['n/b']]);
});

test('a semaphore has as many places as its limit, and more when it grows', () => {
  const table = new LockTable();
  for (const at of [1, 2]) assert.deepEqual(table.acquire(request(`n/${at}`, at, [PAIR])), HELD);
  const third = request('n/3', 3, [PAIR]);
  assert.deepEqual(table.acquire(third), waiting(PAIR, '0/2'));
  table.setLimit(PAIR.name, 3);
  assert.deepEqual(table.take(third), HELD);
});

test('a holder of before a restart counts, and one that waits and goes leaves the line', () => {
  const table = new LockTable();
  table.restore(MUTEX.name, 'n/a');
  assert.deepEqual(table.acquire(request('n/b', 1)), waiting());
  assert.deepEqual(table.acquire(request('n/c', 2)), waiting());
  table.release((holder) => holder === 'n/b');
  table.release((holder) => holder === 'n/a');
  assert.deepEqual(table.take(request('n/c', 2)), HELD);
});

test('tells how locks are in use, and of each that is taken', () => {
  const taken: string[] = [];
  const table = new LockTable((name) => taken.push(name));
  table.restore(MUTEX.name, 'n/before');
  table.acquire(request('n/a', 1));
  table.acquire(request('n/b', 2, [PAIR]));
  table.acquire(request('n/c', 3, [PAIR]));
  table.acquire(request('n/c', 3, [PAIR]));
  assert.deepEqual(table.uses(), [
    { name: MUTEX.name, held: 1, pending: 1 },
    { name: PAIR.name, held: 2, pending: 0 },
  ]);
  assert.deepEqual(taken, [PAIR.name, PAIR.name]);
  table.release((holder) => holder !== 'n/before');
  assert.deepEqual(table.uses(), [{ name: MUTEX.name, held: 1, pending: 0 }]);
});
