import type { KubeObject } from '@turnsole/kube/kinds/core';
import { DAEMON_SETS, DEPLOYMENTS, STATEFUL_SETS } from '@turnsole/kube/kinds/resources';
import type { Basics } from '@turnsole/kube/runtime/basics';
import { dropManagedFields, fromMapped, Informer, type Source } from '@turnsole/kube/runtime/index';
import { isTracked, type WORKLOAD_KINDS } from '../policy/workload.ts';

type Kind = (typeof WORKLOAD_KINDS)[number];

const RESOURCES = { Deployment: DEPLOYMENTS, StatefulSet: STATEFUL_SETS, DaemonSet: DAEMON_SETS } as const;
const TRACKED = 'tracked';

/** A workload that asks to be watched. */
interface TrackedObject {
  readonly kind: Kind;
  /** The same one until it changes. */
  readonly object: KubeObject;
}

/** Follows the workloads; of those that do not ask to be watched only their names are kept. */
export class Workloads {
  readonly #informers: readonly { readonly kind: Kind; readonly informer: Informer<KubeObject> }[];

  /** @param options.namespace undefined: all */
  constructor(options: Basics & { readonly namespace: string | undefined }) {
    const indexes = { [TRACKED]: (object: KubeObject) => [String(isTracked(object))] };
    this.#informers = Object.entries(RESOURCES).map(([kind, resource]) => ({
      // The keys of RESOURCES.
      kind: kind as Kind,
      informer: new Informer({ ...options, resource, indexes, transform: lightened }),
    }));
  }

  /** All that ask to be watched, in a steady order. */
  tracked(): TrackedObject[] {
    return this.#informers.flatMap(({ kind, informer }) =>
      informer.lister.byIndex(TRACKED, 'true').map((object) => ({ kind, object })),
    );
  }

  /** Makes all keys ready when a workload changes that asks to be watched, or has asked before. */
  sources(keys: () => readonly string[]): Source[] {
    return this.#informers.map(({ informer }) =>
      fromMapped(informer, (object) => (isTracked(object) ? keys() : [])),
    );
  }

  start(): void {
    for (const { informer } of this.#informers) informer.start();
  }

  /** Throws what keeps the copies from being current. */
  checkReady(): void {
    for (const { kind, informer } of this.#informers) {
      if (!informer.hasSynced) throw new Error(`${kind}s are not listed yet`);
    }
  }

  async stop(): Promise<void> {
    await Promise.all(this.#informers.map(({ informer }) => informer.stop()));
  }
}

function lightened(object: KubeObject): KubeObject {
  if (isTracked(object)) return dropManagedFields(object);
  const { name, namespace, uid, resourceVersion } = object.metadata;
  return { metadata: { name, namespace, uid, resourceVersion } };
}
