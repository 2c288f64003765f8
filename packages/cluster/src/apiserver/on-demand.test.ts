/** Objects that every cluster has, and that are made when somebody first looks for them. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { openLimitedJournal } from '../store/testing/limited-journal.ts';
import { asJson, asList, asObjects, type Json, valueAt } from './object.ts';
import { OWN_CLIENT } from './server.ts';
import { startTestServer, type TestServer } from './testing/test-server.ts';

const FLOW = '/apis/flowcontrol.apiserver.k8s.io/v1';
const NETWORKING = '/apis/networking.k8s.io/v1';
const RBAC = '/apis/rbac.authorization.k8s.io/v1';
const AS_TABLE = { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' };

/** What a Table shows, without the ages. */
async function rows(server: TestServer, path: string): Promise<unknown[][]> {
  const { body } = await server.call('GET', path, { headers: AS_TABLE });
  return asObjects(body.rows).map(({ cells }) =>
    asList(cells).filter((cell) => !/^\d+s$/.test(String(cell))),
  );
}

test('flow schemas in the order in which they count, and priority levels', async (t) => {
  const server = await startTestServer(t);
  assert.deepEqual(await rows(server, `${FLOW}/flowschemas`), [
    ['exempt', 'exempt', 1, '<none>', 'False'],
    ['probes', 'exempt', 2, '<none>', 'False'],
    ['system-leader-election', 'leader-election', 100, 'ByUser', 'False'],
    ['system-node-high', 'node-high', 400, 'ByUser', 'False'],
    ['system-nodes', 'system', 500, 'ByUser', 'False'],
    ['kube-controller-manager', 'workload-high', 800, 'ByNamespace', 'False'],
    ['kube-scheduler', 'workload-high', 800, 'ByNamespace', 'False'],
    ['kube-system-service-accounts', 'workload-high', 900, 'ByNamespace', 'False'],
    ['service-accounts', 'workload-low', 9000, 'ByUser', 'False'],
    ['global-default', 'global-default', 9900, 'ByUser', 'False'],
    ['catch-all', 'catch-all', 10_000, 'ByUser', 'False'],
  ]);
  const none = '<none>';
  assert.deepEqual(await rows(server, `${FLOW}/prioritylevelconfigurations`), [
    ['catch-all', 'Limited', 5, none, none, none],
    ['exempt', 'Exempt', none, none, none, none],
    ['global-default', 'Limited', 20, 128, 6, 50],
    ['leader-election', 'Limited', 10, 16, 4, 50],
    ['node-high', 'Limited', 40, 64, 6, 50],
    ['system', 'Limited', 30, 64, 6, 50],
    ['workload-high', 'Limited', 40, 128, 6, 50],
    ['workload-low', 'Limited', 100, 128, 6, 50],
  ]);
  const { body } = await server.call('GET', `${FLOW}/flowschemas/probes`);
  assert.deepEqual(body.metadata && valueAt(body, 'metadata', 'annotations'), {
    'apf.kubernetes.io/autoupdate-spec': 'true',
  });
});

test('a flow schema says whether its level is there; defaults that are deleted come back', async (t) => {
  const server = await startTestServer(t);
  const dangling = async (name: string): Promise<unknown> => {
    const { body } = await server.call('GET', `${FLOW}/flowschemas/${name}`);
    const [{ lastTransitionTime: _time, ...condition } = {}] = asObjects(asJson(body.status).conditions);
    return condition;
  };
  const spec = { priorityLevelConfiguration: { name: 'own' } };
  await server.call('POST', `${FLOW}/flowschemas`, { body: { metadata: { name: 'mine' }, spec } });
  const what = 'This FlowSchema references the PriorityLevelConfiguration object named "own"';
  assert.deepEqual(await dangling('mine'), {
    type: 'Dangling',
    status: 'True',
    reason: 'NotFound',
    message: `${what} but there is no such object`,
  });
  const level = { metadata: { name: 'own' }, spec: { type: 'Exempt' } };
  await server.call('POST', `${FLOW}/prioritylevelconfigurations`, { body: level });
  assert.deepEqual(await dangling('mine'), {
    type: 'Dangling',
    status: 'False',
    reason: 'Found',
    message: `${what} and it exists`,
  });
  await server.call('DELETE', `${FLOW}/flowschemas/catch-all`);
  assert.equal((await server.call('GET', `${FLOW}/flowschemas/catch-all`)).status, 200);
});

function service(name: string, address: string): Json {
  return { metadata: { name }, spec: { clusterIP: address, ports: [{ port: 80 }] } };
}

