import assert from 'node:assert/strict';
import { test } from 'node:test';
import { StoreUnavailableError } from './errors.ts';
import { Gatherer } from './gatherer.ts';
import type { Tx } from './transaction.ts';

/** A store whose turns are given by hand. */
function busyStore() {
  const turns: (() => void)[] = [];
  const transaction = async <T>(_scope: string, run: (tx: Tx) => Promise<T>): Promise<T> => {
    await new Promise<void>((resolve) => turns.push(resolve));
    // The work of these tests touches nothing of it.
    return run({} as Tx);
  };
  return { store: { transaction }, turns };
}

test('what comes while a scope is busy is done together and in order, the rest in the next turn', async () => {
  const { store, turns } = busyStore();
  const handed: string[][] = [];
  const gatherer = new Gatherer(store, async (_tx, items: readonly string[]) => {
    handed.push([...items]);
    return items.map((item) => item.toUpperCase());
  });
  const [first, second, other] = [gatherer.do('p', 'a'), gatherer.do('p', 'b'), gatherer.do('q', 'x')];
  turns.shift()?.();
  assert.deepEqual(await Promise.all([first, second]), ['A', 'B']);
  const late = gatherer.do('p', 'c');
  for (const turn of turns.splice(0)) turn();
  assert.deepEqual(await Promise.all([other, late]), ['X', 'C']);
  assert.deepEqual(handed, [['a', 'b'], ['x'], ['c']]);
});

test('work that fails does not fail the other work of its batch', async () => {
  const gatherer = new Gatherer(
    { transaction: (_scope, run) => Promise.resolve().then(() => run({} as Tx)) },
    async (_tx, items: readonly number[]) => {
      if (items.includes(2)) throw new Error('two is taken');
      return items;
    },
  );
  const ends = await Promise.allSettled([1, 2, 3].map((item) => gatherer.do('p', item)));
  assert.deepEqual(
    ends.map((end) => (end.status === 'fulfilled' ? end.value : String(end.reason))),
    [1, 'Error: two is taken', 3],
  );
});

test('a database that is away is asked once for all who waited', async () => {
  let asked = 0;
  const gatherer = new Gatherer(
    {
      transaction: async () => {
        asked += 1;
        throw new StoreUnavailableError('away');
      },
    },
    async (_tx, items: readonly number[]) => items,
  );
  const ends = await Promise.allSettled([1, 2].map((item) => gatherer.do('p', item)));
  assert.deepEqual(
    ends.map(({ status }) => status),
    ['rejected', 'rejected'],
  );
  assert.equal(asked, 1);
});
