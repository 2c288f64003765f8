import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createApiServer } from '@turnsole/cluster/apiserver/index';
import { KindResolver } from '@turnsole/kube/apply/kind-resolver';
import type { KubeClient } from '@turnsole/kube/client/types';
import type { Role } from '@turnsole/kube/kinds/core';
import { CUSTOM_RESOURCE_DEFINITIONS, NAMESPACES, ROLES } from '@turnsole/kube/kinds/resources';
import { startApi } from '@turnsole/kube/testing/api';
import { CHAOS_EXPERIMENTS, type ChaosExperiment } from '../../api/index.ts';
import { applyObjects } from './apply-objects.ts';
import { loadFaults } from './load-faults.ts';
import { lostRights } from './lost-rights.ts';
import { renderInstall } from './render.ts';
import { compileInstallSettings } from './settings.ts';

const SHOP = { namespace: 'shop' };
/** As kubectl apply names itself. */
const KUBECTL = { ...SHOP, fieldManager: 'kubectl-client-side-apply' };

/** What is installed for pod-delete in namespace shop, its Deployments excepted, which nothing runs here. */
async function install(client: KubeClient, version = '1.2.3'): Promise<Map<string, readonly string[]>> {
  const { settings } = compileInstallSettings(
    { faults: ['pod-delete'], faultNamespace: ['shop'], workflows: false },
    { version, faults: ['pod-delete'] },
  );
  const objects = renderInstall(settings, await loadFaults(['pod-delete']));
  const remarks = new Map<string, readonly string[]>();
  const signal = AbortSignal.timeout(60_000);
  await applyObjects(objects, {
    ...{ client, signal, kinds: new KindResolver(client) },
    onApplied: ({ kind, metadata }, outcome, said) =>
      remarks.set(`${kind} ${metadata.name} ${outcome}`, said),
  });
  return remarks;
}

/** As LitmusChaos' charts have it, with settings of its user. */
const UPSTREAMS = {
  metadata: { name: 'pod-delete', labels: { name: 'pod-delete', 'app.kubernetes.io/version': 'ci' } },
  spec: {
    definition: {
      scope: 'Namespaced',
      permissions: [{ apiGroups: [''], resources: ['pods'], verbs: ['create', 'deletecollection'] }],
      image: 'litmuschaos/go-runner:latest',
      imagePullPolicy: 'Always',
      command: ['/bin/bash'],
      args: ['-c', './experiments -name pod-delete'],
      env: [
        { name: 'TOTAL_CHAOS_DURATION', value: '15' },
        { name: 'RAMP_TIME', value: '' },
        { name: 'FORCE', value: 'true' },
        { name: 'CHAOS_INTERVAL', value: '5' },
        { name: 'LIB', value: 'litmus' },
      ],
      secrets: [{ name: 'cloud-secret', mountPath: '/tmp/' }],
    },
  },
};

async function definition(client: KubeClient): Promise<Partial<ChaosExperiment['spec']['definition']>> {
  return (await client.get<ChaosExperiment>(CHAOS_EXPERIMENTS, 'pod-delete', SHOP)).spec.definition;
}

/** A cluster that has LitmusChaos' definitions, and the namespace. */
async function withShop(client: KubeClient): Promise<void> {
  await client.create(NAMESPACES, { metadata: { name: 'shop' } });
  await install(client);
  const found = await client.list(CUSTOM_RESOURCE_DEFINITIONS);
  assert.ok(found.items.length > 0);
  await client.delete(CHAOS_EXPERIMENTS, 'pod-delete', SHOP);
  await client.delete(ROLES, 'pod-delete-sa', SHOP);
}

