import type { KubeObject, OwnerReference, Pod } from '@turnsole/kube/kinds/core';
import type { InjectionTarget } from '../../api/index.ts';

/** The workload a pod belongs to: kind in lower case. */
export type Owner = NonNullable<InjectionTarget['owner']>;

/** What stands between a pod and its workload, by `namespace/name`. */
export interface Intermediates {
  readonly replicaSets: ReadonlyMap<string, KubeObject>;
  readonly replicationControllers: ReadonlyMap<string, KubeObject>;
}

const DIRECT = new Set(['StatefulSet', 'DaemonSet', 'Job']);
const ABOVE_REPLICA_SET = new Set(['Deployment', 'Rollout', 'DeploymentConfig']);

/**
 * Gives the workload of a pod, or undefined for a bare pod.
 *
 * Rules of the compatibility reference, section 4.2, with one addition: a ReplicaSet or ReplicationController without an
 * owner of its own is the workload, where upstream finds none and fails after the pods are gone.
 */
export function ownerOf(pod: Pod, intermediates: Intermediates): Owner | undefined {
  const references = pod.metadata.ownerReferences ?? [];
  for (const reference of references) {
    if (DIRECT.has(reference.kind)) return toOwner(reference);
    if (reference.kind === 'ReplicaSet' && hasTemplateHash(pod, reference.name)) {
      return aboveOf(pod, reference, intermediates.replicaSets);
    }
    if (reference.kind === 'ReplicationController') {
      return aboveOf(pod, reference, intermediates.replicationControllers);
    }
  }
  const last = references.at(-1);
  return last === undefined ? undefined : toOwner(last);
}

/** Kinds of the objects that have to be listed to know the workloads of these pods. */
export function intermediateKinds(pods: readonly Pod[]): ReadonlySet<'ReplicaSet' | 'ReplicationController'> {
  const kinds = new Set<'ReplicaSet' | 'ReplicationController'>();
  for (const { kind } of pods.flatMap((pod) => pod.metadata.ownerReferences ?? [])) {
    if (kind === 'ReplicaSet' || kind === 'ReplicationController') kinds.add(kind);
  }
  return kinds;
}

function hasTemplateHash(pod: Pod, name: string): boolean {
  const hash = pod.metadata.labels?.['pod-template-hash'];
  return hash === undefined || name.endsWith(hash);
}

function aboveOf(pod: Pod, reference: OwnerReference, objects: ReadonlyMap<string, KubeObject>): Owner {
  const object = objects.get(`${pod.metadata.namespace}/${reference.name}`);
  const above = object?.metadata.ownerReferences?.find(({ kind }) => ABOVE_REPLICA_SET.has(kind));
  return toOwner(above ?? reference);
}

function toOwner({ kind, name, uid }: OwnerReference): Owner {
  return { kind: kind.toLowerCase(), name, uid };
}
