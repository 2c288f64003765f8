import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ApiError } from '../client/errors.ts';
import { type KubeObject, objectKey } from '../kinds/core.ts';
import { PODS } from '../kinds/resources.ts';
import { FakeClock } from '../testing/fake-clock.ts';
import { HistoryServer } from '../testing/history-server.ts';
import { Informer, type InformerOptions } from './informer.ts';
import { indexByLabel, indexByNamespace, indexByOwnerUid } from './store.ts';

function setUp(options: Partial<InformerOptions<KubeObject>> = {}) {
  const clock = new FakeClock();
  const server = new HistoryServer();
  const informer = new Informer<KubeObject>({
    client: server.client,
    resource: PODS,
    clock,
    random: () => 0.5,
    ...options,
  });
  const events: string[] = [];
  informer.addHandler({
    onAdd: (object, isInitial) => events.push(`add ${object.metadata.name}${isInitial ? ' (initial)' : ''}`),
    onUpdate: (object) => events.push(`update ${object.metadata.name}`),
    onDelete: (object) => events.push(`delete ${object.metadata.name}`),
  });
  return { clock, server, informer, events };
}

test('lists, then follows; late subscribers hear what is there', async () => {
  const { clock, server, informer, events } = setUp();
  server.put('a');
  assert.equal(informer.state, 'idle');
  assert.equal(informer.hasSynced, false);
  informer.start();
  assert.equal(informer.state, 'list');
  await informer.whenSynced();
  assert.equal(informer.hasSynced, true);
  await clock.advance(0);
  assert.equal(informer.state, 'watch');
  server.put('b');
  server.put('a');
  server.remove('a');
  await clock.advance(0);
  assert.deepEqual(events, ['add a (initial)', 'add b', 'update a', 'delete a']);
  const late: string[] = [];
  const leave = informer.addHandler({ onAdd: (object) => late.push(object.metadata.name) });
  leave();
  server.put('c');
  await clock.advance(0);
  assert.deepEqual(late, ['b']);
  await informer.stop();
  assert.equal(informer.state, 'stopped');
  assert.equal(server.openWatches, 0);
  assert.equal(clock.pending, 0);
});

test('a broken watch goes on from the last version, bookmarks included; nothing is listed again', async () => {
  const { clock, server, informer, events } = setUp();
  informer.start();
  await clock.advance(0);
  server.put('a');
  server.bookmark();
  await clock.advance(0);
  server.compact();
  server.drop();
  await clock.advance(0);
  assert.equal(informer.state, 'wait');
  server.put('b');
  await clock.advance(30_000);
  assert.equal(informer.state, 'watch');
  assert.deepEqual(events, ['add a', 'add b']);
  assert.equal(server.lists, 1);
  await informer.stop();
});

test('a lost position: lists again at once and reports the difference', async () => {
  const { clock, server, informer, events } = setUp();
  for (const name of ['kept', 'changed', 'removed', 'recreated']) server.put(name);
  informer.start();
  await clock.advance(0);
  server.put('kept');
  await clock.advance(0);
  events.length = 0;
  server.drop();
  await clock.advance(0);
  server.put('changed');
  server.remove('removed');
  server.remove('recreated');
  server.put('recreated');
  server.put('new');
  server.compact();
  await clock.advance(30_000);
  assert.equal(server.lists, 2);
  assert.deepEqual(events, [
    'delete removed',
    'update changed',
    'delete recreated',
    'add recreated',
    'add new',
  ]);
  await informer.stop();
});

test('a server that refuses is asked less and less often; the reason is kept until it gives way', async () => {
  const warnings: unknown[] = [];
  const { clock, server, informer } = setUp({
    logger: {
      debug: () => {},
      info: () => {},
      warn: (fields: unknown) => void warnings.push(fields),
      error: () => {},
      child() {
        return this;
      },
    },
  });
  const forbidden = new ApiError('GET /api/v1/pods', 403, { reason: 'Forbidden' });
  server.failures.list.push(forbidden, forbidden, forbidden);
  informer.start();
  await clock.advance(0);
  assert.equal(informer.state, 'wait');
  assert.equal(informer.lastError, forbidden);
  const waits: (number | undefined)[] = [];
  while (!informer.hasSynced) {
    waits.push(clock.nextInMs);
    await clock.advance(clock.nextInMs ?? 0);
  }
  assert.deepEqual(waits, [100, 200, 400]);
  assert.deepEqual(warnings, [{ detail: forbidden.message, during: 'list' }], 'once, and without a stack');
  assert.equal(informer.lastError, undefined);
  await informer.stop();
});