test('over an experiment of LitmusChaos: its program is replaced, its settings stay, and both are said', async () => {
  await using api = await startApi(createApiServer);
  const { client } = api;
  await withShop(client);
  await client.create(CHAOS_EXPERIMENTS, UPSTREAMS, KUBECTL);
  const said = await install(client);
  const { image, command, args, env, secrets } = await definition(client);
  assert.deepEqual(
    { image, command, args },
    { image: 'turnsole/turnsole:1.2.3', command: [], args: ['experiment', '-name', 'pod-delete'] },
  );
  assert.deepEqual(env, UPSTREAMS.spec.definition.env);
  assert.deepEqual(secrets, UPSTREAMS.spec.definition.secrets);
  assert.deepEqual(said.get('ChaosExperiment pod-delete changed'), [
    'image "litmuschaos/go-runner:latest", command ["/bin/bash"], args ["-c","./experiments -name pod-delete"] of ' +
      'kubectl-client-side-apply replaced',
    'env stays as kubectl-client-side-apply has written it; other than by default: TOTAL_CHAOS_DURATION=15, CHAOS_INTERVAL=5, FORCE=true',
    "secrets stay: they apply to the experiment's pods, and the fault needs none of them",
  ]);
  // Again, and with the next release: what the installation owns follows, what the user owns stays.
  const again = await install(client);
  assert.equal(again.get('ChaosExperiment pod-delete unchanged')?.length, 2);
  await install(client, '1.3.0');
  const next = await definition(client);
  assert.equal(next.image, 'turnsole/turnsole:1.3.0');
  assert.deepEqual(next.env, UPSTREAMS.spec.definition.env);
});

test('over an own experiment: a setting that a user has edited stays, the others follow the release', async () => {
  await using api = await startApi(createApiServer);
  const { client } = api;
  await client.create(NAMESPACES, { metadata: { name: 'shop' } });
  await install(client);
  const untouched = await install(client);
  assert.deepEqual(untouched.get('ChaosExperiment pod-delete unchanged'), []);
  const { env = [] } = await definition(client);
  const edited = env.map((one) => (one.name === 'FORCE' ? { name: 'FORCE', value: 'true' } : one));
  const change = { spec: { definition: { env: edited } } };
  await client.patch(CHAOS_EXPERIMENTS, 'pod-delete', 'merge', change, {
    ...SHOP,
    fieldManager: 'kubectl-edit',
  });
  const said = await install(client, '1.3.0');
  assert.deepEqual(said.get('ChaosExperiment pod-delete changed'), [
    'env stays as kubectl-edit has written it; other than by default: FORCE=true',
  ]);
  const after = await definition(client);
  assert.equal(after.image, 'turnsole/turnsole:1.3.0');
  assert.deepEqual(after.env, edited);
});

test('over a role of others: rights that go are named', async () => {
  await using api = await startApi(createApiServer);
  const { client } = api;
  await withShop(client);
  const rules = [
    { apiGroups: [''], resources: ['pods'], verbs: ['create', 'delete', 'get', 'list', 'deletecollection'] },
    { apiGroups: ['argoproj.io'], resources: ['rollouts'], verbs: ['list'] },
  ];
  await client.create<Role>(ROLES, { metadata: { name: 'pod-delete-sa' }, rules }, KUBECTL);
  const said = await install(client);
  const [remark = ''] = said.get('Role pod-delete-sa changed') ?? [];
  assert.match(remark, /^rights of kubectl-client-side-apply .* are gone: .*deletecollection pods/);
  assert.doesNotMatch(remark, /[ /]get/);
  assert.deepEqual((await install(client)).get('Role pod-delete-sa unchanged'), []);
});

test('lost rights: what the other rules grant, also for all objects, is not lost', () => {
  const pods = (verbs: string[], resourceNames?: string[]) => ({
    ...{ apiGroups: [''], resources: ['pods'], verbs },
    ...(resourceNames && { resourceNames }),
  });
  assert.deepEqual(lostRights([pods(['get', 'list'])], [pods(['list', 'get', 'watch'])]), []);
  assert.deepEqual(lostRights([pods(['get'], ['web'])], [pods(['get'])]), []);
  assert.deepEqual(lostRights([pods(['get'])], [pods(['get'], ['web'])]), ['get pods']);
  assert.deepEqual(lostRights([pods(['patch', 'get'], ['web'])], []), ['get/patch pods web']);
  const rollouts = { apiGroups: ['argoproj.io'], resources: ['rollouts'], verbs: ['list'] };
  assert.deepEqual(lostRights([rollouts], [pods(['list'])]), ['list rollouts.argoproj.io']);
});
