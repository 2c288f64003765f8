import { Backoff } from '../base/backoff.ts';
import type { KubeObject } from '../kinds/core.ts';
import { apiVersionOf, CUSTOM_RESOURCE_DEFINITIONS, type Resource } from '../kinds/resources.ts';
import type { ControllerContext } from './context.ts';
import { type CustomResourceDefinition, discoverResources, resourceOfDefinition } from './discovery.ts';
import type { FreshView } from './fresh-view.ts';

/** Hears of every object of every followed resource. */
interface MonitorHandler {
  onAdd?(resource: Resource, object: KubeObject): void;
  onUpdate?(resource: Resource, object: KubeObject, old: KubeObject): void;
  onDelete?(resource: Resource, object: KubeObject): void;
  /** A resource is followed now: references to its kind can be resolved. */
  onResource?(resource: Resource): void;
}

/** Events are many and own nothing. */
const UNFOLLOWED = new Set(['events', 'events.events.k8s.io']);

/** Between two tries to discover the resources. */
const BACKOFF = { baseMs: 200, maxMs: 30_000, jitter: 'equal' } as const;

/** `plural.group`, the name of a custom resource definition; the bare plural in the core group. */
export function nameOfResource({ plural, group }: Pick<Resource, 'plural' | 'group'>): string {
  return group === '' ? plural : `${plural}.${group}`;
}

interface Monitor {
  readonly resource: Resource;
  readonly view: FreshView<KubeObject>;
  readonly unsubscribe: () => void;
}

/**
 * Follows every resource that can be listed, watched and deleted, custom ones as their definitions come and go. Shares the
 * informers of the other controllers, so a resource they follow costs nothing more.
 */
export class Monitors {
  readonly #context: Pick<ControllerContext, 'client' | 'informers' | 'clock' | 'random' | 'logger'>;
  readonly #definitions: FreshView<CustomResourceDefinition>;
  readonly #handlers: MonitorHandler[] = [];
  readonly #monitors = new Map<string, Monitor>();
  #started: Promise<void> | undefined;
  #unsubscribe: () => void = () => {};

  constructor(context: Pick<ControllerContext, 'client' | 'informers' | 'clock' | 'random' | 'logger'>) {
    this.#context = context;
    this.#definitions = context.informers.view<CustomResourceDefinition>(CUSTOM_RESOURCE_DEFINITIONS);
  }

  /** Must be called before {@link whenSynced}. */
  addHandler(handler: MonitorHandler): void {
    this.#handlers.push(handler);
  }

  /** Discovers the resources and follows them, once; resolves when all of them are known. Rejects when aborted or stopped. */
  whenSynced(signal: AbortSignal): Promise<void> {
    this.#started ??= this.#start(signal);
    return this.#started;
  }

  async #start(signal: AbortSignal): Promise<void> {
    await this.#definitions.informer.whenSynced(signal);
    // Custom resources come and go by their definitions, not by a discovery that is old tomorrow: also what was defined
    // when the discovery began, and is not any more, is none of the built-in ones.
    const custom = new Set<string>();
    const note = { onAdd: ({ metadata }: CustomResourceDefinition) => void custom.add(metadata.name) };
    const endNotes = this.#definitions.informer.addHandler(note);
    const discovered = await this.#discover(signal).finally(endNotes);
    for (const resource of discovered) {
      if (!custom.has(nameOfResource(resource))) this.#follow(resource);
    }
    this.#unsubscribe = this.#definitions.informer.addHandler({
      onAdd: (definition) => this.#define(definition),
      onUpdate: (definition) => this.#define(definition),
      onDelete: ({ metadata }) => this.#forget(metadata.name),
    });
    await Promise.all([...this.#monitors.values()].map((monitor) => this.#whenKnown(monitor, signal)));
  }

  /** Tries again after a failure: nothing is collected before the resources are known. */
  async #discover(signal: AbortSignal): Promise<Resource[]> {
    const { client, clock, random, logger } = this.#context;
    const backoff = new Backoff(BACKOFF, random);
    for (;;) {
      try {
        return await discoverResources(client, signal);
      } catch (error) {
        signal.throwIfAborted();
        const retryAfterMs = Math.round(backoff.next());
        logger.error({ err: error, retryAfterMs }, 'resources could not be discovered');
        await clock.sleep(retryAfterMs, signal);
      }
    }
  }

  /** Resolves when all objects of the resource are known, or it is not served any more. */
  async #whenKnown(monitor: Monitor, signal: AbortSignal): Promise<void> {
    try {
      await monitor.view.informer.whenSynced(signal);
    } catch (error) {
      const isFollowed = this.#monitors.get(nameOfResource(monitor.resource)) === monitor;
      if (isFollowed) throw error;
    }
  }

  stop(): void {
    this.#unsubscribe();
    for (const { unsubscribe } of this.#monitors.values()) unsubscribe();
    this.#monitors.clear();
  }

  /** The resources that are followed now. */
  resources(): Resource[] {
    return [...this.#monitors.values()].map(({ resource }) => resource);
  }

  /** The followed resource of a kind, in any version. */
  find(group: string, kind: string): Resource | undefined {
    for (const { resource } of this.#monitors.values()) {
      if (resource.group === group && resource.kind === kind) return resource;
    }
    return undefined;
  }

  view(resource: Resource): FreshView<KubeObject> | undefined {
    return this.#monitors.get(nameOfResource(resource))?.view;
  }

  #define(definition: CustomResourceDefinition): void {
    const resource = resourceOfDefinition(definition);
    const name = definition.metadata.name;
    const present = this.#monitors.get(name)?.resource;
    if (
      present !== undefined &&
      (resource === undefined || apiVersionOf(present) !== apiVersionOf(resource))
    ) {
      this.#forget(name);
    }
    if (resource !== undefined) this.#follow(resource);
  }

  #follow(resource: Resource): void {
    const name = nameOfResource(resource);
    if (UNFOLLOWED.has(name) || this.#monitors.has(name)) return;
    const view = this.#context.informers.view<KubeObject>(resource);
    const handlers = this.#handlers;
    // Set before subscribing, which reports present objects at once.
    const monitor = { resource, view, unsubscribe: () => {} };
    this.#monitors.set(name, monitor);
    monitor.unsubscribe = view.informer.addHandler({
      onAdd: (object) => {
        for (const handler of handlers) handler.onAdd?.(resource, object);
      },
      onUpdate: (object, old) => {
        for (const handler of handlers) handler.onUpdate?.(resource, object, old);
      },
      onDelete: (object) => {
        for (const handler of handlers) handler.onDelete?.(resource, object);
      },
    });
    for (const handler of handlers) handler.onResource?.(resource);
  }

  /** The definition is gone and its objects with it. */
  #forget(name: string): void {
    const monitor = this.#monitors.get(name);
    if (monitor === undefined) return;
    this.#monitors.delete(name);
    monitor.unsubscribe();
    for (const object of monitor.view.informer.lister.list()) {
      for (const handler of this.#handlers) handler.onDelete?.(monitor.resource, object);
    }
    // The informer ends by itself; that is not awaited.
    void this.#context.informers.drop(monitor.resource);
  }
}