test('the range of services, and an address for each that has one, as long as it is there', async (t) => {
  const server = await startTestServer(t, { serviceCidr: '10.7.0.0/24' });
  const services = '/api/v1/namespaces/default/services';
  await server.call('POST', services, { body: service('one', '10.7.0.5') });
  await server.call('POST', services, { body: service('headless', 'None') });
  assert.deepEqual(await rows(server, `${NETWORKING}/servicecidrs`), [['kubernetes', '10.7.0.0/24']]);
  const { body: range } = await server.call('GET', `${NETWORKING}/servicecidrs/kubernetes`);
  assert.deepEqual(valueAt(range, 'metadata', 'finalizers'), ['networking.k8s.io/service-cidr-finalizer']);
  const [ready] = asObjects(asJson(range.status).conditions);
  assert.deepEqual([ready?.type, ready?.status], ['Ready', 'True']);
  const one = ['10.7.0.5', 'services/default/one'];
  assert.deepEqual(await rows(server, `${NETWORKING}/ipaddresses`), [one]);
  const { body: address } = await server.call('GET', `${NETWORKING}/ipaddresses/10.7.0.5`);
  assert.deepEqual(valueAt(address, 'metadata', 'labels'), {
    'ipaddress.kubernetes.io/ip-family': 'IPv4',
    'ipaddress.kubernetes.io/managed-by': 'ipallocator.k8s.io',
  });
  await server.call('POST', services, { body: service('two', '10.7.0.6') });
  await server.call('DELETE', `${NETWORKING}/ipaddresses/10.7.0.5`);
  const two = ['10.7.0.6', 'services/default/two'];
  assert.deepEqual(await rows(server, `${NETWORKING}/ipaddresses`), [one, two]);
  await server.call('DELETE', `${services}/one`);
  assert.deepEqual(await rows(server, `${NETWORKING}/ipaddresses`), [two]);
});

test('none of them is made for the parts of the cluster, which follow every kind', async (t) => {
  const { api, call } = await startTestServer(t);
  for (const [path, table] of [
    [`${FLOW}/flowschemas`, 'flowschemas.flowcontrol.apiserver.k8s.io'],
    [`${NETWORKING}/servicecidrs`, 'servicecidrs.networking.k8s.io'],
    [`${RBAC}/roles`, 'roles.rbac.authorization.k8s.io'],
  ] as const) {
    await call('GET', path, { headers: { 'user-agent': OWN_CLIENT } });
    assert.equal(api.store.count(table), 0, table);
    await call('GET', path);
    assert.notEqual(api.store.count(table), 0, table);
  }
});

test('whoever runs a server beside this one may be let read by whom its clients are certified', async (t) => {
  const server = await startTestServer(t, { listen: true });
  const role = { kind: 'Role', name: 'extension-apiserver-authentication-reader' };
  const binding = {
    metadata: { name: 'b' },
    roleRef: { ...role, apiGroup: 'rbac.authorization.k8s.io' },
    subjects: [{ kind: 'User', name: 'own', apiGroup: 'rbac.authorization.k8s.io' }],
  };
  await server.call('POST', `${RBAC}/namespaces/kube-system/rolebindings`, { body: binding });
  const path = '/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication';
  const { status, body } = await server.call('GET', path, { headers: { 'impersonate-user': 'own' } });
  assert.equal(status, 200);
  assert.match(String(valueAt(body, 'data', 'client-ca-file')), /BEGIN CERTIFICATE/);
});

test('a kept cluster gives roles what newer releases allow, and its range the present block', async (t) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'turnsole-kept-objects-'));
  t.after(() => rmSync(dataDir, { recursive: true, force: true }));
  const old = [{ verbs: ['list'], apiGroups: [''], resources: ['pods', 'events'] }];
  const [followed, kept] = ['system:heapster', 'system:kube-dns'];
  {
    const { journal } = openLimitedJournal(dataDir);
    const server = await startTestServer(t, { dataDir, journal, serviceCidr: '10.7.0.0/24' });
    for (const name of [followed, kept]) {
      const annotations = { 'rbac.authorization.kubernetes.io/autoupdate': String(name === followed) };
      await server.call('PATCH', `${RBAC}/clusterroles/${name}`, {
        type: 'application/merge-patch+json',
        body: { metadata: { annotations }, rules: old },
      });
    }
    await server.call('POST', '/api/v1/namespaces/default/services', { body: service('one', '10.7.0.5') });
    assert.equal((await rows(server, `${NETWORKING}/ipaddresses`)).length, 1);
    await journal.close();
  }
  const { journal } = openLimitedJournal(dataDir);
  const server = await startTestServer(t, { dataDir, journal, serviceCidr: '10.8.0.0/24' });
  const rulesOf = async (name: string): Promise<unknown> =>
    (await server.call('GET', `${RBAC}/clusterroles/${name}`)).body.rules;
  assert.deepEqual(await rulesOf(String(kept)), old);
  const [first, ...added] = asObjects(await rulesOf(String(followed)));
  assert.deepEqual(first, old[0]);
  assert.deepEqual(added[0], { verbs: ['get', 'watch'], apiGroups: [''], resources: ['events'] });
  assert.deepEqual((await rows(server, `${NETWORKING}/servicecidrs`))[0]?.slice(0, 2), [
    'kubernetes',
    '10.8.0.0/24',
  ]);
  const [address, ...others] = await rows(server, `${NETWORKING}/ipaddresses`);
  assert.match(String(address?.[0]), /^10\.8\.0\./);
  assert.deepEqual([address?.[1], others], ['services/default/one', []]);
  await journal.close();
});
