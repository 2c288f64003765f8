import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { CompactedError, FutureRevisionError, ObjectTooLargeError, StoreInvariantError } from './errors.ts';
import { Store } from './store.ts';
import { checkStore } from './testing/self-check.ts';
import type { Change, JournalListener, Version } from './types.ts';

const TABLE = 'things';

function object(
  name: string,
  namespace = 'ns',
  value = 0,
): { metadata: { name: string; namespace: string }; value: number } {
  return { metadata: { name, namespace }, value };
}

function present(store: Store, name: string, namespace = 'ns'): Version {
  const version = store.get(TABLE, namespace, name);
  assert.ok(version);
  return version;
}

describe('Store', () => {
  it('numbers every change of every table with one revision', () => {
    const store = new Store();
    assert.equal(store.create('a', object('x')).revision, 2);
    assert.equal(store.create('b', object('x')).revision, 3);
    const [version] = store.list('a').versions;
    assert.ok(version);
    const updated = store.update('a', version, object('x'));
    assert.equal(updated.object.metadata.resourceVersion, '4');
    assert.deepEqual(checkStore(store), []);
  });

  it('lists in the order of namespace and name, whatever came first', () => {
    const store = new Store();
    for (const [namespace, name] of [
      ['b', 'z'],
      ['a', 'y'],
      ['b', 'a'],
      ['a', 'x'],
    ] as const) {
      store.create(TABLE, object(name, namespace));
    }
    assert.deepEqual(
      store.list(TABLE).versions.map(({ key }) => key),
      ['a/x', 'a/y', 'b/a', 'b/z'],
    );
    assert.deepEqual(
      store.list(TABLE, 'b').versions.map(({ key }) => key),
      ['b/a', 'b/z'],
    );
  });

  it('refuses a write over a version that is not the present one', () => {
    const store = new Store();
    const first = store.create(TABLE, object('x'));
    store.update(TABLE, first, object('x'));
    assert.throws(() => store.update(TABLE, first, object('x')), StoreInvariantError);
    assert.throws(() => store.delete(TABLE, first, object('x')), StoreInvariantError);
    assert.throws(() => store.create(TABLE, object('x')), StoreInvariantError);
  });

  it('refuses a write by a watcher, and stays whole', () => {
    const store = new Store();
    store.watch({ table: TABLE, after: store.revision, onChange: () => store.create('other', object('y')) });
    assert.throws(() => store.create(TABLE, object('x')), StoreInvariantError);
    assert.deepEqual(checkStore(store), []);
  });

  it('gives the journal each change before anybody sees it, and changes nothing when the journal fails', () => {
    const seen: string[] = [];
    const store = new Store({
      journal: {
        connect: () => {},
        append: ({ type, version }) => {
          seen.push(`${type} ${version.key} ${version.revision}`);
          if (version.name === 'bad') throw new Error('disk full');
        },
      },
    });
    store.create(TABLE, object('good'));
    assert.throws(() => store.create(TABLE, object('bad')), /disk full/);
    assert.equal(store.revision, 2);
    assert.equal(store.get(TABLE, 'ns', 'bad'), undefined);
    assert.deepEqual(seen, ['ADDED ns/good 2', 'ADDED ns/bad 3']);
  });

  it('resumes a watch after any revision that is kept, and refuses others', () => {
    const store = new Store();
    for (let index = 0; index < 5; index += 1) store.create(TABLE, object(`o${index}`));
    const names: string[] = [];
    store.watch({ table: TABLE, after: 4, onChange: ({ version }) => names.push(version.name) });
    assert.deepEqual(names, ['o3', 'o4']);
    store.compact(4);
    assert.throws(() => store.watch({ table: TABLE, after: 3, onChange: () => undefined }), CompactedError);
    assert.throws(
      () => store.watch({ table: TABLE, after: 99, onChange: () => undefined }),
      FutureRevisionError,
    );
    store.watch({ table: TABLE, after: 4, onChange: () => undefined });
  });

  it('forgets large changes before their number is reached', () => {
    const store = new Store({ historyLimit: 100, historySizeLimit: 10_000 });
    const large = (value: number): ReturnType<typeof object> & { text: string } => ({
      ...object('x', 'ns', value),
      text: 'x'.repeat(1_000),
    });
    store.create(TABLE, large(0));
    for (let index = 1; index < 50; index += 1) {
      store.update(TABLE, present(store, 'x'), large(index));
      assert.ok(store.history(TABLE).size < 12_500);
      assert.deepEqual(checkStore(store), []);
    }
    // A single one is kept whatever its size: watchers that are up to date resume after it.
    assert.ok(store.history(TABLE).changes.length >= 8);
    assert.throws(() => store.listAt(TABLE, 20), CompactedError);
    store.create('small', object('x'));
    assert.equal(store.history('small').compacted, 0);
  });

  it('counts the size of its history when changes are taken back', () => {
    let listener: JournalListener | undefined;
    const store = new Store({
      journal: {
        connect: (given) => {
          listener = given;
        },
        append: () => undefined,
      },
    });
    store.create(TABLE, object('a'));
    listener?.durable(store.revision);
    const { size } = store.history(TABLE);
    store.create(TABLE, object('b'));
    store.create(TABLE, object('c'));
    listener?.failed(new Error('disk full'));
    assert.equal(store.history(TABLE).size, size);
    assert.deepEqual(checkStore(store), []);
  });

  it('refuses objects over the limit in bytes, and changes nothing', () => {
    const store = new Store({ objectLimitBytes: 1_000 });
    const wide = { ...object('x'), text: 'ä'.repeat(480) };
    assert.throws(() => store.create(TABLE, wide), ObjectTooLargeError);
    assert.deepEqual([store.revision, store.count(TABLE)], [1, 0]);
    const narrow = { ...object('x'), text: 'a'.repeat(480) };
    store.create(TABLE, narrow);
    assert.throws(() => store.update(TABLE, present(store, 'x'), wide), ObjectTooLargeError);
    // What is there can always be removed.
    store.delete(TABLE, present(store, 'x'), wide);
    assert.deepEqual(checkStore(store), []);
  });

  it('lists at an old revision until it is compacted', () => {
    const store = new Store();
    store.create(TABLE, object('a', 'ns', 1));
    const at = store.create(TABLE, object('b', 'ns', 1)).revision;
    store.update(TABLE, present(store, 'a'), object('a', 'ns', 2));
    store.delete(TABLE, present(store, 'b'), object('b', 'ns', 1));
    store.create(TABLE, object('c'));
    assert.deepEqual(
      store.listAt(TABLE, at).versions.map(({ object: found }) => found),
      [
        { metadata: { name: 'a', namespace: 'ns', resourceVersion: '2' }, value: 1 },
        { metadata: { name: 'b', namespace: 'ns', resourceVersion: '3' }, value: 1 },
      ],
    );
    store.compact(at + 1);
    assert.throws(() => store.listAt(TABLE, at), CompactedError);
    assert.throws(() => store.listAt(TABLE, 1000), FutureRevisionError);
  });
});

