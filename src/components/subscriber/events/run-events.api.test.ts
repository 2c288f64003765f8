/** Runs of a cluster to the spool: without room, and with objects that are large and change all the time. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { createApiServer } from '@turnsole/cluster/apiserver/index';
import { systemClock } from '@turnsole/kube/base/clock';
import { silentLogger } from '@turnsole/kube/base/log';
import { createClient } from '@turnsole/kube/client/client';
import type { KubeClient } from '@turnsole/kube/client/types';
import { startApi, type TestApi } from '@turnsole/kube/testing/api';
import { changedClient } from '@turnsole/kube/testing/changed-client';
import { PATIENCE_MS, until } from '@turnsole/kube/testing/until';
import { WORKFLOWS } from '@turnsole/workflows/kinds/resources';
import { CHAOS_ENGINES } from '../../../api/resources.ts';
import { openFolder } from '../../../spool/folder.ts';
import { Spool } from '../../../spool/spool.ts';
import { createInfrastructure, defineRunKinds, INFRA_ID } from '../testing/infrastructure.ts';
import { workflow } from '../testing/scene.ts';
import type { RunEvent } from './run-event.ts';
import { RunEvents } from './run-events.ts';
import { readStoredEvent } from './stored-event.ts';

let api: TestApi;
before(async () => {
  api = await startApi(createApiServer);
  await defineRunKinds(api.client);
});
after(() => api[Symbol.asyncDispose]());

interface Scene extends AsyncDisposable {
  readonly spool: Spool;
  /** What has been asked of the API server. */
  readonly calls: string[];
  readonly start: () => Promise<void>;
}

async function scene(namespace: string, limitBytes: number): Promise<Scene> {
  const path = await mkdtemp(join(tmpdir(), 'turnsole-run-events-'));
  const spool = await Spool.open({ folder: await openFolder(path), limitBytes });
  const calls: string[] = [];
  const client = createClient(api.server.adminConfig, {
    onCall: ({ verb, resource }) => calls.push(`${verb} ${resource}`),
  });
  const events = new RunEvents({
    client,
    infraID: INFRA_ID,
    namespace,
    startTime: 0,
    spool,
    clock: systemClock,
    logger: silentLogger,
  });
  return {
    spool,
    calls,
    start: () => events.start(AbortSignal.timeout(PATIENCE_MS)),
    [Symbol.asyncDispose]: async () => {
      await events.stop();
      await spool.close();
      client.close();
      await rm(path, { recursive: true });
    },
  };
}

/** Hands over the first entry. */
async function deliver(spool: Spool): Promise<RunEvent> {
  const [entry] = spool.entries();
  assert.ok(entry !== undefined);
  const body = await spool.take(entry);
  spool.done(entry);
  return JSON.parse(readStoredEvent(body ?? Buffer.alloc(0)).json.toString()) as RunEvent;
}

const END = '2026-01-01T00:00:10Z';
const MANIFEST = 'kind: ChaosEngine\nmetadata: { name: gone }\nspec: { experiments: [{ name: x }] }';
const NODE = {
  id: 'n',
  displayName: 'n',
  type: 'Pod',
  phase: 'Succeeded',
  inputs: { artifacts: [{ name: 'a', raw: { data: MANIFEST } }] },
};
const OVER = { phase: 'Succeeded', startedAt: END, finishedAt: END, nodes: { n: NODE } };

test('last states for which there is no room wait outside, and all of them come in when there is', async () => {
  const namespace = 'without-room';
  await createInfrastructure(api.client, namespace);
  const runs = 60;
  for (let run = 0; run < runs; run++) {
    await api.client.create(WORKFLOWS, workflow(`run-${run}`, { status: OVER }), { namespace });
  }
  await using world = await scene(namespace, 12_000);
  await world.start();
  const { spool, calls } = world;
  assert.ok(spool.size > 5 && spool.size < 30, `${spool.size} states are in the spool`);
  const names = new Set<string>();
  const before = calls.length;
  while (names.size < runs) {
    await until(
      () => spool.size > 0,
      () => `${names.size} of ${runs} states have come`,
    );
    const { name, finishedAt } = await deliver(spool);
    assert.notEqual(finishedAt, '');
    assert.ok(!names.has(name), `${name} came twice`);
    names.add(name);
  }
  // An engine and a result for each look at a run: with each of the three changes of the spool that a delivery makes, at most eight look.
  const asked = calls.length - before;
  assert.ok(asked <= runs * 2 * 3 * 8, `${asked} requests for ${runs} runs`);
});

