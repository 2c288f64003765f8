import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createApiServer } from '@turnsole/cluster/apiserver/index';
import type { KubeObject } from '@turnsole/kube/kinds/core';
import { CONFIG_MAPS, NAMESPACES, SECRETS } from '@turnsole/kube/kinds/resources';
import { startApi } from '@turnsole/kube/testing/api';
import { stringify } from 'yaml';
import { AGENT_CONFIG_MAP, AGENT_SECRET } from '../../api/agent-objects.ts';
import { agentObjects } from './agent-objects.ts';
import { applyAgent, keepCredentials } from './apply-agent.ts';

const NAMESPACE = 'litmus';

/** A manifest with this key of the agent. */
function manifest(key: string, confirmed: boolean): string {
  const object = (kind: string, name: string, data: object): string =>
    stringify({ apiVersion: 'v1', kind, metadata: { name, namespace: NAMESPACE }, data });
  return [
    object('ConfigMap', AGENT_CONFIG_MAP, { IS_INFRA_CONFIRMED: `${confirmed}` }),
    object('Secret', AGENT_SECRET, { ACCESS_KEY: Buffer.from(key).toString('base64') }),
    object('ConfigMap', 'another', { key }),
  ].join('---\n');
}

test('the key of an agent that confirmed itself while its former manifest was applied is put back', async () => {
  await using api = await startApi(createApiServer);
  const { client } = api;
  const { signal } = new AbortController();
  await client.create(NAMESPACES, { metadata: { name: NAMESPACE } });
  const former = agentObjects(manifest('former', false));
  await applyAgent(client, former, signal);
  const answers = [manifest('new', true), manifest('new', true)];
  let asked = 0;
  await keepCredentials(client, former, async () => answers[asked++] ?? '', signal);
  assert.equal(asked, 2, 'until nothing has changed since');

  const secret = await client.get<KubeObject & { data: { ACCESS_KEY: string } }>(SECRETS, AGENT_SECRET, {
    namespace: NAMESPACE,
  });
  assert.equal(Buffer.from(secret.data.ACCESS_KEY, 'base64').toString(), 'new');
  const config = await client.get<KubeObject & { data: object }>(CONFIG_MAPS, AGENT_CONFIG_MAP, {
    namespace: NAMESPACE,
  });
  assert.deepEqual(config.data, { IS_INFRA_CONFIRMED: 'true' });
  const other = await client.get<KubeObject & { data: object }>(CONFIG_MAPS, 'another', {
    namespace: NAMESPACE,
  });
  assert.deepEqual(other.data, { key: 'former' }, 'other objects are left alone');
});

test('nothing is written where the server still holds the key that was applied', async () => {
  await using api = await startApi(createApiServer);
  const { client } = api;
  const { signal } = new AbortController();
  await client.create(NAMESPACES, { metadata: { name: NAMESPACE } });
  const objects = agentObjects(manifest('key', false));
  await applyAgent(client, objects, signal);
  const read = () => client.get(SECRETS, AGENT_SECRET, { namespace: NAMESPACE });
  const { metadata } = await read();
  await keepCredentials(client, objects, async () => manifest('key', false), signal);
  assert.equal((await read()).metadata.resourceVersion, metadata.resourceVersion);
});
