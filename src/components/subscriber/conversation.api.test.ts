/**
 * A whole conversation with a control plane, message by message, against the recorded one in testing/conversation.json: what has changed on the
 * wire is seen in its diff. `RECORD=1 node --test …/conversation.api.test.ts` records it anew.
 */
import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { createApiServer } from '@turnsole/cluster/apiserver/index';
import type { KubeObject } from '@turnsole/kube/kinds/core';
import type { Resource } from '@turnsole/kube/kinds/resources';
import { waitForObject } from '@turnsole/kube/runtime/wait';
import { startApi } from '@turnsole/kube/testing/api';
import { PATIENCE_MS } from '@turnsole/kube/testing/until';
import { isObject } from '@turnsole/kube/text/json';
import { WORKFLOWS } from '@turnsole/workflows/kinds/resources';
import { CHAOS_ENGINES, CHAOS_RESULTS } from '../../api/resources.ts';
import type { Message } from './testing/control-plane.ts';
import { defineRunKinds } from './testing/infrastructure.ts';
import { engine, openScene, RUN_LABELS, workflow } from './testing/scene.ts';

const FILE = join(import.meta.dirname, 'testing', 'conversation.json');
const BEGIN = '2026-01-01T00:00:00Z';
const END = '2026-01-01T00:00:10Z';

test('the agent sends the same conversation as before', async () => {
  await using api = await startApi(createApiServer);
  await defineRunKinds(api.client);
  await using world = await openScene(api, { protocols: ['graphql-ws'], prepare: async () => {} });
  const { server, namespace } = world;
  const said: Message[] = [];
  server.onMessage = (message) => said.push(message);
  const place = { namespace };
  const limit = { ...place, timeoutMs: PATIENCE_MS };
  const uids = new Map<string, string>();
  const create = async (resource: Resource, object: never): Promise<string> => {
    const { metadata } = await api.client.create<KubeObject>(resource, object, place);
    uids.set(metadata.uid ?? '', `<uid of ${metadata.name}>`);
    return metadata.uid ?? '';
  };
  const manifest = (name: string, spec: object = {}): string =>
    JSON.stringify(workflow(name, { metadata: { name, labels: {} }, spec }));
  const answered = (field: string, count: number): Promise<void> =>
    server.until(() => server.of(field).length === count);
  await server.until(() => server.isSubscribed);

  // The reports of a run: its begin, its engine, its end.
  const uid = await create(WORKFLOWS, workflow('run-1'));
  await answered('chaosExperimentRun', 1);
  const result = {
    metadata: { name: 'engine-1-pod-delete', annotations: { left: 'out' } },
    spec: { engine: 'engine-1', experiment: 'pod-delete' },
    status: { experimentStatus: { phase: 'Completed', verdict: 'Pass', probeSuccessPercentage: '100' } },
  };
  await create(CHAOS_RESULTS, result as never);
  const experiments = [
    { name: 'pod-delete', runner: 'runner', experimentPod: 'pod', verdict: 'Pass', lastUpdateTime: END },
  ];
  const own = { workflow_run_id: uid, context: 'shop' };
  const made: object = engine('engine-1', own, { engineStatus: 'completed', experiments });
  await create(CHAOS_ENGINES, made as never);
  await api.client.patch(WORKFLOWS, 'run-1', 'merge', { status: status(made) }, place);
  await answered('chaosExperimentRun', 2);
  const labels = { infra_id: RUN_LABELS.infra_id, type: 'standalone_workflow', workflow_id: 'experiment-2' };
  await create(CHAOS_ENGINES, engine('alone', labels, { engineStatus: 'completed', experiments }));
  await answered('chaosExperimentRun', 3);

  // What the server may ask for. What has no answer is waited for in the cluster.
  const there = (name: string, isSo: (object: KubeObject | undefined) => boolean): Promise<unknown> =>
    waitForObject(api.client, WORKFLOWS, name, isSo, limit);
  server.act({ requestType: 'create', k8sManifest: manifest('made'), namespace, username: 'ann' });
  await there('made', (object) => object?.metadata.labels?.updated_by === 'YW5u');
  server.act({ requestType: 'update', k8sManifest: manifest('made', { entrypoint: 'b' }), namespace });
  await there('made', (object) => (object as { spec?: { entrypoint?: string } })?.spec?.entrypoint === 'b');
  server.act({ requestType: 'get', k8sManifest: manifest('made'), namespace });
  server.act({ requestType: 'delete', k8sManifest: manifest('made'), namespace });
  await there('made', (object) => object === undefined);
  server.act({ requestType: 'namespace', requestID: 'n-1', externalData: '{"infraID":"x"}' });
  await answered('kubeNamespace', 1);
  const kubeObjRequest = { group: '', version: 'v1', resource: 'pods' };
  const listing = JSON.stringify({ infraID: 'x', namespace, objectType: 'kubeobject', kubeObjRequest });
  server.act({ requestType: 'kubeobject', requestID: 'o-1', externalData: listing });
  await answered('kubeObj', 1);
  const logs = {
    infraID: 'x',
    experimentRunID: uid,
    podName: 'gone',
    podNamespace: namespace,
    podType: 'Pod',
  };
  server.act({ requestType: 'logs', requestID: 'l-1', externalData: JSON.stringify(logs) });
  await answered('podLog', 1);
  server.act({ requestType: 'workflow_run_delete', externalData: uid });
  await there('run-1', (object) => object === undefined);
  const second = await create(WORKFLOWS, workflow('run-2'));
  await answered('chaosExperimentRun', 4);
  server.act({ requestType: 'workflow_run_stop', externalData: second });
  await answered('chaosExperimentRun', 5);
  server.act({ requestType: 'workflow_delete', externalData: 'experiment-1' });
  await there('run-2', (object) => object === undefined);
  server.sendText('{"type":"ka"}');
  // Another agent has come: the server ends the subscription, and this one comes back.
  server.complete();
  await server.until(() => server.isSubscribed);
  server.send({ errors: [{ message: 'CLUSTER ALREADY CONNECTED', path: ['infraConnect'] }], data: null });
  const connections = server.offered.length;
  await server.until(() => server.offered.length > connections && server.isSubscribed);
  await world.subscriber.stop();

  const conversation = said.map(({ text, ...from }) => ({
    ...from,
    message: readable(text, uids, namespace),
  }));
  if (process.env.RECORD === '1') await writeFile(FILE, `${JSON.stringify(conversation, undefined, 2)}\n`);
  assert.deepEqual(conversation, JSON.parse(await readFile(FILE, 'utf8')));
});

