import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Logger } from '../base/log.ts';
import { ApiError } from '../client/errors.ts';
import type { KubeObject } from '../kinds/core.ts';
import { PODS } from '../kinds/resources.ts';
import { FakeClock } from '../testing/fake-clock.ts';
import { HistoryServer } from '../testing/history-server.ts';
import { WIDGETS } from '../testing/widgets.ts';
import {
  Controller,
  type ControllerOptions,
  fromMapped,
  fromObjects,
  fromOwned,
  requestOf,
  TerminalError,
} from './controller.ts';
import { Informer } from './informer.ts';
import { ownerKeys } from './owner-references.ts';

/** A logger that remembers level, sentence and key. */
function rememberingLogger(): { lines: string[]; logger: Logger } {
  const lines: string[] = [];
  const write =
    (level: string) =>
    (fields: unknown, message?: string): void => {
      const { key } = typeof fields === 'object' && fields !== null && 'key' in fields ? fields : { key: '' };
      lines.push(`${level}: ${message ?? String(fields)} ${String(key)}`.trim());
    };
  const logger: Logger = {
    debug: write('debug'),
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
    child: () => logger,
  };
  return { lines, logger };
}

async function setUp(reconcile: ControllerOptions['reconcile'], options: Partial<ControllerOptions> = {}) {
  const clock = new FakeClock();
  const server = new HistoryServer();
  const informer = new Informer<KubeObject>({
    client: server.client,
    resource: PODS,
    clock,
    random: () => 0.5,
  });
  const { lines, logger } = rememberingLogger();
  const controller = new Controller({
    name: 'test',
    reconcile,
    sources: [fromObjects(informer)],
    clock,
    random: () => 0,
    logger,
    ...options,
  });
  informer.start();
  await controller.start();
  return {
    clock,
    server,
    controller,
    lines,
    [Symbol.asyncDispose]: async () => {
      await controller.stop();
      await informer.stop();
    },
  };
}

test('reconciles each object, again when it changes and when its time has come', async () => {
  const passes: string[] = [];
  await using run = await setUp(async ({ namespace, name }) => {
    passes.push(`${namespace} ${name}`);
    return passes.length === 2 ? { requeueAfterMs: 5_000 } : undefined;
  });
  run.server.put('a');
  await run.clock.advance(0);
  run.server.put('a');
  await run.clock.advance(4_999);
  assert.equal(passes.length, 2);
  await run.clock.advance(1);
  assert.deepEqual(passes, ['shop a', 'shop a', 'shop a']);
});

test('keys that come back at once leave the process room for what they wait for', async () => {
  const endless = 10_000;
  let isOver = false;
  let passes = 0;
  await using run = await setUp(async () => {
    passes += 1;
    return isOver || passes > endless ? undefined : { requeueAfterMs: 0 };
  });
  run.server.put('a');
  run.server.put('b');
  // Comes with a turn of the event loop, as everything from outside does.
  await new Promise<void>((resolve) => {
    setImmediate(() => {
      isOver = true;
      resolve();
    });
  });
  await run.clock.advance(0);
  assert.ok(passes > 0 && passes < endless, `${passes} passes`);
  assert.equal(run.controller.queue.state.ready + run.controller.queue.state.taken, 0);
});

test('a failure is logged once and tried again later and later; a good pass forgets it', async () => {
  const at: number[] = [];
  let isBroken = true;
  await using run = await setUp(async () => {
    at.push(run.clock.now() - start);
    if (isBroken) throw new Error('not yet');
  });
  const start = run.clock.now();
  run.server.put('a');
  await run.clock.advance(100);
  // Half of 20, 40, 80 ms: the jitter of this test draws zeros.
  assert.deepEqual(at, [0, 10, 30, 70]);
  assert.deepEqual(run.lines, Array(4).fill('error: reconcile failed shop/a'));
  isBroken = false;
  await run.clock.advance(1_000);
  assert.equal(at.length, 5);
  isBroken = true;
  run.server.put('a');
  await run.clock.advance(9);
  assert.equal(at.length, 6);
  await run.clock.advance(1);
  assert.equal(at.length, 7);
});

test('a conflict is nothing to worry about, a terminal error nothing to try again', async () => {
  let passes = 0;
  const errors = [new ApiError('PUT x', 409, { reason: 'Conflict' }), new TerminalError('spec is wrong')];
  await using run = await setUp(async () => {
    const error = errors[passes++];
    if (error !== undefined) throw error;
  });
  run.server.put('a');
  await run.clock.advance(600_000);
  assert.equal(passes, 2);
  assert.deepEqual(run.lines, [
    'debug: reconcile met a newer version shop/a',
    'error: reconcile failed for good shop/a',
  ]);
});

