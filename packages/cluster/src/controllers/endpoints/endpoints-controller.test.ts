import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Endpoints, Pod, Service, ServiceAccount } from '@turnsole/kube/kinds/core';
import {
  CONFIG_MAPS,
  ENDPOINT_SLICES,
  ENDPOINTS,
  NAMESPACES,
  PODS,
  SERVICE_ACCOUNTS,
  SERVICES,
} from '@turnsole/kube/kinds/resources';
import type { EndpointSlice } from '../shared/types.ts';
import { startTestCluster } from '../testing/cluster.ts';

const SERVICE: Service = {
  metadata: { name: 'web', namespace: 'default' },
  spec: { selector: { app: 'web' }, ports: [{ port: 80, targetPort: 8080 }] },
};

function web(name: string): Pod {
  return {
    metadata: { name, namespace: 'default', labels: { app: 'web' } },
    spec: { containers: [{ name: 'main', image: 'sample' }] },
  };
}

const ready = (endpoints: Endpoints) =>
  (endpoints.subsets ?? []).flatMap(({ addresses = [] }) => addresses.map(({ ip }) => ip));

test('endpoints follow readiness and deletion of pods', async (t) => {
  const cluster = await startTestCluster(t);
  await cluster.create(SERVICES, SERVICE);
  const first = await cluster.create(PODS, web('a'));
  const second = await cluster.create(PODS, web('b'));
  await cluster.object<Endpoints>(ENDPOINTS, 'web', (endpoints) => ready(endpoints).length === 0);
  await cluster.run(first, { podIP: '10.0.0.1', podIPs: [{ ip: '10.0.0.1' }] });
  await cluster.run(second, { podIP: '10.0.0.2', podIPs: [{ ip: '10.0.0.2' }] });
  await cluster.object<Endpoints>(ENDPOINTS, 'web', (endpoints) => ready(endpoints).length === 2);
  await cluster.setPodStatus(second, { conditions: [{ type: 'Ready', status: 'False' }] });
  await cluster.object<Endpoints>(ENDPOINTS, 'web', (endpoints) => ready(endpoints).join() === '10.0.0.1');
  const slices = await cluster.list<EndpointSlice>(ENDPOINT_SLICES, (all) =>
    all.some(({ endpoints }) => endpoints.some(({ conditions }) => conditions?.ready === false)),
  );
  const own = slices.filter(({ metadata }) => metadata.labels?.['kubernetes.io/service-name'] === 'web');
  assert.equal(own.length, 1);
  await cluster.client.delete(PODS, 'a', { namespace: 'default' });
  await cluster.object<Endpoints>(ENDPOINTS, 'web', (endpoints) => ready(endpoints).length === 0);
  await cluster.client.delete(SERVICES, 'web', { namespace: 'default' });
  await cluster.gone(ENDPOINTS, 'web');
  await cluster.list<EndpointSlice>(ENDPOINT_SLICES, (all) =>
    all.every(({ metadata }) => metadata.labels?.['kubernetes.io/service-name'] !== 'web'),
  );
});

test('endpoints of a service without selector belong to another client', async (t) => {
  const cluster = await startTestCluster(t);
  await cluster.create(SERVICES, {
    metadata: { name: 'db', namespace: 'default' },
    spec: { ports: [{ port: 1 }] },
  } as Service);
  const own: Endpoints = {
    metadata: { name: 'db', namespace: 'default' },
    subsets: [{ addresses: [{ ip: '192.0.2.1' }], ports: [{ port: 1 }] }],
  };
  await cluster.create(ENDPOINTS, own);
  await cluster.create(SERVICES, SERVICE);
  await cluster.object<Endpoints>(ENDPOINTS, 'web', () => true);
  const left = await cluster.object<Endpoints>(ENDPOINTS, 'db', () => true);
  assert.deepEqual(ready(left), ['192.0.2.1']);
});

test('each namespace gets its default account and the root certificate', async (t) => {
  const cluster = await startTestCluster(t, { options: { certificateAuthority: 'PEM' } });
  await cluster.object<ServiceAccount>(SERVICE_ACCOUNTS, 'default', () => true, 'kube-system');
  await cluster.create(NAMESPACES, { metadata: { name: 'shop' } });
  await cluster.object<ServiceAccount>(SERVICE_ACCOUNTS, 'default', () => true, 'shop');
  await cluster.object(CONFIG_MAPS, 'kube-root-ca.crt', () => true, 'shop');
  await cluster.client.delete(SERVICE_ACCOUNTS, 'default', { namespace: 'shop' });
  await cluster.object<ServiceAccount>(SERVICE_ACCOUNTS, 'default', () => true, 'shop');
});