function status(engine: object): object {
  const node = { displayName: 'chaos', phase: 'Succeeded', startedAt: BEGIN, finishedAt: END };
  const raw = { data: JSON.stringify({ ...engine, status: undefined }) };
  const inputs = { artifacts: [{ name: 'chaos', raw }] };
  const nodes = {
    'run-1-1': { ...node, id: 'run-1-1', name: 'run-1[0].chaos', type: 'Pod', inputs },
    'run-1': {
      ...node,
      id: 'run-1',
      name: 'run-1',
      displayName: 'run-1',
      type: 'Steps',
      children: ['run-1-1'],
    },
  };
  return { phase: 'Succeeded', startedAt: BEGIN, finishedAt: END, nodes };
}

/** A message with what differs from time to time named, and what is encoded opened. */
function readable(text: string, uids: ReadonlyMap<string, string>, namespace: string): unknown {
  const named = (value: string): string =>
    [...uids]
      .reduce((rest, [uid, name]) => rest.replaceAll(uid, name), value)
      .replaceAll(namespace, '<namespace>');
  const opened = (name: string, value: unknown): unknown => {
    if (['resourceVersion', 'generation', 'uid'].includes(name) && !named(String(value)).startsWith('<')) {
      return `<${name}>`;
    }
    if (['creationTimestamp', 'startedAt', 'finishedAt', 'lastUpdatedAt'].includes(name) && isNow(value))
      return '<now>';
    if (name === 'executionData')
      return { base64: openAll(JSON.parse(Buffer.from(String(value), 'base64').toString())) };
    if (
      ['log', 'kubeObj', 'kubeNamespace'].includes(name) &&
      typeof value === 'string' &&
      /^[[{]/.test(value)
    ) {
      return { text: openAll(JSON.parse(value)) };
    }
    return typeof value === 'string' ? named(value) : openAll(value);
  };
  const openAll = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map((item) => opened('', item));
    if (!isObject(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([name, of]) => [named(name), opened(name, of)]));
  };
  return openAll(JSON.parse(text));
}

/** A time of this test and not of its data. */
function isNow(value: unknown): boolean {
  if (typeof value !== 'string' || value === '') return false;
  const time = /^\d+$/.test(value) ? Number(value) * 1_000 : Date.parse(value);
  return Math.abs(Date.now() - time) < 3_600_000;
}
