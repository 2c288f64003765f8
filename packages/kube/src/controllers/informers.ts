import type { KubeClient } from '../client/types.ts';
import type { KubeObject } from '../kinds/core.ts';
import { apiVersionOf, type Resource } from '../kinds/resources.ts';
import type { BasicsWithRandom } from '../runtime/basics.ts';
import { controllerOf, type IndexFunction, Informer, indexByNamespace } from '../runtime/index.ts';
import { FreshView } from './fresh-view.ts';

/** Index by namespace. */
export const BY_NAMESPACE = 'namespace';
/** Index by the uid of the managing owner; objects without one are under {@link orphansOf} their namespace. */
export const BY_CONTROLLER = 'controller';
/** Value of the index {@link BY_CONTROLLER} for what has no manager in a namespace. */
export function orphansOf(namespace: string | undefined): string {
  return `orphans of ${namespace ?? ''}`;
}

/** Indexes by name. */
export type Indexes = Readonly<Record<string, IndexFunction<KubeObject>>>;

const INDEXES: Indexes = {
  [BY_NAMESPACE]: indexByNamespace,
  [BY_CONTROLLER]: (object) => [controllerOf(object)?.uid ?? orphansOf(object.metadata.namespace)],
};

/** Options of all informers of a factory. */
interface InformerFactoryOptions extends Omit<BasicsWithRandom, 'client'> {
  readonly client: Pick<KubeClient, 'list' | 'watch'>;
  /** Indexes that the copies of single resources have besides those by namespace and by managing owner. @default none */
  readonly indexes?: ReadonlyMap<Resource, Indexes>;
}

/**
 * One informer per resource, shared by the whole process: each object is kept once, and the server has one watch.
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
      const { client, clock, random, logger } = this.#options;
      const indexes = { ...INDEXES, ...this.#options.indexes?.get(resource) };
      const informer = new Informer<KubeObject>({ client, clock, random, logger, resource, indexes });
      view = new FreshView(informer, indexes, clock);
      this.#views.set(name, view);
      if (this.#started) informer.start();
    }
    // The informer holds what the server lists under this resource; the caller names the type of that.
    return view as unknown as FreshView<T>;
  }

  /** The view of a resource if it was asked for before. */
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