test('a role that may list and not watch is logged once, although each try is another request', async () => {
  const warnings: unknown[] = [];
  const { clock, server, informer } = setUp({
    logger: {
      debug: () => {},
      info: () => {},
      warn: (fields: unknown) => void warnings.push(fields),
      error: () => {},
      child() {
        return this;
      },
    },
  });
  const refusedAt = (version: number): ApiError =>
    new ApiError(`GET /api/v1/pods?watch=true&resourceVersion=${version}`, 403, {
      reason: 'Forbidden',
      message: 'pods is forbidden: User "sa" cannot watch resource "pods"',
    });
  server.failures.watch.push(refusedAt(1), refusedAt(2), refusedAt(3));
  informer.start();
  await clock.advance(0);
  for (let count = 0; count < 3; count++) await clock.advance(clock.nextInMs ?? 0);
  assert.equal(server.failures.watch.length, 0);
  assert.deepEqual(warnings, [{ detail: refusedAt(1).message, during: 'watch' }]);
  await informer.stop();
});

test('a server that ends each watch at once is not asked in a tight loop', async () => {
  const { clock, server, informer } = setUp();
  informer.start();
  await clock.advance(0);
  for (let count = 0; count < 5; count++) {
    server.endWatches();
    await clock.advance(0);
    assert.equal(informer.state, 'wait');
    await clock.advance(clock.nextInMs ?? 0);
  }
  assert.equal(server.watches, 6);
  await clock.advance(5_000);
  server.endWatches();
  await clock.advance(0);
  assert.equal(informer.state, 'watch');
  assert.equal(server.watches, 7);
  await informer.stop();
});

test('a silent watch is opened anew from where it was; bookmarks are signs of life', async () => {
  const { clock, server, informer, events } = setUp({ stallMs: 60_000 });
  informer.start();
  await clock.advance(0);
  await clock.advance(50_000);
  server.bookmark();
  await clock.advance(59_999);
  assert.equal(server.watches, 1);
  server.silence();
  server.put('a');
  await clock.advance(1);
  assert.equal(server.watches, 2);
  assert.deepEqual(events, ['add a']);
  assert.equal(server.lists, 1);
  await informer.stop();
});

test('a failing subscriber harms neither the others nor the copy', async () => {
  const { clock, server, informer, events } = setUp();
  informer.addHandler({
    onAdd: () => {
      throw new Error('mine');
    },
  });
  informer.start();
  await clock.advance(0);
  server.put('a');
  await clock.advance(0);
  assert.deepEqual(events, ['add a']);
  assert.equal(informer.lister.size, 1);
  await informer.stop();
});

test('indexes follow changes; an unknown one is an error', async () => {
  const { clock, server, informer } = setUp({
    indexes: { namespace: indexByNamespace, app: indexByLabel('app'), owner: indexByOwnerUid },
  });
  informer.start();
  server.put('a', { app: 'web' });
  server.put('b', { app: 'web' });
  await clock.advance(0);
  const names = (index: string, value: string): string[] =>
    informer.lister
      .byIndex(index, value)
      .map(({ metadata }) => metadata.name)
      .sort();
  assert.deepEqual(names('app', 'web'), ['a', 'b']);
  assert.deepEqual(names('namespace', 'shop'), ['a', 'b']);
  server.put('a', { app: 'db' });
  server.remove('b');
  await clock.advance(0);
  assert.deepEqual([names('app', 'web'), names('app', 'db'), names('namespace', 'shop')], [[], ['a'], ['a']]);
  assert.deepEqual(names('owner', 'nobody'), []);
  assert.throws(() => names('uid', 'x'), {
    name: 'RangeError',
    message: 'no index "uid"; the informer has namespace, app, owner',
  });
  await informer.stop();
});

test('a caller that waits for the first list gets its failure', async () => {
  const { server, informer } = setUp();
  server.failures.list.push(new ApiError('GET', 500, {}));
  const reason = new Error('enough');
  await assert.rejects(informer.whenSynced(AbortSignal.abort(reason)), reason);
  informer.start();
  const waiting = informer.whenSynced();
  const [outcome] = await Promise.all([waiting.catch((error: Error) => error.message), informer.stop()]);
  assert.equal(outcome, 'the informer of pods was stopped before its first list');
});

test('a refused list is an answer, a failure is none', async () => {
  const { clock, server, informer } = setUp();
  const missing = new ApiError('GET /api/v1/pods', 404, {});
  server.failures.list.push(new ApiError('GET', 500, {}), missing, missing);
  let hasAnswer = false;
  const answered = informer.whenAnswered().then(() => {
    hasAnswer = true;
  });
  informer.start();
  await clock.advance(0);
  assert.equal(hasAnswer, false);
  await clock.advance(clock.nextInMs ?? 0);
  await answered;
  assert.equal(informer.hasSynced, false);
  await informer.stop();
});

test('a caller that waits for an answer gets the end of its wait', async () => {
  const { informer } = setUp();
  const reason = new Error('enough');
  const stop = new AbortController();
  const waiting = informer.whenAnswered(stop.signal);
  stop.abort(reason);
  await assert.rejects(waiting, reason);
  const [outcome] = await Promise.all([
    informer.whenAnswered().catch((error: Error) => error.message),
    informer.stop(),
  ]);
  assert.equal(outcome, 'the informer of pods was stopped before its first list');
});

