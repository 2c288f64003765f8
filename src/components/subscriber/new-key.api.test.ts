/** The server replaces the key of the infrastructure while its agent is connected. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createApiServer } from '@turnsole/cluster/apiserver/index';
import type { Secret } from '@turnsole/kube/kinds/core';
import { SECRETS } from '@turnsole/kube/kinds/resources';
import { startApi } from '@turnsole/kube/testing/api';
import { AGENT_SECRET } from '../../api/agent-objects.ts';
import { defineRunKinds } from './testing/infrastructure.ts';
import { openScene } from './testing/scene.ts';

test('a new key is used at once, stands in the Secret, and is what the answer is sent with', async () => {
  await using api = await startApi(createApiServer);
  await defineRunKinds(api.client);
  await using world = await openScene(api);
  const { server, namespace } = world;
  await server.until(() => server.isSubscribed);
  server.act({ requestType: 'new_key', requestID: 'k', externalData: '{"accessKey":"the next one"}' });
  await server.until(() => server.of('agentReply').length === 1);
  const [{ request } = assert.fail('no answer')] = server.of('agentReply');
  assert.deepEqual(JSON.parse(String(request.reply)), { answer: {} });
  assert.equal((request.infraID as { accessKey: string }).accessKey, 'the next one');
  const secret = await api.client.get<Secret>(SECRETS, AGENT_SECRET, { namespace });
  assert.equal(Buffer.from(secret.data?.ACCESS_KEY ?? '', 'base64').toString(), 'the next one');
  server.act({ requestType: 'new_key', requestID: 'l', externalData: '{}' });
  await server.until(() => server.of('agentReply').length === 2);
  assert.match(String(server.of('agentReply')[1]?.request.reply), /accessKey is no text/);
});
