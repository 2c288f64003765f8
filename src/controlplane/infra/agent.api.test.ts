/** From registration to the outcome of an action: our agent, with the manifest that the server gives, on an embedded API server. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createApiServer } from '@turnsole/cluster/apiserver/index';
import { KindResolver } from '@turnsole/kube/apply/kind-resolver';
import type { KubeClient } from '@turnsole/kube/client/types';
import type { ConfigMap, Secret } from '@turnsole/kube/kinds/core';
import { CONFIG_MAPS, SECRETS } from '@turnsole/kube/kinds/resources';
import { startApi, type TestApi } from '@turnsole/kube/testing/api';
import { PATIENCE_MS } from '@turnsole/kube/testing/until';
import { WORKFLOWS } from '@turnsole/workflows/kinds/resources';
import { parseAllDocuments } from 'yaml';
import { startSubscriber } from '../../components/subscriber/testing/infrastructure.ts';
import { applyObjects } from '../../services/install/apply-objects.ts';
import type { InstallObject } from '../../services/install/install-object.ts';
import { TestServer, type TestUser } from '../server/testing/test-server.ts';
import { projectScope } from '../store/store.ts';
import { describeOnDatabases } from '../store/testing/databases.ts';
import { enqueueAction } from './enqueue-action.ts';
import { untilChanged } from './testing/until.ts';

const REGISTER = `mutation ($p: ID!, $r: RegisterInfraRequest!) {
  registerInfra(projectID: $p, request: $r) { infraID manifest }
}`;
const ENVIRONMENT = `mutation ($p: ID!) {
  createEnvironment(projectID: $p, request: { environmentID: "e", name: "e", type: PROD }) { environmentID }
}`;

interface Registered {
  readonly infraID: string;
  readonly manifest: string;
}

/** Registers over the network, so that the manifest has the address that agents reach. */
async function register(url: string, p: string, owner: TestUser): Promise<Registered> {
  const r = {
    ...{ name: 'east', environmentID: 'e', infrastructureType: 'Kubernetes', platformName: 'x' },
    infraScope: 'cluster',
  };
  const reply = await fetch(`${url}/query`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${owner.token}` },
    body: JSON.stringify({ query: REGISTER, variables: { p, r } }),
  });
  const { data, errors } = (await reply.json()) as { data: { registerInfra: Registered }; errors?: object[] };
  assert.equal(errors, undefined);
  return data.registerInfra;
}

async function apply(client: KubeClient, manifest: string): Promise<void> {
  const objects = parseAllDocuments(manifest).map((document): InstallObject => document.toJS());
  const signal = AbortSignal.timeout(PATIENCE_MS);
  const kinds = new KindResolver(client);
  await applyObjects(objects, { client, signal, kinds, onApplied: () => {} });
}

/** What a pod of the manifest gets as its environment. */
async function environmentOf(client: KubeClient): Promise<Record<string, string>> {
  const place = { namespace: 'litmus' };
  const config = await client.get<ConfigMap>(CONFIG_MAPS, 'subscriber-config', place);
  const secret = await client.get<Secret>(SECRETS, 'subscriber-secret', place);
  const keys = Object.entries(secret.data ?? {}).map(([name, value]) => [
    name,
    Buffer.from(value, 'base64').toString(),
  ]);
  // No component runs on an API server without nodes.
  return { ...config.data, ...Object.fromEntries(keys), COMPONENTS: 'DEPLOYMENTS: []' };
}

describeOnDatabases('an agent of our own', (database) => {
  test('registers by the manifest, carries out an action that waited, and tells so; its key is a new one', async () => {
    const server = await TestServer.start(database);
    const { store } = server.plane;
    const owner = await server.user('olga');
    const p = await server.project([[owner, 'Owner']]);
    await server.data(ENVIRONMENT, { p }, owner);
    const { infraID, manifest } = await register(await server.listen(), p, owner);
    const workflow = {
      apiVersion: 'argoproj.io/v1alpha1',
      kind: 'Workflow',
      metadata: { name: 'w', namespace: 'litmus' },
      spec: {},
    };
    await store.transaction(projectScope(p), (tx) =>
      enqueueAction(tx, {
        ...{ infra: infraID, requestId: 'make', type: 'create', username: 'olga', namespace: 'litmus' },
        manifest: JSON.stringify(workflow),
      }),
    );

    await using api: TestApi = await startApi(createApiServer);
    const { client } = api;
    await apply(client, manifest);
    const env = await environmentOf(client);
    const first = env.ACCESS_KEY;
    await using subscriber = await startSubscriber(
      api.server.adminConfig,
      'litmus',
      env.SERVER_ADDR ?? '',
      env,
    );
    const outcome = await untilChanged(
      store,
      p,
      () =>
        store.read
          .selectFrom('actions')
          .select('outcome')
          .where('request_id', '=', 'make')
          .executeTakeFirstOrThrow(),
      (row) => row.outcome !== null,
    );
    assert.equal(JSON.parse(outcome.outcome ?? '').isDone, true, subscriber.lines.join('\n'));
    assert.equal((await client.get(WORKFLOWS, 'w', { namespace: 'litmus' })).metadata.name, 'w');
    await halted(server, { p, owner, client });
    const after = await environmentOf(client);
    assert.notEqual(after.ACCESS_KEY, first);
    assert.equal(after.IS_INFRA_CONFIRMED, 'true');
    const again = await server.data(
      `query ($p: ID!, $i: ID!) { getInfraManifest(projectID: $p, infraID: $i, upgrade: false) }`,
      { p, i: infraID },
      owner,
    );
    const inManifest = Buffer.from(after.ACCESS_KEY ?? '').toString('base64');
    assert.ok(String(again.getInfraManifest).includes(`ACCESS_KEY: ${inManifest}`));
  });
});

/** The lever goes the whole way: to the cluster, and its outcome back. */
async function halted(
  server: TestServer,
  { p, owner, client }: { readonly p: string; readonly owner: TestUser; readonly client: KubeClient },
): Promise<void> {
  const status = async (): Promise<string> => {
    const query = `query ($p: ID!) { haltStatus(projectID: $p) { isHalted state } }`;
    return JSON.stringify((await server.data(query, { p }, owner)).haltStatus);
  };
  const lever = async (): Promise<ConfigMap[]> => {
    const where = { namespace: 'kube-system', fieldSelector: 'metadata.name=turnsole-halt' };
    return (await client.list<ConfigMap>(CONFIG_MAPS, where)).items;
  };
  const halt = `mutation ($p: ID!) { haltChaos(projectID: $p, reason: "sale") { state } }`;
  await server.data(halt, { p }, owner);
  const isDone = (text: string): boolean => text.includes('DONE');
  assert.equal(
    await untilChanged(server.plane.store, p, status, isDone),
    '[{"isHalted":true,"state":"DONE"}]',
  );
  assert.deepEqual(
    (await lever()).map(({ data }) => [data?.reason, data?.by]),
    [['sale', 'olga']],
  );
  await server.data(`mutation ($p: ID!) { resumeChaos(projectID: $p) { state } }`, { p }, owner);
  assert.equal(
    await untilChanged(server.plane.store, p, status, isDone),
    '[{"isHalted":false,"state":"DONE"}]',
  );
  assert.deepEqual(await lever(), []);
}
