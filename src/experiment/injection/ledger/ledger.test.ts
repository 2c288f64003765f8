import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock } from '@turnsole/kube/testing/fake-clock';
import { applyMergePatch, type MergePatch } from '@turnsole/kube/text/merge-patch';
import fc from 'fast-check';
import { isOpen, LEASE_MARGIN_MS, type LedgerEntry } from '../../../api/index.ts';
import { fault } from '../testing/builders.ts';
import { entriesToForget, type Ledger, markEntry, openEntries, plannedEntry } from './ledger.ts';
import { historyTarget, LedgerBook } from './ledger-book.ts';

const NOW = Date.parse('2030-01-01T00:00:00Z');
const injection = (id: string, name = id) => ({ id, target: { kind: 'pod', name }, parameters: {} });
const planned = (id: string, now = NOW) => plannedEntry('f', injection(id), now, 10_000);

test('an entry begins planned, with a lease beyond its time', () => {
  assert.deepEqual(planned('x'), {
    id: 'x',
    fault: 'f',
    target: { kind: 'pod', name: 'x' },
    parameters: {},
    state: 'planned',
    plannedAt: '2030-01-01T00:00:00.000Z',
    leaseExpiresAt: new Date(NOW + 10_000 + LEASE_MARGIN_MS).toISOString(),
  });
});

test('which state may follow which', async (t) => {
  const states = ['planned', 'injected', 'reverted', 'done', 'failed'] as const;
  const allowed = new Set([
    'planned>injected',
    'planned>reverted',
    'planned>done',
    'planned>failed',
    'injected>reverted',
    'injected>done',
    'injected>failed',
  ]);
  for (const from of states) {
    for (const to of states) {
      await t.test(`${from} to ${to}`, () => {
        const marked = markEntry({ ...planned('x'), state: from }, to, NOW + 1);
        assert.equal(marked.state, allowed.has(`${from}>${to}`) ? to : from);
      });
    }
  }
});

test('a closed entry never opens again, in whatever order it is marked', () => {
  const state = fc.constantFrom<LedgerEntry['state']>('planned', 'injected', 'reverted', 'done', 'failed');
  fc.assert(
    fc.property(fc.array(state), (states) => {
      let entry = planned('x');
      let closed = false;
      for (const [index, next] of states.entries()) {
        entry = markEntry(entry, next, NOW + index);
        assert.ok(!(closed && isOpen(entry)));
        closed ||= !isOpen(entry);
      }
    }),
  );
});

test('times of what happened', () => {
  const injected = markEntry(planned('x'), 'injected', NOW + 1_000);
  const reverted = markEntry(injected, 'reverted', NOW + 2_000, 'well');
  assert.deepEqual(
    [reverted.injectedAt, reverted.revertedAt, reverted.message],
    ['2030-01-01T00:00:01.000Z', '2030-01-01T00:00:02.000Z', 'well'],
  );
});

test('the oldest closed entries are forgotten, open ones never', () => {
  const done = (id: string, age: number) => markEntry(planned(id, NOW - age), 'done', NOW);
  const ledger: Ledger = { a: done('a', 3), b: done('b', 9), c: planned('c', NOW - 99), d: done('d', 1) };
  assert.deepEqual(entriesToForget(ledger, 2), ['b']);
  assert.deepEqual(entriesToForget(ledger, 0), ['b', 'a', 'd']);
  assert.deepEqual(entriesToForget(ledger), []);
  assert.deepEqual(
    openEntries(ledger).map(({ id }) => id),
    ['c'],
  );
  assert.deepEqual(openEntries(undefined), []);
});

function book(shape: 'pulse' | 'sustained', historyOwner = false) {
  let stored: MergePatch = {};
  const ledger = new LedgerBook({
    fault: fault({
      shape,
      ...(historyOwner ? { historyTarget: () => ({ kind: 'deployment', name: 'web' }) } : {}),
    }),
    clock: new FakeClock(NOW),
    holdMs: 0,
    sink: {
      write: async (patch) => {
        stored = applyMergePatch(stored, patch);
      },
    },
  });
  return { ledger, stored: () => stored };
}