test('a run that was reported to its end causes no request after a new start', async () => {
  const namespace = 'told-already';
  await createInfrastructure(api.client, namespace);
  const created = await api.client.create(WORKFLOWS, workflow('over', { status: OVER }), { namespace });
  await using world = await scene(namespace, 1_000_000);
  await world.spool.append(created.metadata.uid ?? '', Buffer.from('{}'), true);
  await world.start();
  assert.equal(world.spool.size, 1);
  assert.deepEqual(
    world.calls.filter((call) => call.startsWith('get')),
    [],
  );
});

test('an object of 1 MiB that changes ten times a second takes the place of one event', async () => {
  const namespace = 'large';
  await createInfrastructure(api.client, namespace);
  const place = { namespace };
  await api.client.create(WORKFLOWS, workflow('large'), place);
  await using world = await scene(namespace, 8 * 1024 * 1024);
  await world.start();
  const { spool } = world;
  const nodes = Object.fromEntries(
    Array.from({ length: 1_000 }, (_, index) => [
      `n-${String(index).padStart(4, '0')}`,
      { id: `n-${index}`, displayName: 'n', type: 'Pod', phase: 'Running', message: 'm'.repeat(950) },
    ]),
  );
  const changes = 30;
  for (let change = 1; change <= changes; change++) {
    const status = {
      phase: 'Running',
      startedAt: END,
      message: `change ${change}`,
      ...(change === 1 && { nodes }),
    };
    const begunAt = performance.now();
    await api.client.patch(WORKFLOWS, 'large', 'merge', { status }, place);
    assert.ok(spool.size <= 1 && spool.bytes < 2 * 1024 * 1024, `${spool.size} events, ${spool.bytes} bytes`);
    await systemClock.sleep(Math.max(0, 100 - (performance.now() - begunAt)));
  }
  let last: RunEvent | undefined;
  await until(
    async () => {
      if (spool.size > 0) last = await deliver(spool);
      return last?.message === `change ${changes}`;
    },
    () => `the last change has not come: ${last?.message}`,
  );
  assert.equal(Object.keys(last?.nodes ?? {}).length, 1_000);
});

test('a stop before everything has been listed ends, also when runs are known', {
  timeout: PATIENCE_MS,
}, async () => {
  const namespace = 'stopped-early';
  await createInfrastructure(api.client, namespace);
  const { metadata } = await api.client.create(WORKFLOWS, workflow('known', { status: OVER }), { namespace });
  const path = await mkdtemp(join(tmpdir(), 'turnsole-run-events-'));
  const spool = await Spool.open({ folder: await openFolder(path), limitBytes: 12_000 });
  const list: KubeClient['list'] = async (resource, options) => {
    if (resource === CHAOS_ENGINES) throw new Error('engines are not listed');
    return api.client.list(resource, options);
  };
  const refusing = changedClient(api.client, { list });
  const events = new RunEvents({
    client: refusing,
    infraID: INFRA_ID,
    namespace,
    startTime: 0,
    spool,
    clock: systemClock,
    logger: silentLogger,
  });
  const stop = new AbortController();
  const started = events.start(stop.signal);
  await until(
    () => events.workflow(metadata.uid ?? '') !== undefined,
    () => 'the workflow is not known',
  );
  stop.abort(new Error('stopped'));
  await assert.rejects(started, /stopped/);
  await events.stop();
  await spool.close();
  await rm(path, { recursive: true });
});
