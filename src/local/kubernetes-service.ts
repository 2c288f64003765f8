import type { Endpoints, KubeObject, Service } from '../api/core.ts';
import { ENDPOINT_SLICES, ENDPOINTS, type Resource, SERVICES } from '../api/resources.ts';
import { isAlreadyExists } from '../kube/client/errors.ts';
import type { KubeClient, NewObject } from '../kube/client/types.ts';
import type { EndpointSlice } from './controllers/shared/types.ts';

/**
 * Makes the service `kubernetes` of the namespace `default`, which leads to the API server; a real API server makes it
 * too. It has no selector: its endpoints are made here as well.
 */
export async function publishApiServer(client: KubeClient, host: string, port: number): Promise<void> {
  const namespace = 'default';
  const labels = { component: 'apiserver', provider: 'kubernetes' };
  const ports = [{ name: 'https', port, protocol: 'TCP' }];
  await ensure<Service>(client, SERVICES, {
    metadata: { name: 'kubernetes', namespace, labels },
    spec: { type: 'ClusterIP', ports: [{ name: 'https', port: 443, protocol: 'TCP', targetPort: port }] },
  });
  await ensure<Endpoints>(client, ENDPOINTS, {
    metadata: {
      name: 'kubernetes',
      namespace,
      labels: { 'endpointslice.kubernetes.io/skip-mirror': 'true' },
    },
    subsets: [{ addresses: [{ ip: host }], ports }],
  });
  await ensure<EndpointSlice>(client, ENDPOINT_SLICES, {
    metadata: { name: 'kubernetes', namespace, labels: { 'kubernetes.io/service-name': 'kubernetes' } },
    addressType: 'IPv4',
    endpoints: [{ addresses: [host], conditions: { ready: true } }],
    ports,
  });
}

async function ensure<T extends KubeObject>(
  client: KubeClient,
  resource: Resource,
  object: NewObject<T>,
): Promise<void> {
  try {
    await client.create<T>(resource, object, { namespace: 'default' });
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
  }
}
