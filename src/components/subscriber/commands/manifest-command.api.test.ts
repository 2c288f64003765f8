/** Manifests of a control plane against an API server: what is done, and what is refused and why. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createApiServer } from '@turnsole/cluster/apiserver/index';
import { KindResolver } from '@turnsole/kube/apply/kind-resolver';
import type { KubeClient } from '@turnsole/kube/client/types';
import type { KubeObject } from '@turnsole/kube/kinds/core';
import { CONFIG_MAPS, DEPLOYMENTS, NAMESPACES } from '@turnsole/kube/kinds/resources';
import { startApi, type TestApi } from '@turnsole/kube/testing/api';
import { PATIENCE_MS } from '@turnsole/kube/testing/until';
import { WORKFLOWS } from '@turnsole/workflows/kinds/resources';
import { CHAOS_ENGINES } from '../../../api/resources.ts';
import { createInfrastructure, defineRunKinds } from '../testing/infrastructure.ts';
import { type Action, readAction } from './action.ts';
import { DEFAULT_KINDS, type ManifestVerb } from './allowed.ts';
import { changeByManifest } from './manifest-command.ts';
import type { Outcome } from './outcome.ts';

const NAMESPACE = 'litmus';
const PLACE = { namespace: NAMESPACE };

let api: TestApi;
before(async () => {
  api = await startApi(createApiServer);
  await defineRunKinds(api.client);
  await createInfrastructure(api.client, NAMESPACE);
  await api.client.create(NAMESPACES, { metadata: { name: 'shop' } });
});
after(() => api[Symbol.asyncDispose]());

function change(
  verb: ManifestVerb,
  manifest: string | object,
  of: Partial<Action> = {},
  client: Partial<KubeClient> = api.client,
  leftOutLabel?: string,
): Promise<Outcome> {
  const text = typeof manifest === 'string' ? manifest : JSON.stringify(manifest);
  const action = { ...(readAction({}) as Action), manifest: text, namespace: NAMESPACE, ...of };
  const allowed = {
    kinds: new Set([...DEFAULT_KINDS, 'Gone.turnsole.io', 'Nothing.argoproj.io']),
    namespaces: new Set([NAMESPACE]),
    ownNamespace: NAMESPACE,
  };
  const context = {
    client: client as KubeClient,
    kinds: new KindResolver(api.client),
    allowed,
    leftOutLabel,
  };
  return changeByManifest(verb, action, context, AbortSignal.timeout(PATIENCE_MS));
}

function run(name: string, spec: object = {}, labels: object = {}): object {
  const metadata = { name, namespace: 'elsewhere', labels };
  return { apiVersion: 'argoproj.io/v1alpha1', kind: 'Workflow', metadata, spec };
}

test('an object is made where the action says, with the mark of its user; a second time it is there already', async () => {
  const created = await change('create', run('made', { entrypoint: 'a' }), { username: 'Ann Example' });
  assert.deepEqual(created, { isDone: true, message: 'Workflow made created' });
  const { metadata } = await api.client.get<KubeObject>(WORKFLOWS, 'made', PLACE);
  assert.equal(metadata.labels?.updated_by, Buffer.from('Ann Example').toString('base64url'));
  const again = await change('create', run('made', { entrypoint: 'b' }));
  assert.deepEqual(again, { isDone: true, message: 'Workflow made was there already' });
});

test('a label that is to be left out is, and no other', async () => {
  const labels = { 'example.com/instance': 'one', app: 'web' };
  await change('create', run('unlabelled', {}, labels), {}, api.client, 'example.com/instance');
  const { metadata } = await api.client.get<KubeObject>(WORKFLOWS, 'unlabelled', PLACE);
  assert.equal(metadata.labels?.['example.com/instance'], undefined);
  assert.equal(metadata.labels?.app, 'web');
});

test('a user whose name no label can hold makes objects as well', async () => {
  const username = `${'long'.repeat(20)}@example.com`;
  assert.equal((await change('create', run('by-long'), { username })).isDone, true);
  const { metadata } = await api.client.get<KubeObject>(WORKFLOWS, 'by-long', PLACE);
  assert.equal(metadata.labels?.updated_by, undefined);
  const mark = metadata.annotations?.['turnsole.io/updated-by'] ?? '';
  assert.equal(Buffer.from(mark, 'base64url').toString(), username);
});

test('an object is replaced, also when its controller writes its status in between', async () => {
  await change('create', run('busy', { step: 0 }));
  let writes = 0;
  const update: KubeClient['update'] = async (...args) => {
    const status = { writes: writes++ };
    if (writes < 3) await api.client.patch(WORKFLOWS, 'busy', 'merge', { status }, PLACE);
    return api.client.update(...args);
  };
  const find: KubeClient['find'] = (...args) => api.client.find(...args);
  const { isDone, message } = await change('update', run('busy', { step: 1 }), {}, { update, find });
  assert.ok(isDone, message);
  const { spec } = await api.client.get<KubeObject & { spec?: { step: number } }>(WORKFLOWS, 'busy', PLACE);
  assert.equal(spec?.step, 1);
  assert.equal(writes, 3);
});

test('objects are deleted by name or by labels, among which the mark of the user does not count', async () => {
  for (const name of ['one', 'two', 'kept']) {
    await change('create', run(name, {}, { group: name === 'kept' ? 'b' : 'a' }));
  }
  assert.equal((await change('delete', run('never-there'))).isDone, true);
  const metadata = { labels: { group: 'a', updated_by: 'x' } };
  const byLabel = { apiVersion: 'argoproj.io/v1alpha1', kind: 'Workflow', metadata };
  assert.deepEqual(await change('delete', byLabel), {
    isDone: true,
    message: 'workflows with group=a deleted',
  });
  const { items } = await api.client.list(WORKFLOWS, { ...PLACE, labelSelector: 'group' });
  assert.deepEqual(
    items.map((item) => item.metadata.name),
    ['kept'],
  );
  const { message } = await change('delete', { ...byLabel, metadata: {} });
  assert.equal(message, 'a manifest to be deleted must have a name or labels');
});

test('an object is looked at', async () => {
  await change('create', run('seen'));
  assert.equal((await change('get', run('seen'))).message, 'Workflow seen is there');
  assert.deepEqual(await change('get', run('unseen')), {
    isDone: false,
    message: 'there is no Workflow unseen',
  });
});

test("the agent is removed by the server's own words, which are YAML and no JSON", async () => {
  const config = `{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "subscriber-config", "namespace": litmus,}}`;
  assert.equal((await change('delete', config)).isDone, true);
  assert.equal(await api.client.find(CONFIG_MAPS, 'subscriber-config', PLACE), undefined);
  for (const app of ['subscriber', 'shop']) {
    const labels = { app };
    const template = { metadata: { labels }, spec: { containers: [{ name: 'a', image: 'b' }] } };
    const spec = { selector: { matchLabels: labels }, template };
    await api.client.create(DEPLOYMENTS, { metadata: { name: app, labels }, spec } as never, PLACE);
  }
  const deployments = `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"labels":{"app":"subscriber"},"namespace":litmus,}}`;
  assert.equal((await change('delete', deployments)).isDone, true);
  assert.equal(await api.client.find(DEPLOYMENTS, 'subscriber', PLACE), undefined);
  assert.ok((await api.client.find(DEPLOYMENTS, 'shop', PLACE)) !== undefined);
});

const BOMB = `a: &a [x, x, x, x, x, x, x, x, x]\n${['b', 'c', 'd', 'e', 'f']
  .map((name, index) => `${name}: &${name} [${Array(9).fill(`*${'abcdef'[index]}`).join(', ')}]`)
  .join('\n')}`;

const REFUSED: readonly (readonly [
  name: string,
  manifest: string | object,
  message: RegExp,
  of?: Partial<Action>,
])[] = [
  ['nothing', '', /^the manifest must/],
  ['a word', 'hello', /^the manifest must have apiVersion, kind and metadata$/],
  ['no YAML', 'password: "s3cret\nkind: [', /^the manifest is no YAML: (?!.*s3cret)/s],
  ['two objects', 'a: 1\n---\nb: 2', /^the manifest must be one object, found 2$/],
  ['a list', '[]', /^the manifest must have/],
  ['a YAML that explodes', BOMB, /^the manifest cannot be read/],
  ['a JSON that is no object of Kubernetes', '{"kind":"Workflow"}', /^the manifest must have/],
  ['a name that is no text', run(7 as never), /^the manifest must have/],
  ['too large', `#${'x'.repeat(1.5 * 1024 * 1024)}`, /^the manifest has 1572865 bytes; at most 1572864/],
  [
    'a kind that is not allowed',
    { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'x' } },
    /^kind Secret is not/,
  ],
  [
    'a kind that is allowed and not served',
    { apiVersion: 'turnsole.io/v1', kind: 'Gone', metadata: { name: 'x' } },
    /^the cluster serves no API turnsole.io\/v1/,
  ],
  [
    'a kind that its API does not have',
    { apiVersion: 'argoproj.io/v1alpha1', kind: 'Nothing', metadata: { name: 'x' } },
    /^unknown kind Nothing/,
  ],
  ['another namespace', run('x'), /^namespace shop is not allowed/, { namespace: 'shop' }],
  ['no name', { ...run('x'), metadata: {} }, /^the manifest has no name$/],
];

for (const [name, manifest, message, of] of REFUSED) {
  test(`refused: ${name}`, async () => {
    const before = await api.client.list(WORKFLOWS, {});
    const outcome = await change('create', manifest, of);
    assert.equal(outcome.isDone, false);
    assert.match(outcome.message, message);
    const after = await api.client.list(WORKFLOWS, {});
    assert.equal(after.items.length, before.items.length);
  });
}

test('what the API server refuses is an error that names the object', async () => {
  await assert.rejects(change('create', run('Not A Name')), /workflows.*Not A Name/s);
  assert.equal((await api.client.list(CHAOS_ENGINES, PLACE)).items.length, 0);
});