/** One thing that happens to server or network. */
type Happening =
  | { readonly do: 'put' | 'remove'; readonly name: string }
  | { readonly do: 'swapped'; readonly name: string; readonly other: string; readonly removes: boolean }
  | { readonly do: 'drop' | 'end' | 'compact' | 'bookmark' | 'silence' }
  | { readonly do: 'repeat'; readonly back: number }
  | { readonly do: 'fail'; readonly what: 'list' | 'watch'; readonly code: number }
  | { readonly do: 'pass'; readonly ms: number };

const name = fc.constantFrom('a', 'b', 'c');
const happening: fc.Arbitrary<Happening> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constantFrom('put' as const, 'remove' as const), name }) },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('swapped' as const), name, other: name, removes: fc.boolean() }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constantFrom(
        'drop' as const,
        'end' as const,
        'compact' as const,
        'bookmark' as const,
        'silence' as const,
      ),
    }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('repeat' as const), back: fc.nat(4) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('fail' as const),
      what: fc.constantFrom('list' as const, 'watch' as const),
      code: fc.constantFrom(403, 410, 429, 500, 503),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant('pass' as const), ms: fc.constantFrom(0, 0, 300, 100_000) }),
  },
);

async function happen(server: HistoryServer, clock: FakeClock, step: Happening): Promise<void> {
  switch (step.do) {
    case 'put':
      return server.put(step.name);
    case 'remove':
      return server.remove(step.name);
    case 'swapped':
      return server.swapped(
        () => server.put(step.name),
        () => (step.removes ? server.remove(step.other) : server.put(step.other)),
      );
    case 'drop':
      return server.drop();
    case 'end':
      return server.endWatches();
    case 'compact':
      return server.compact();
    case 'bookmark':
      return server.bookmark();
    case 'silence':
      return server.silence();
    case 'repeat':
      return server.repeat(step.back);
    case 'fail':
      server.failures[step.what].push(new ApiError('GET', step.code, { code: step.code }));
      return;
    case 'pass':
      return await clock.advance(step.ms);
  }
}

/** Checks what one subscriber hears: per key add, updates, delete, and no step back. */
class HistoryCheck {
  readonly present = new Map<string, KubeObject>();
  readonly newest = new Map<string, number>();

  attach(informer: Informer<KubeObject>): void {
    informer.addHandler({
      onAdd: (object) => {
        assert.equal(this.present.has(objectKey(object)), false, 'added twice');
        this.#move(object);
        this.present.set(objectKey(object), object);
      },
      onUpdate: (object, old) => {
        assert.equal(
          this.present.get(objectKey(object)),
          old,
          'updated from something else than was heard last',
        );
        assert.equal(
          object.metadata.uid,
          old.metadata.uid,
          'another object under the same name is no update',
        );
        this.#move(object);
        this.present.set(objectKey(object), object);
      },
      onDelete: (object) => {
        assert.equal(
          this.present.get(objectKey(object))?.metadata.uid,
          object.metadata.uid,
          'deleted what was not there',
        );
        this.present.delete(objectKey(object));
      },
    });
  }

  #move(object: KubeObject): void {
    const version = Number(object.metadata.resourceVersion);
    assert.ok(version > (this.newest.get(objectKey(object)) ?? 0), 'moved backwards');
    this.newest.set(objectKey(object), version);
  }
}

test('whatever happens on the way, the copy becomes equal to the server and handlers get a consistent history', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(happening, { maxLength: 40, size: 'max' }),
      fc.nat(40),
      async (steps, lateAt) => {
        const clock = new FakeClock();
        const server = new HistoryServer();
        const failures: unknown[] = [];
        const informer = new Informer<KubeObject>({
          client: server.client,
          resource: PODS,
          clock,
          random: () => 0.5,
          indexes: { namespace: indexByNamespace },
          logger: {
            debug: () => {},
            info: () => {},
            warn: () => {},
            // The informer shields itself from failing handlers; here each failure is one of the checks.
            error: (fields: unknown) => failures.push(fields),
            child() {
              return this;
            },
          },
        });
        const early = new HistoryCheck();
        const late = new HistoryCheck();
        early.attach(informer);
        informer.start();
        for (const [index, step] of steps.entries()) {
          if (index === lateAt) late.attach(informer);
          await happen(server, clock, step);
        }
        if (lateAt >= steps.length) late.attach(informer);
        // The longest way back: a stall, then the longest back-off for each failure still in store.
        await clock.advance(
          90_000 + 30_000 * (2 + server.failures.list.length + server.failures.watch.length),
        );
        await informer.stop();
        if (failures.length > 0) throw (failures[0] as { err: unknown }).err;
        const sorted = (objects: Iterable<KubeObject>): KubeObject[] =>
          [...objects].sort((a, b) => a.metadata.name.localeCompare(b.metadata.name));
        const truth = sorted(server.objects.values());
        assert.deepEqual(sorted(informer.lister.list()), truth);
        assert.deepEqual(sorted(informer.lister.byIndex('namespace', 'shop')), truth);
        assert.deepEqual(sorted(early.present.values()), truth);
        assert.deepEqual(sorted(late.present.values()), truth);
        assert.equal(clock.pending, 0, 'a timer was left');
      },
    ),
    { numRuns: 400 },
  );
});