/** What a random run may do. */
type Step =
  | { readonly do: 'write'; readonly name: string; readonly namespace: string }
  | { readonly do: 'delete'; readonly name: string; readonly namespace: string }
  | { readonly do: 'watch'; readonly back: number; readonly namespace: string | undefined }
  | { readonly do: 'stop'; readonly index: number }
  | { readonly do: 'compact'; readonly back: number };

const names = fc.constantFrom('a', 'b', 'c', 'd');
const namespaces = fc.constantFrom('n1', 'n2');
const steps: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({ do: fc.constant('write' as const), name: names, namespace: namespaces }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant('delete' as const), name: names, namespace: namespaces }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('watch' as const),
      back: fc.nat(12),
      namespace: fc.option(namespaces, { nil: undefined }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('stop' as const), index: fc.nat(5) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('compact' as const), back: fc.nat(6) }) },
);

interface Running {
  readonly from: number;
  readonly namespace: string | undefined;
  readonly received: Change[];
  readonly stop: () => void;
  stoppedAt: number | undefined;
}

describe('watches of the store, under random schedules', () => {
  it('see every change of their scope exactly once, in order, from the revision they resumed at', () => {
    fc.assert(
      fc.property(
        fc.array(steps, { maxLength: 120 }),
        fc.integer({ min: 4, max: 20 }),
        (schedule, historyLimit) => {
          const store = new Store({ historyLimit });
          const all: Change[] = [];
          store.observe(TABLE, (change) => all.push(change));
          const watches: Running[] = [];
          for (const step of schedule) run(store, step, watches);
          for (const { from, namespace, received, stoppedAt } of watches) {
            const expected = all.filter(
              ({ revision, version }) =>
                revision > from &&
                revision <= (stoppedAt ?? Number.POSITIVE_INFINITY) &&
                (namespace === undefined || version.namespace === namespace),
            );
            assert.deepEqual(received, expected);
          }
          assert.deepEqual(checkStore(store), []);
        },
      ),
      { numRuns: 300 },
    );
  });

  it('rebuild the present state when their changes are folded over the list they began with', () => {
    fc.assert(
      fc.property(fc.array(steps, { maxLength: 80 }), fc.nat(40), (schedule, begin) => {
        const store = new Store();
        const state = new Map<string, Version>();
        for (const [index, step] of schedule.entries()) {
          if (index === begin) {
            const { revision, versions } = store.list(TABLE);
            for (const version of versions) state.set(version.key, version);
            store.watch({
              table: TABLE,
              after: revision,
              onChange: ({ type, version }) => {
                if (type === 'DELETED') state.delete(version.key);
                else state.set(version.key, version);
              },
            });
          }
          run(store, step, []);
        }
        if (begin >= schedule.length) return;
        assert.deepEqual(
          [...state.values()].map(({ key }) => key).sort(),
          store.list(TABLE).versions.map(({ key }) => key),
        );
        for (const version of state.values())
          assert.equal(store.get(TABLE, version.namespace, version.name), version);
      }),
      { numRuns: 300 },
    );
  });
});

function run(store: Store, step: Step, watches: Running[]): void {
  switch (step.do) {
    case 'write': {
      const found = store.get(TABLE, step.namespace, step.name);
      if (found === undefined) store.create(TABLE, object(step.name, step.namespace));
      else store.update(TABLE, found, object(step.name, step.namespace, found.revision));
      return;
    }
    case 'delete': {
      const found = store.get(TABLE, step.namespace, step.name);
      if (found !== undefined) store.delete(TABLE, found, object(step.name, step.namespace));
      return;
    }
    case 'watch': {
      const from = Math.max(1, store.revision - step.back);
      const received: Change[] = [];
      const { namespace } = step;
      try {
        const stop = store.watch({
          table: TABLE,
          after: from,
          ...(namespace === undefined ? {} : { namespace }),
          onChange: (change) => received.push(change),
        });
        watches.push({ from, namespace, received, stop, stoppedAt: undefined });
      } catch (error) {
        assert.ok(error instanceof CompactedError && error.compacted > from);
        assert.deepEqual(received, []);
      }
      return;
    }
    case 'stop': {
      const watch = watches[step.index];
      if (watch === undefined || watch.stoppedAt !== undefined) return;
      watch.stop();
      watch.stoppedAt = store.revision;
      return;
    }
    case 'compact':
      store.compact(Math.max(1, store.revision - step.back));
  }
}
