import type { KubeObject } from '../../../api/core.ts';
import { apiVersionOf, PODS, type Resource } from '../../../api/resources.ts';
import type { KubeClient } from '../../../kube/client/types.ts';
import {
  type Clock,
  controllerOf,
  type IndexFunction,
  Informer,
  indexByNamespace,
  type Logger,
  type Random,
} from '../../../kube/runtime/index.ts';
import { FreshView } from './fresh-view.ts';

/** Index by namespace. */
export const BY_NAMESPACE = 'namespace';
/** Index by the uid of the managing owner; objects without one are under {@link orphansOf} their namespace. */
export const BY_CONTROLLER = 'controller';
/** Index of pods by the node they are bound to. */
export const BY_NODE = 'node';

/** Index of pods by namespace and label, see {@link labelled}. */
export const BY_LABEL = 'label';

/** Value of the index {@link BY_LABEL} for the pods of a namespace that have a label. */
export function labelled(namespace: string | undefined, key: string, value: string): string {
  return `${namespace ?? ''}/${key}=${value}`;
}

/** Whether pods are found under a label by {@link BY_LABEL}. */
export function isIndexed(key: string): boolean {
  return !HASH_LABELS.has(key);
}

/** Value of the index {@link BY_CONTROLLER} for what nobody manages in a namespace. */
export function orphansOf(namespace: string | undefined): string {
  return `orphans of ${namespace ?? ''}`;
}

/** Labels that are never all of a selector: not worth an entry per pod. */
const HASH_LABELS: ReadonlySet<string> = new Set(['pod-template-hash', 'controller-revision-hash']);

const INDEXES: Readonly<Record<string, IndexFunction<KubeObject>>> = {
  [BY_NAMESPACE]: indexByNamespace,
  [BY_CONTROLLER]: (object) => [controllerOf(object)?.uid ?? orphansOf(object.metadata.namespace)],
};

/** Pods have the same indexes, one by node, and one by labels, by which services and budgets find theirs. */
const POD_INDEXES: Readonly<Record<string, IndexFunction<KubeObject>>> = {
  ...INDEXES,
  // Only ever used on pods, whose specification may name a node.
  [BY_LABEL]: ({ metadata }) =>
    Object.entries(metadata.labels ?? {})
      .filter(([key]) => isIndexed(key))
      .map(([key, value]) => labelled(metadata.namespace, key, value)),
  [BY_NODE]: (object) => [(object as { spec?: { nodeName?: string } }).spec?.nodeName ?? ''],
};

/** What all informers of a factory are made with. */
export interface InformerFactoryOptions {
  readonly client: Pick<KubeClient, 'list' | 'watch'>;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

/**
 * One informer per resource for everybody in the process: each object is kept once, and the server has one watch.
 */
export class InformerFactory {
  readonly #options: InformerFactoryOptions;
  readonly #views = new Map<string, FreshView<KubeObject>>();
  #started = false;

  constructor(options: InformerFactoryOptions) {
    this.#options = options;
  }

  /** The shared view of a resource; its informer starts with the factory, or at once when that is running. */
  view<T extends KubeObject>(resource: Resource): FreshView<T> {
    const name = nameOf(resource);
    let view = this.#views.get(name);
    if (view === undefined) {
      const indexes = resource === PODS ? POD_INDEXES : INDEXES;
      const informer = new Informer<KubeObject>({ ...this.#options, resource, indexes });
      view = new FreshView(informer, indexes, this.#options.clock);
      this.#views.set(name, view);
      if (this.#started) informer.start();
    }
    // The informer holds what the server lists under this resource; the caller names the type of that.
    return view as unknown as FreshView<T>;
  }

  /** The view of a resource if somebody has asked for it before. */
  present(resource: Resource): FreshView<KubeObject> | undefined {
    return this.#views.get(nameOf(resource));
  }

  /** Stops following a resource that is no longer served. */
  async drop(resource: Resource): Promise<void> {
    const view = this.#views.get(nameOf(resource));
    this.#views.delete(nameOf(resource));
    await view?.informer.stop();
  }

  start(): void {
    this.#started = true;
    for (const { informer } of this.#views.values()) informer.start();
  }

  async stop(): Promise<void> {
    this.#started = false;
    await Promise.all([...this.#views.values()].map(({ informer }) => informer.stop()));
  }
}

function nameOf(resource: Resource): string {
  return `${apiVersionOf(resource)}/${resource.plural}`;
}
