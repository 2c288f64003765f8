import type { KubeObject, Pod, PodTemplateSpec } from '@turnsole/kube/kinds/core';
import { matchesLabels, parseLabelSelector } from '@turnsole/kube/text/label-selector';
import type { InjectionTarget } from '../../api/index.ts';
import { workloadKey } from './opt-in.ts';
import { ownerOf } from './owner.ts';
import { type ObservedPods, type PodRequest, podQueries } from './select-pods.ts';

/** A workload of manifests that are not applied yet, with the namespace it will be in. */
type WorkloadToBe = KubeObject & {
  readonly spec?: {
    readonly replicas?: number;
    readonly ordinals?: { readonly start?: number };
    readonly template?: PodTemplateSpec;
  };
};

/** Workloads that are in the manifests and not in the cluster, as targets: they have no names yet. */
export interface TargetsToBe {
  /** Lower-case kind of the workload; `pod` for a bare pod. */
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  /** Its pods that would be hit in one round; absent where only the cluster knows: a pod on each node, or the workload itself. */
  readonly hit?: number;
  readonly of?: number;
}

const OF_REPLICAS: ReadonlySet<string> = new Set([
  'Deployment',
  'StatefulSet',
  'ReplicaSet',
  'ReplicationController',
  'Rollout',
  'DeploymentConfig',
]);

/**
 * Adds the pods that workloads to be will have, where the request asks for them. A workload of which pods run already is left as it is.
 * On which nodes they will run is not known, so that a label of nodes leaves them in. Pure.
 */
export function withPodsToBe(
  request: PodRequest,
  observed: ObservedPods,
  workloads: readonly KubeObject[],
): ObservedPods {
  const running = new Set(observed.lists.flat().flatMap((pod) => identitiesOf(pod, observed)));
  const added = workloads.filter((workload) => !running.has(identityOf(workload)));
  const pods = added.flatMap(podsToBe);
  if (pods.length === 0) return observed;
  const queries = podQueries(request);
  const lists = observed.lists.map((list, index) => {
    const { namespace, selector } = queries[index] ?? {};
    const wanted = parseLabelSelector(selector ?? '');
    const matching = pods.filter(
      ({ metadata }) => metadata.namespace === namespace && matchesLabels(wanted, metadata.labels),
    );
    return [...list, ...matching];
  });
  const named = new Map(added.map((one) => [workloadKey(one.metadata.namespace, ownerReference(one)), one]));
  const byName = (kind: string): Map<string, KubeObject> =>
    new Map(
      added
        .filter((one) => one.kind === kind)
        .map((one) => [`${one.metadata.namespace}/${one.metadata.name}`, one]),
    );
  return {
    ...observed,
    lists,
    // Without a node of that label none of them is hit either.
    nodes: observed.nodes?.size === 0 ? observed.nodes : undefined,
    workloads: new Map([...(observed.workloads ?? []), ...named]),
    replicaSets: new Map([...observed.replicaSets, ...byName('ReplicaSet')]),
    replicationControllers: new Map([...observed.replicationControllers, ...byName('ReplicationController')]),
  };
}

/** Whether a target is not there yet: whatever the cluster has has a uid. */
export function isToBe({ uid, kind }: InjectionTarget): boolean {
  return uid === undefined && kind !== 'node';
}

/** Targets to be, counted by their workloads. Pure. */
export function countTargetsToBe(
  targets: readonly InjectionTarget[],
  workloads: readonly KubeObject[],
): TargetsToBe[] {
  const hit = new Map<string, { of: InjectionTarget; pods: Set<string> }>();
  for (const target of targets) {
    const { kind, name } = target.owner ?? target;
    const key = `${kind}/${target.namespace}/${name}`;
    const entry = hit.get(key) ?? { of: target, pods: new Set() };
    // Several containers of a pod are several targets.
    entry.pods.add(target.name);
    hit.set(key, entry);
  }
  return [...hit].map(([key, { of: target, pods }]) => {
    const { kind, name } = target.owner ?? target;
    const head = { kind, namespace: target.namespace ?? '', name };
    const workload = workloads.find((one) => identityOf(one) === key);
    const isCounted = target.owner !== undefined && OF_REPLICAS.has(workload?.kind ?? '');
    return isCounted && workload !== undefined
      ? { ...head, hit: pods.size, of: podsToBe(workload).length }
      : head;
  });
}

function podsToBe(workload: WorkloadToBe): Pod[] {
  const { kind = '', metadata, spec } = workload;
  const { namespace = '', name } = metadata;
  if (kind === 'Pod') {
    const { uid: _, ...rest } = metadata;
    return [{ ...(workload as Pod), metadata: rest }];
  }
  const isDaemon = kind === 'DaemonSet';
  if (spec?.template === undefined || !(isDaemon || OF_REPLICAS.has(kind))) return [];
  const { template, replicas = 1, ordinals } = spec;
  const first = ordinals?.start ?? 0;
  return Array.from({ length: isDaemon ? 1 : replicas }, (_, index) => ({
    metadata: {
      // Only those of a StatefulSet are known; a name with a space is no pod's.
      name: kind === 'StatefulSet' ? `${name}-${first + index}` : `${name} ${index}`,
      namespace,
      labels: template.metadata?.labels ?? {},
      annotations: template.metadata?.annotations ?? {},
      ownerReferences: [{ apiVersion: workload.apiVersion ?? '', kind, name, uid: '' }],
    },
    spec: template.spec,
  })) as Pod[];
}

function ownerReference({ kind = '', metadata }: KubeObject): { kind: string; name: string; uid: string } {
  return { kind: kind.toLowerCase(), name: metadata.name, uid: '' };
}

function identityOf({ kind = '', metadata }: KubeObject): string {
  return `${kind.toLowerCase()}/${metadata.namespace}/${metadata.name}`;
}

function identitiesOf(pod: Pod, observed: ObservedPods): string[] {
  const { namespace, name } = pod.metadata;
  const owner = ownerOf(pod, observed);
  return [
    `pod/${namespace}/${name}`,
    ...(owner === undefined ? [] : [`${owner.kind}/${namespace}/${owner.name}`]),
  ];
}