test('what a book stores is what it knows', async () => {
  const { ledger, stored } = book('sustained');
  await ledger.plan([injection('a'), injection('b')]);
  await ledger.mark(['a', 'unknown'], 'injected');
  await ledger.mark(['a'], 'reverted');
  await ledger.mark(['a'], 'injected');
  assert.deepEqual(stored().status, { ledger: ledger.ledger });
  assert.deepEqual(stored().metadata, { annotations: { 'pod/a': 'reverted' } });
  assert.deepEqual(
    ledger.open.map(({ id }) => id),
    ['b'],
  );
});

test('a mark that could not be stored goes out with the next one, also when that says the same', async () => {
  const sent: MergePatch[] = [];
  let isOut = true;
  const ledger = new LedgerBook({
    fault: fault({ shape: 'sustained' }),
    clock: new FakeClock(NOW),
    holdMs: 0,
    sink: {
      write: async (patch) => {
        if (isOut && sent.length > 0) throw new Error('out of reach');
        sent.push(patch);
      },
    },
  });
  await ledger.plan([injection('a'), injection('b')]);
  await assert.rejects(ledger.mark(['a'], 'reverted'), /out of reach/);
  await assert.rejects(ledger.mark(['a'], 'reverted'), /out of reach/);
  isOut = false;
  await ledger.mark(['b'], 'injected');
  await ledger.mark(['a'], 'reverted');
  const { a, b } = ledger.ledger;
  assert.equal(a?.state, 'reverted');
  assert.deepEqual(sent.slice(1), [
    { status: { ledger: { a, b } }, metadata: { annotations: { 'pod/a': 'reverted', 'pod/b': 'injected' } } },
  ]);
});

test('several pods of one workload are one target of the history', async () => {
  const { ledger, stored } = book('pulse', true);
  await ledger.plan([injection('a'), injection('b')]);
  await ledger.mark(['a', 'b'], 'done');
  assert.deepEqual(ledger.targets, [{ kind: 'deployment', name: 'web', chaosStatus: 'targeted' }]);
  assert.deepEqual(stored().metadata, { annotations: { 'deployment/web': 'targeted' } });
});

test('a name too long for an annotation stands in ledger and history only', async () => {
  const { ledger, stored } = book('pulse');
  const name = 'x'.repeat(64);
  await ledger.plan([injection('a', name)]);
  await ledger.mark(['a'], 'done');
  assert.equal(stored().metadata, undefined);
  assert.equal(ledger.targets[0]?.name, name);
  assert.deepEqual(historyTarget({}, injection('a')), { kind: 'pod', name: 'a' });
  assert.equal(historyTarget({ historyTarget: () => undefined }, injection('a')), undefined);
});

test('what helpers wrote is taken over with its targets', () => {
  const { ledger } = book('pulse');
  ledger.absorb([markEntry(planned('a'), 'done', NOW), planned('b')]);
  assert.deepEqual(
    ledger.targets.map(({ name }) => name),
    ['a'],
  );
  assert.deepEqual(
    ledger.open.map(({ id }) => id),
    ['b'],
  );
});

test('what could not be stored is stored once more when it is asked for, and then no more', async () => {
  const stored: unknown[] = [];
  let isDown = false;
  const sink = {
    write: async (patch: unknown): Promise<void> => {
      if (isDown) throw new Error('out of reach');
      stored.push(patch);
    },
  };
  const book = new LedgerBook({
    fault: { name: 'f', shape: 'pulse' },
    sink,
    clock: new FakeClock(),
    holdMs: 0,
  });
  await book.plan([{ id: 'a', target: { kind: 'pod', name: 'web' }, parameters: {} }]);
  isDown = true;
  await assert.rejects(book.mark(['a'], 'done'), /out of reach/);
  isDown = false;
  await book.storeAgain();
  assert.match(JSON.stringify(stored.at(-1)), /"state":"done"/);
  const { length } = stored;
  await book.storeAgain();
  assert.equal(stored.length, length);
});
