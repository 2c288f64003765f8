import type {
  Deployment,
  KubeObject,
  Node,
  OwnerReference,
  Pod,
  ReplicaSet,
} from '@turnsole/kube/kinds/core';
import type { Resource } from '@turnsole/kube/kinds/resources';
import { ownerReference } from '@turnsole/kube/runtime/index';
import { metaTime } from '@turnsole/kube/text/time';

/** The time tests begin at. */
export const START_MS = Date.parse('2025-03-01T12:00:00Z');

/** Time text `seconds` after the start. */
export function at(seconds: number): string {
  return metaTime(START_MS + seconds * 1000);
}

/** The properties of a pod that a test sets; by default it is ready and was created at the start. */
export interface PodOptions {
  readonly namespace?: string;
  readonly owner?: readonly [Resource, KubeObject];
  readonly ownerReferences?: OwnerReference[];
  readonly labels?: Record<string, string>;
  readonly annotations?: Record<string, string>;
  readonly finalizers?: string[];
  readonly phase?: 'Pending' | 'Running' | 'Succeeded' | 'Failed' | 'Unknown';
  readonly ready?: boolean;
  readonly readyAt?: string;
  readonly created?: string;
  readonly deleted?: string;
  readonly node?: string;
  readonly ip?: string;
  readonly restarts?: number;
  readonly spec?: Partial<NonNullable<Pod['spec']>>;
  readonly status?: Partial<NonNullable<Pod['status']>>;
}

/** A pod in namespace `default`; running and ready by default. */
export function pod(name: string, options: PodOptions = {}): Pod {
  const { phase = 'Running', owner } = options;
  const ready = options.ready ?? phase === 'Running';
  const ownerReferences =
    options.ownerReferences ?? (owner === undefined ? undefined : [ownerReference(...owner)]);
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      namespace: options.namespace ?? 'default',
      uid: `uid-${name}`,
      creationTimestamp: options.created ?? at(0),
      ...(options.deleted === undefined ? {} : { deletionTimestamp: options.deleted }),
      ...(options.labels === undefined ? {} : { labels: options.labels }),
      ...(options.annotations === undefined ? {} : { annotations: options.annotations }),
      ...(options.finalizers === undefined ? {} : { finalizers: options.finalizers }),
      ...(ownerReferences === undefined ? {} : { ownerReferences }),
    },
    spec: {
      containers: [{ name: 'main', image: 'sample' }],
      ...(options.node === undefined ? {} : { nodeName: options.node }),
      ...options.spec,
    },
    status: {
      phase,
      conditions: [
        {
          type: 'Ready',
          status: ready ? 'True' : 'False',
          lastTransitionTime: options.readyAt ?? options.created ?? at(0),
        },
      ],
      ...(options.ip === undefined ? {} : { podIP: options.ip, podIPs: [{ ip: options.ip }] }),
      containerStatuses: [
        {
          name: 'main',
          image: 'sample',
          imageID: 'sample',
          ready,
          restartCount: options.restarts ?? 0,
        },
      ],
      ...options.status,
    },
  };
}

/** A replica set named `name` for pods labelled `app: name`. */
export function replicaSet(
  name: string,
  replicas: number,
  change: {
    readonly metadata?: Partial<ReplicaSet['metadata']>;
    readonly spec?: Partial<NonNullable<ReplicaSet['spec']>>;
    readonly status?: Partial<NonNullable<ReplicaSet['status']>>;
  } = {},
): ReplicaSet {
  return {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: {
      name,
      namespace: 'default',
      uid: `uid-${name}`,
      generation: 1,
      creationTimestamp: at(0),
      ...change.metadata,
    },
    spec: {
      replicas,
      selector: { matchLabels: { app: name } },
      template: {
        metadata: { labels: { app: name } },
        spec: { containers: [{ name: 'main', image: 'sample' }] },
      },
      ...change.spec,
    },
    status: { replicas: 0, observedGeneration: 1, ...change.status },
  };
}

/** A deployment for pods labelled `app: name`. */
export function deployment(
  name: string,
  replicas: number,
  change: {
    readonly metadata?: Partial<Deployment['metadata']>;
    readonly spec?: Partial<NonNullable<Deployment['spec']>>;
    readonly status?: Deployment['status'];
  } = {},
): Deployment {
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, namespace: 'default', uid: `uid-${name}`, generation: 1, ...change.metadata },
    spec: {
      replicas,
      selector: { matchLabels: { app: name } },
      template: {
        metadata: { labels: { app: name } },
        spec: { containers: [{ name: 'main', image: 'sample:1' }] },
      },
      ...change.spec,
    },
    ...(change.status === undefined ? {} : { status: change.status }),
  };
}

/** A ready node with room for ten pods. */
export function node(
  name: string,
  change: {
    readonly labels?: Record<string, string>;
    readonly taints?: NonNullable<Node['spec']>['taints'];
    readonly unschedulable?: boolean;
    readonly allocatable?: Record<string, string>;
    readonly ready?: 'True' | 'False' | 'Unknown';
  } = {},
): Node {
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name, uid: `uid-${name}`, labels: { 'kubernetes.io/hostname': name, ...change.labels } },
    spec: {
      ...(change.taints === undefined ? {} : { taints: change.taints }),
      ...(change.unschedulable === undefined ? {} : { unschedulable: change.unschedulable }),
    },
    status: {
      allocatable: { cpu: '2', memory: '2Gi', pods: '10', ...change.allocatable },
      conditions: [{ type: 'Ready', status: change.ready ?? 'True' }],
    },
  };
}
