import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { KindResolver } from '@turnsole/kube/apply/kind-resolver';
import type { KubeClient } from '@turnsole/kube/client/types';
import {
  CLUSTER_ROLE_BINDINGS,
  CONFIG_MAPS,
  NAMESPACES,
  PERSISTENT_VOLUME_CLAIMS,
  SECRETS,
  SERVICE_ACCOUNTS,
} from '@turnsole/kube/kinds/resources';
import { readDocuments } from '../recordings/manifests.ts';
import { create } from './create.ts';

/** What Argo's own continuous integration applies of all files before it runs the examples. */
const SHARED_KINDS = new Set(['ConfigMap', 'WorkflowTemplate', 'ClusterWorkflowTemplate']);

/** The repository of artifacts of an example, and the volume that another one finds. */
const CLAIMS = ['artifacts', 'my-existing-volume'];

/** Service accounts that the examples name; the examples need rights of all kinds. */
const ACCOUNTS = ['default', 'argo-server'];

/** Makes the namespace and everything that the examples of a folder take for granted. */
export async function prepare(client: KubeClient, folder: string, namespace: string): Promise<void> {
  await create(client, NAMESPACES, { metadata: { name: namespace } });
  await create(client, SERVICE_ACCOUNTS, { metadata: { name: 'argo-server', namespace } });
  await create(client, CLUSTER_ROLE_BINDINGS, {
    metadata: { name: `examples-in-${namespace}` },
    subjects: ACCOUNTS.map((name) => ({ kind: 'ServiceAccount', name, namespace })),
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
  });
  // Sizes of the semaphores.
  await create(client, CONFIG_MAPS, {
    metadata: { name: 'my-config', namespace },
    data: { workflow: '3', template: '3' },
  });
  await create(client, SECRETS, {
    metadata: { name: 'my-secret', namespace },
    data: { mypassword: Buffer.from('S00perS3cretPa55word').toString('base64') },
  });
  for (const name of CLAIMS) {
    await create(client, PERSISTENT_VOLUME_CLAIMS, {
      metadata: { name, namespace },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
    });
  }
  await create(client, CONFIG_MAPS, {
    metadata: { name: 'artifact-repositories', namespace },
    data: { 'my-key': 'volume: { persistentVolumeClaim: { claimName: artifacts } }' },
  });
  const kinds = new KindResolver(client);
  for (const entry of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    if (!entry.endsWith('.yaml')) continue;
    for (const document of readDocuments(readFileSync(join(folder, entry), 'utf8'))) {
      if (!SHARED_KINDS.has(document.kind ?? '')) continue;
      const resource = await kinds.resolve(document.apiVersion ?? '', document.kind ?? '');
      if (typeof resource === 'string') throw new Error(`${entry}: ${resource}`);
      const metadata = resource.namespaced ? { ...document.metadata, namespace } : document.metadata;
      await create(client, resource, { ...document, metadata });
    }
  }
}
