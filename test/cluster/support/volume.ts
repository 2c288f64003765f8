/** A volume for the claim of a control plane, on clusters that make none themselves. */
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { KubeClient } from '@turnsole/kube/client/types';
import type { KubeObject } from '@turnsole/kube/kinds/core';
import { NODES, type Resource } from '@turnsole/kube/kinds/resources';
import { waitForList } from '@turnsole/kube/runtime/wait';
import { CONTROL_PLANE_NAME } from '../../../src/services/install/names.ts';
import { TEST_NAMESPACE } from './namespaces.ts';
import type { ClusterSettings } from './settings.ts';

const PERSISTENT_VOLUMES: Resource = {
  ...{ group: '', version: 'v1', plural: 'persistentvolumes', kind: 'PersistentVolume', namespaced: false },
};
const STORAGE_CLASSES: Resource = {
  ...{
    group: 'storage.k8s.io',
    version: 'v1',
    plural: 'storageclasses',
    kind: 'StorageClass',
    namespaced: false,
  },
};
const DEFAULT_CLASS = 'storageclass.kubernetes.io/is-default-class';
const GONE_LIMIT_MS = 60_000;

/** Whether the cluster makes volumes for claims that name no class. */
export async function makesVolumes(client: KubeClient): Promise<boolean> {
  const { items } = await client.list<KubeObject>(STORAGE_CLASSES);
  return items.some(({ metadata }) => metadata.annotations?.[DEFAULT_CLASS] === 'true');
}

/** Makes the volume: a folder of this machine, which has to be the cluster's only node. The suite removes the folder with its others. */
export async function makeVolume(
  client: KubeClient,
  { namespace, inventory }: Pick<ClusterSettings, 'namespace' | 'inventory'>,
): Promise<void> {
  const path = join(dirname(inventory), 'volume');
  await mkdir(path);
  const [node] = (await client.list<KubeObject>(NODES)).items;
  const hostname = node?.metadata.labels?.['kubernetes.io/hostname'] ?? '';
  const onNode = { key: 'kubernetes.io/hostname', operator: 'In', values: [hostname] };
  await client.create(PERSISTENT_VOLUMES, {
    metadata: { name: `${namespace}-${CONTROL_PLANE_NAME}`, labels: TEST_NAMESPACE },
    spec: {
      capacity: { storage: '10Gi' },
      accessModes: ['ReadWriteOnce'],
      persistentVolumeReclaimPolicy: 'Retain',
      claimRef: { namespace, name: CONTROL_PLANE_NAME },
      // Not `hostPath`, which stays root's: a claim's volume is given to the group of the pod.
      local: { path },
      nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions: [onNode] }] } },
    },
  } as never);
}

/** Deletes the volumes that tests have made, whose claims are gone by then. */
export async function testVolumesGone(client: KubeClient): Promise<void> {
  const labelSelector = Object.entries(TEST_NAMESPACE)
    .map(([key, value]) => `${key}=${value}`)
    .join();
  await client.deleteCollection(PERSISTENT_VOLUMES, { labelSelector });
  await waitForList(client, PERSISTENT_VOLUMES, (found) => found.length === 0, {
    labelSelector,
    timeoutMs: GONE_LIMIT_MS,
  });
}
