/** Builders that show only what matters to a test. */

import { systemClock } from '@turnsole/kube/base/clock';
import type { KubeClient } from '@turnsole/kube/client/types';
import type { KubeObject, OwnerReference, Pod } from '@turnsole/kube/kinds/core';
import type { Environment } from '@turnsole/kube/text/environment';
import type { Fault, FaultContext } from '../fault.ts';
import { type CompiledSettings, compileSettings } from '../settings/compile-settings.ts';

/** What of a pod a test wants to say. */
export interface PodShape {
  readonly namespace?: string;
  readonly uid?: string;
  readonly labels?: Readonly<Record<string, string>>;
  /** `Kind/name`, e.g. `ReplicaSet/web-abc`. */
  readonly owner?: string;
  readonly node?: string;
  readonly phase?: string;
  readonly ready?: boolean;
  readonly containers?: readonly string[];
  readonly deleting?: boolean;
  readonly created?: string;
}

/** A running, ready pod with one container. */
export function pod(name: string, shape: PodShape = {}): Pod {
  const { namespace = 'shop', phase = 'Running', ready = true, containers = ['app'] } = shape;
  return {
    metadata: {
      name,
      namespace,
      uid: shape.uid ?? `uid-${namespace}-${name}`,
      labels: { ...shape.labels },
      ...(shape.owner === undefined ? {} : { ownerReferences: [reference(shape.owner)] }),
      ...(shape.deleting === true ? { deletionTimestamp: '2030-01-01T00:00:00Z' } : {}),
      ...(shape.created === undefined ? {} : { creationTimestamp: shape.created }),
    },
    spec: {
      nodeName: shape.node ?? 'node-1',
      containers: containers.map((container) => ({ name: container })),
    },
    status: {
      phase,
      containerStatuses: containers.map((container) => ({
        name: container,
        ready,
        restartCount: 0,
        image: 'image',
        imageID: '',
      })),
    },
  };
}

/** An object with an owner: a ReplicaSet of a Deployment, for instance. */
export function owned(name: string, owner: string | undefined, namespace = 'shop'): KubeObject {
  return {
    metadata: { name, namespace, ...(owner === undefined ? {} : { ownerReferences: [reference(owner)] }) },
  };
}

/** By `namespace/name`. */
export function byKey(...objects: readonly KubeObject[]): ReadonlyMap<string, KubeObject> {
  return new Map(objects.map((object) => [`${object.metadata.namespace}/${object.metadata.name}`, object]));
}

function reference(text: string): OwnerReference {
  const [kind = '', name = ''] = text.split('/');
  return { apiVersion: 'apps/v1', kind, name, uid: `uid-${kind}-${name}` };
}

/** A random source that gives these numbers again and again. */
export function randomOf(...numbers: readonly number[]): () => number {
  let index = 0;
  return () => numbers[index++ % numbers.length] ?? 0;
}

/** A fault that does nothing, to change in parts. */
export function fault(change: Partial<Fault> = {}): Fault {
  return {
    name: 'test-fault',
    summary: 'Does nothing.',
    tunables: {},
    targets: 'pods',
    shape: 'pulse',
    where: 'api',
    permissions: [],
    plan: ({ targets }) => targets.map((target) => ({ id: target.name, target, parameters: {} })),
    inject: () => Promise.resolve(),
    revert: () => Promise.resolve(),
    ...change,
  };
}

/** The context of a fault: a client if one is given, and the machine's clock. */
export function contextFor(client?: KubeClient, signal = new AbortController().signal): FaultContext {
  return {
    // A fault that uses a client it was not given fails at once.
    client: client ?? (undefined as unknown as KubeClient),
    clock: systemClock,
    random: Math.random,
    signal,
    recoveryTimeoutMs: 10_000,
    note: () => {},
  };
}

/** Settings as an environment gives them. */
export function compile(env: Environment = {}, change: Partial<Fault> = {}): CompiledSettings {
  return compileSettings(fault(change), env, randomOf(0));
}
