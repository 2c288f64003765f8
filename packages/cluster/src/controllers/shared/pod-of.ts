import type { KubeObject, Pod, PodTemplateSpec } from '@turnsole/kube/kinds/core';
import type { Resource } from '@turnsole/kube/kinds/resources';
import { ownerReference } from '@turnsole/kube/runtime/index';

/** A new pod, whose name the server completes. */
export type GeneratedPod = Omit<Pod, 'metadata'> & {
  metadata: Omit<Pod['metadata'], 'name'> & { generateName: string };
};

/** A pod of the owner, made from its template. */
export function podOf(
  resource: Resource,
  owner: KubeObject & { readonly spec?: { readonly template?: PodTemplateSpec } },
): GeneratedPod {
  const { metadata = {}, spec } = owner.spec?.template ?? {};
  const { name: _name, namespace: _namespace, ...rest } = metadata;
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      ...rest,
      generateName: `${owner.metadata.name}-`,
      namespace: owner.metadata.namespace,
      ownerReferences: [ownerReference(resource, owner)],
    },
    spec,
  };
}
