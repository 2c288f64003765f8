import type { KubeClient } from '@turnsole/kube/client/types';
import type { KubeObject } from '@turnsole/kube/kinds/core';

interface Groups {
  readonly groups: readonly { readonly preferredVersion: { readonly groupVersion: string } }[];
}

interface Resources {
  readonly resources: readonly {
    readonly name: string;
    readonly kind: string;
    readonly verbs?: readonly string[];
  }[];
}

/**
 * `Kind namespace/name` of every object of every kind that can be listed and deleted: figures and reviews are none. What a controller has made is
 * there by its owner, as it may be replaced by another one at any time.
 */
export async function inventory(client: KubeClient): Promise<Set<string>> {
  const { groups } = await client.raw<Groups>('GET', '/apis');
  const roots = [
    '/api/v1',
    ...groups.map(({ preferredVersion }) => `/apis/${preferredVersion.groupVersion}`),
  ];
  const found = new Set<string>();
  for (const root of roots) {
    const { resources } = await client.raw<Resources>('GET', root);
    const listed = resources.filter(
      ({ name, verbs = [] }) => !name.includes('/') && verbs.includes('list') && verbs.includes('delete'),
    );
    for (const { name, kind } of listed) {
      const { items } = await client.raw<{ items: readonly KubeObject[] }>('GET', `${root}/${name}`);
      for (const { metadata } of items) found.add(`${kind} ${metadata.namespace ?? ''}/${nameOf(metadata)}`);
    }
  }
  return found;
}

function nameOf({ name, ownerReferences = [] }: KubeObject['metadata']): string {
  const owner = ownerReferences.find(({ controller }) => controller === true);
  return owner === undefined ? name : `(of ${owner.kind} ${owner.name})`;
}