test('workers share the keys, and no key is with two of them', async () => {
  const busy: string[] = [];
  const released = Promise.withResolvers<void>();
  await using run = await setUp(
    async ({ name }) => {
      busy.push(name);
      await released.promise;
    },
    { workers: 2 },
  );
  for (const name of ['a', 'b', 'c', 'a']) run.server.put(name);
  await run.clock.advance(0);
  assert.deepEqual(busy, ['a', 'b']);
  released.resolve();
  await run.clock.advance(0);
  assert.deepEqual(busy, ['a', 'b', 'c', 'a']);
});

test('stop lets the pass under way end, and asks it to after the grace time', async () => {
  const ended: string[] = [];
  const run = await setUp(
    ({ name }, signal) =>
      new Promise<void>((resolve) => {
        signal.addEventListener('abort', () => {
          ended.push(name);
          resolve();
        });
      }),
    { workers: 1 },
  );
  run.server.put('a');
  run.server.put('b');
  await run.clock.advance(0);
  const stopped = run.controller.stop({ graceMs: 3_000 });
  await run.clock.advance(2_999);
  assert.deepEqual(ended, []);
  await run.clock.advance(1);
  await stopped;
  assert.deepEqual(ended, ['a']);
  await run[Symbol.asyncDispose]();
});

test('nothing is reconciled before all sources are complete', async () => {
  const clock = new FakeClock();
  const [quick, slow] = [new HistoryServer(), new HistoryServer()];
  slow.failures.list.push(new ApiError('GET', 500, {}));
  const informers = [quick, slow].map(
    ({ client }) => new Informer<KubeObject>({ client, resource: PODS, clock, random: () => 0.5 }),
  );
  quick.put('a');
  const passes: string[] = [];
  const controller = new Controller({
    name: 'test',
    sources: informers.map((informer) => fromObjects(informer)),
    reconcile: async ({ name }) => {
      passes.push(name);
    },
    clock,
  });
  for (const informer of informers) informer.start();
  const started = controller.start();
  await clock.advance(0);
  assert.deepEqual(passes, []);
  await clock.advance(1_000);
  await started;
  await clock.advance(0);
  assert.deepEqual(passes, ['a']);
  await controller.stop();
  for (const informer of informers) await informer.stop();
});

test('keys name cluster-scoped and namespaced objects', () => {
  assert.deepEqual(requestOf('node-1'), { key: 'node-1', namespace: undefined, name: 'node-1' });
  assert.deepEqual(requestOf('shop/a'), { key: 'shop/a', namespace: 'shop', name: 'a' });
});

test('owners are found by group and kind, whatever the version', () => {
  const owned = (reference: object): KubeObject => ({
    metadata: {
      name: 'p',
      namespace: 'shop',
      ownerReferences: [{ apiVersion: 'example.com/v1', kind: 'Widget', name: 'e', uid: 'u', ...reference }],
    },
  });
  const table: readonly [string, object, boolean, string[]][] = [
    ['the controller', { controller: true }, true, ['shop/e']],
    ['another owner', {}, true, []],
    ['another owner, where all count', {}, false, ['shop/e']],
    ['another kind', { kind: 'Job', controller: true }, false, []],
    ['another group', { apiVersion: 'v1', controller: true }, false, []],
  ];
  for (const [name, reference, controllerOnly, keys] of table) {
    assert.deepEqual(ownerKeys(owned(reference), WIDGETS, controllerOnly), keys, name);
  }
});

test('sources map objects to keys: by owner, by anything; moved references tell both ends', async () => {
  const clock = new FakeClock();
  const server = new HistoryServer();
  const informer = new Informer<KubeObject>({ client: server.client, resource: PODS, clock });
  const keys: string[] = [];
  const sources = [
    fromMapped(informer, ({ metadata }) => (metadata.labels?.app ? [`shop/${metadata.labels.app}`] : [])),
    fromOwned(informer, WIDGETS),
    fromMapped(informer, ({ metadata }) => (metadata.name === 'special' ? ['x', 'y'] : [])),
  ];
  const leave = sources.map((source) => source.subscribe((key) => keys.push(key)));
  informer.start();
  await clock.advance(0);
  server.put('p', { app: 'one' });
  server.put('p', { app: 'two' });
  server.put('special');
  await clock.advance(0);
  assert.deepEqual(keys, ['shop/one', 'shop/one', 'shop/two', 'x', 'y']);
  for (const end of leave) end();
  server.remove('special');
  await clock.advance(0);
  assert.equal(keys.length, 5);
  await informer.stop();
});
