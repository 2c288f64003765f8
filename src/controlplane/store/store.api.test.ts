import assert from 'node:assert/strict';
import { test } from 'node:test';
import { followChanges, latestChange } from './changes.ts';
import { ACCOUNTS, projectScope } from './store.ts';
import { describeOnEachDatabase } from './testing/databases.ts';

const SETTING = (key: string, value = '') => ({ key, value });

describeOnEachDatabase('the store', (database) => {
  test('a transaction that throws leaves nothing behind, beside others of its batch that stay', async () => {
    const store = await database.store();
    const write = (key: string, fail: boolean): Promise<void> =>
      store.transaction(ACCOUNTS, async (tx) => {
        await tx.db.insertInto('settings').values(SETTING(key)).execute();
        if (fail) throw new Error(`no ${key}`);
      });

    const outcomes = await Promise.allSettled([write('a', false), write('b', true), write('c', false)]);

    assert.deepEqual(
      outcomes.map(({ status }) => status),
      ['fulfilled', 'rejected', 'fulfilled'],
    );
    const rows = await store.read.selectFrom('settings').select('key').orderBy('key').execute();
    assert.deepEqual(
      rows.map(({ key }) => key),
      ['a', 'c'],
    );
  });

  test('transactions of a scope see what those before them have written', async () => {
    const store = await database.store();
    await store.transaction(ACCOUNTS, (tx) =>
      tx.db.insertInto('settings').values(SETTING('n', '0')).execute(),
    );

    await Promise.all(
      Array.from({ length: 200 }, () =>
        store.transaction(ACCOUNTS, async (tx) => {
          const { value } = await tx.db.selectFrom('settings').select('value').executeTakeFirstOrThrow();
          await tx.db
            .updateTable('settings')
            .set({ value: `${Number(value) + 1}` })
            .execute();
        }),
      ),
    );

    const { value } = await store.read.selectFrom('settings').select('value').executeTakeFirstOrThrow();
    assert.equal(value, '200');
  });

  test('a handle that outlives its transaction is refused', async () => {
    const store = await database.store();
    const kept = await store.transaction(ACCOUNTS, async (tx) => tx);

    assert.throws(() => kept.db, /this transaction is over/);
    assert.throws(() => kept.wake('x'), /this transaction is over/);
  });

  test('who follows a project reads what was there, then what comes, in order and once', async () => {
    const store = await database.store();
    const stop = new AbortController();
    const change = (id: string, project = 'p'): Promise<void> =>
      store.transaction(projectScope(project), (tx) => tx.change({ project, kind: 'run', id }));
    await change('before');
    const since = await latestChange(store, 'p');
    await change('1');

    const seen: string[] = [];
    const following = (async () => {
      for await (const changes of followChanges(store, 'p', since, stop.signal)) {
        seen.push(...changes.map(({ id }) => id));
        if (seen.at(-1) === 'last') stop.abort();
      }
    })();
    await Promise.all([change('2'), change('other', 'q')]);
    await change('last');
    await following;

    assert.deepEqual(seen, ['1', '2', 'last']);
  });
});
