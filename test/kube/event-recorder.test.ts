import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createApiServer } from '@turnsole/cluster/apiserver/index';
import type { Logger } from '@turnsole/kube/base/log';
import type { KubeClient } from '@turnsole/kube/client/types';
import type { CoreEvent } from '@turnsole/kube/kinds/core';
import { EVENTS } from '@turnsole/kube/kinds/resources';
import { EventRecorder, type EventTarget } from '@turnsole/kube/runtime/event-recorder';
import { startApi } from '@turnsole/kube/testing/api';
import { FakeClock } from '@turnsole/kube/testing/fake-clock';
import { eventNames } from '../../src/chaos/event-names.ts';

const engine: EventTarget = {
  apiVersion: 'litmuschaos.io/v1alpha1',
  kind: 'ChaosEngine',
  metadata: { name: 'nginx-chaos', namespace: 'default', uid: 'b6b1', resourceVersion: '7' },
};

async function eventsOf(client: KubeClient): Promise<CoreEvent[]> {
  return (await client.list<CoreEvent>(EVENTS, { namespace: 'default' })).items;
}

function remember(): { lines: unknown[]; logger: Logger } {
  const lines: unknown[] = [];
  const logger: Logger = {
    debug: () => {},
    info: () => {},
    warn: (fields: unknown) => lines.push(fields),
    error: () => {},
    child: () => logger,
  };
  return { lines, logger };
}

test('an Event is what kubectl shows: object, source, times; equal ones are counted up', async () => {
  await using api = await startApi(createApiServer);
  const clock = new FakeClock();
  const recorder = new EventRecorder({
    client: api.client,
    component: 'chaos-operator',
    host: 'node-1',
    clock,
  });
  const text = { type: 'Normal', reason: 'ChaosEngineInitialized', message: 'the run begins' } as const;
  recorder.record(engine, text);
  await clock.advance(60_000);
  recorder.record(engine, text);
  recorder.record(engine, { ...text, message: 'another text' });
  await recorder.flush();
  const [first, second, ...more] = (await eventsOf(api.client)).sort(
    (a, b) => (b.count ?? 0) - (a.count ?? 0),
  );
  assert.equal(more.length, 0);
  assert.match(first?.metadata.name ?? '', /^nginx-chaos\.[0-9a-f]+$/);
  assert.deepEqual(first?.involvedObject, {
    apiVersion: 'litmuschaos.io/v1alpha1',
    kind: 'ChaosEngine',
    name: 'nginx-chaos',
    namespace: 'default',
    uid: 'b6b1',
    resourceVersion: '7',
  });
  assert.deepEqual(
    [
      first?.type,
      first?.reason,
      first?.message,
      first?.source,
      first?.count,
      first?.firstTimestamp,
      first?.lastTimestamp,
    ],
    [
      'Normal',
      'ChaosEngineInitialized',
      'the run begins',
      { component: 'chaos-operator', host: 'node-1' },
      2,
      '2030-01-01T00:00:00Z',
      '2030-01-01T00:01:00Z',
    ],
  );
  assert.deepEqual([second?.message, second?.count], ['another text', 1]);
});

test('under a given name all writers count up one Event: newest text, type, time and source', async () => {
  await using api = await startApi(createApiServer);
  const clock = new FakeClock();
  const name = eventNames.ofExperiment('PreChaosCheck', 'pod-delete', 'b6b1');
  assert.equal(name, 'PreChaosCheckpod-deleteb6b1');
  const write = async (component: string, type: 'Normal' | 'Warning', message: string): Promise<void> => {
    const recorder = new EventRecorder({ client: api.client, component, clock });
    recorder.record(engine, { name, type, reason: 'PreChaosCheck', message });
    await recorder.flush();
  };
  await write('pod-delete-1', 'Normal', 'AUT: Running');
  await clock.advance(5_000);
  await write('pod-delete-2', 'Warning', 'AUT: Not Running');
  const events = await eventsOf(api.client);
  assert.equal(events.length, 1);
  const [event] = events;
  assert.deepEqual(
    [
      event?.metadata.name,
      event?.count,
      event?.type,
      event?.message,
      event?.source?.component,
      event?.firstTimestamp,
      event?.lastTimestamp,
    ],
    [name, 2, 'Warning', 'AUT: Not Running', 'pod-delete-2', '2030-01-01T00:00:00Z', '2030-01-01T00:00:05Z'],
  );
});

