import { isForbidden } from '@turnsole/kube/client/errors';
import type { KubeClient } from '@turnsole/kube/client/types';
import type { KubeObject, Pod, PolicyRule } from '@turnsole/kube/kinds/core';
import { DAEMON_SETS, DEPLOYMENTS, type Resource, STATEFUL_SETS } from '@turnsole/kube/kinds/resources';
import { DEPLOYMENT_CONFIGS, ROLLOUTS } from '../../api/index.ts';
import { TargetSelectionError } from '../injection/errors.ts';
import { type Intermediates, type Owner, ownerOf } from './owner.ts';

/** The annotation by which an application agrees to chaos: ANNOTATION_KEY and ANNOTATION_VALUE under ANNOTATION_CHECK. */
export interface OptInRule {
  readonly key: string;
  readonly value: string;
}

/** The workloads whose annotations were read, by {@link workloadKey}. */
export type OptInWorkloads = ReadonlyMap<string, KubeObject | undefined>;

/** Workloads that have to be read to know their annotations; replica sets and controllers are listed for other reasons. */
const READ: ReadonlyMap<string, Resource> = new Map(
  [DEPLOYMENTS, STATEFUL_SETS, DAEMON_SETS, ROLLOUTS, DEPLOYMENT_CONFIGS].map((resource) => [
    resource.kind.toLowerCase(),
    resource,
  ]),
);

/** What a look at the annotations needs beside what target selection needs anyway. */
export const OPT_IN_PERMISSIONS: readonly PolicyRule[] = [...READ.values()].map(({ group, plural }) => ({
  apiGroups: [group],
  resources: [plural],
  verbs: ['get'],
}));

/**
 * Whether a pod's application agrees: its workload carries the annotation, or, for a pod without a workload whose annotations
 * can be read, the pod itself. Pure.
 */
export function hasOptedIn(
  pod: Pod,
  { key, value }: OptInRule,
  observed: Intermediates & { readonly workloads?: OptInWorkloads },
): boolean {
  const owner = ownerOf(pod, observed);
  const workload = owner === undefined ? undefined : workloadOf(pod, owner, observed);
  return (workload ?? pod).metadata.annotations?.[key] === value;
}

function workloadOf(
  pod: Pod,
  owner: Owner,
  observed: Intermediates & { readonly workloads?: OptInWorkloads },
): KubeObject | undefined {
  const key = `${pod.metadata.namespace}/${owner.name}`;
  if (owner.kind === 'replicaset') return observed.replicaSets.get(key);
  if (owner.kind === 'replicationcontroller') return observed.replicationControllers.get(key);
  return observed.workloads?.get(workloadKey(pod.metadata.namespace, owner));
}

/** The key of a workload in {@link OptInWorkloads}. */
export function workloadKey(namespace: string | undefined, { kind, name }: Owner): string {
  return `${kind}/${namespace}/${name}`;
}

/**
 * Reads the workloads of these pods, each once. A workload that is gone agrees to nothing: it stands as an object without
 * annotations, so that its pods do not answer in its place.
 *
 * @throws TargetSelectionError when the service account may not read them
 */
export async function readWorkloads(
  client: Pick<KubeClient, 'find'>,
  pods: readonly Pod[],
  intermediates: Intermediates,
  signal: AbortSignal,
): Promise<OptInWorkloads> {
  const found = new Map<string, Promise<KubeObject>>();
  for (const pod of pods) {
    const owner = ownerOf(pod, intermediates);
    const resource = READ.get(owner?.kind ?? '');
    if (owner === undefined || resource === undefined) continue;
    const { namespace = '' } = pod.metadata;
    const key = workloadKey(namespace, owner);
    if (!found.has(key)) found.set(key, readWorkload(client, resource, owner.name, namespace, signal));
  }
  return new Map(await Promise.all([...found].map(async ([key, object]) => [key, await object] as const)));
}

async function readWorkload(
  client: Pick<KubeClient, 'find'>,
  resource: Resource,
  name: string,
  namespace: string,
  signal: AbortSignal,
): Promise<KubeObject> {
  try {
    return (await client.find(resource, name, { namespace, signal })) ?? { metadata: { name, namespace } };
  } catch (cause) {
    if (!isForbidden(cause)) throw cause;
    throw new TargetSelectionError(
      `cannot see whether ${resource.kind.toLowerCase()} ${name} in namespace ${namespace} agrees to chaos (spec.annotationCheck): ` +
        `the service account may not get ${resource.plural}; grant it, or set annotationCheck to "false"`,
      { cause },
    );
  }
}