test('two writers of one name lose no count', async () => {
  await using api = await startApi(createApiServer);
  const recorders = ['a', 'b', 'c'].map((component) => new EventRecorder({ client: api.client, component }));
  const name = eventNames.ofRunner('ExperimentJobCreate', 'pod-delete', 'b6b1');
  for (const recorder of recorders) {
    for (let count = 0; count < 3; count++) {
      recorder.record(engine, { name, type: 'Normal', reason: 'ExperimentJobCreate', message: 'm' });
    }
  }
  await Promise.all(recorders.map((recorder) => recorder.flush()));
  assert.deepEqual(
    (await eventsOf(api.client)).map(({ count }) => count),
    [9],
  );
});

test('an Event that expired meanwhile is written anew', async () => {
  await using api = await startApi(createApiServer);
  const recorder = new EventRecorder({ client: api.client, component: 'x' });
  const text = { type: 'Normal', reason: 'Told', message: 'm' } as const;
  recorder.record(engine, text);
  await recorder.flush();
  await api.client.deleteCollection(EVENTS, { namespace: 'default' });
  recorder.record(engine, text);
  await recorder.flush();
  assert.deepEqual(
    (await eventsOf(api.client)).map(({ count }) => count),
    [1],
  );
});

test('an object that complains all the time is cut short, others are not', async () => {
  await using api = await startApi(createApiServer);
  const clock = new FakeClock();
  const { lines, logger } = remember();
  const recorder = new EventRecorder({
    client: api.client,
    component: 'x',
    clock,
    logger,
    spamFilter: { burst: 3, refillMs: 10_000 },
  });
  const other = { ...engine, metadata: { ...engine.metadata, name: 'other' } };
  for (let count = 0; count < 5; count++) {
    recorder.record(engine, { type: 'Normal', reason: 'Told', message: `number ${count}` });
  }
  recorder.record(other, { type: 'Normal', reason: 'Told', message: 'm' });
  await clock.advance(10_000);
  recorder.record(engine, { type: 'Normal', reason: 'Told', message: 'later' });
  await recorder.flush();
  assert.deepEqual((await eventsOf(api.client)).map(({ message }) => message).sort(), [
    'later',
    'm',
    'number 0',
    'number 1',
    'number 2',
  ]);
  assert.deepEqual(
    lines,
    Array(2).fill({ object: 'ChaosEngine default/nginx-chaos', reason: 'Told', dropped: 'spam' }),
  );
});

test('what cannot be written is logged; the caller hears nothing, and later Events are written', async () => {
  await using api = await startApi(createApiServer);
  const { lines, logger } = remember();
  let isDown = true;
  const flaky: Pick<KubeClient, 'find' | 'create' | 'patch'> = {
    find: api.client.find.bind(api.client),
    patch: api.client.patch.bind(api.client),
    create: (...call) => {
      if (!isDown) return api.client.create(...call) as never;
      isDown = false;
      return Promise.reject(new Error('down'));
    },
  };
  const recorder = new EventRecorder({ client: flaky, component: 'x', logger });
  recorder.record(engine, { type: 'Normal', reason: 'Lost', message: 'm' });
  recorder.record(engine, { type: 'Warning', reason: 'Long', message: 'x'.repeat(5_000) });
  await recorder.flush();
  assert.equal(lines.length, 1);
  assert.match(JSON.stringify(lines[0]), /"reason":"Lost"/);
  const [event] = await eventsOf(api.client);
  assert.equal(event?.message?.length, 1_024);
});

test('a backlog is bounded', async () => {
  const { lines, logger } = remember();
  const stuck = Promise.withResolvers<never>();
  const never = (): Promise<never> => stuck.promise;
  const recorder = new EventRecorder({
    client: { find: never, create: never, patch: never },
    component: 'x',
    logger,
    maxPending: 2,
  });
  for (let count = 0; count < 3; count++)
    recorder.record(engine, { type: 'Normal', reason: 'R', message: 'm' });
  assert.deepEqual(lines, [{ object: 'ChaosEngine default/nginx-chaos', reason: 'R', dropped: 'backlog' }]);
});
