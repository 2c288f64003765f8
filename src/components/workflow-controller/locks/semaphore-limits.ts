import { isForbidden, isNotFound } from '@turnsole/kube/client/errors';
import type { ConfigMap } from '@turnsole/kube/kinds/core';
import { CONFIG_MAPS } from '@turnsole/kube/kinds/resources';
import type { BasicsWithRandom } from '@turnsole/kube/runtime/basics';
import { Informer } from '@turnsole/kube/runtime/index';

/** A semaphore's key in a ConfigMap. */
interface SemaphoreReference {
  readonly namespace: string;
  readonly name: string;
  readonly key: string;
}

interface SemaphoreLimitsOptions extends BasicsWithRandom {
  /** Called when a limit that was requested before has changed. */
  readonly changed: (reference: SemaphoreReference, limit: number) => void;
}

/** How long a value stays valid that was read by a role without the right to list ConfigMaps. */
const FORBIDDEN_AGE_MS = 10_000;

/** The limits of semaphores. From the first request on, the ConfigMap of a limit is watched, so that a change counts at once. */
export class SemaphoreLimits {
  readonly #options: SemaphoreLimitsOptions;
  readonly #maps = new Map<string, Informer<ConfigMap>>();
  readonly #read = new Map<string, { readonly limit: number; readonly at: number }>();
  readonly #asked = new Map<string, SemaphoreReference>();

  constructor(options: SemaphoreLimitsOptions) {
    this.#options = options;
  }

  /** The limit as it is known without asking the server. */
  known(reference: SemaphoreReference): number | undefined {
    const map = this.#maps.get(mapKey(reference));
    const data = map?.lister.get(mapKey(reference))?.data;
    if (data !== undefined) return limitIn(data, reference);
    const read = this.#read.get(idOf(reference));
    return read !== undefined && this.#options.clock.monotonic() - read.at < FORBIDDEN_AGE_MS
      ? read.limit
      : undefined;
  }

  /** Reads a limit, and follows it. @throws when it does not exist */
  async read(reference: SemaphoreReference): Promise<number> {
    const { client, clock } = this.#options;
    const { namespace, name } = reference;
    this.#asked.set(idOf(reference), reference);
    this.#follow(reference);
    let map: ConfigMap;
    try {
      map = await client.get<ConfigMap>(CONFIG_MAPS, name, { namespace });
    } catch (error) {
      if (isNotFound(error)) throw new Error(`configmaps "${name}" not found`, { cause: error });
      if (isForbidden(error)) throw new Error(error.status.message ?? error.message, { cause: error });
      throw error;
    }
    const limit = limitIn(map.data ?? {}, reference);
    if (limit === undefined) {
      const value = map.data?.[reference.key];
      const problem = value === undefined ? 'is missing' : `is no whole number: ${JSON.stringify(value)}`;
      throw new Error(`key ${reference.key} of config map ${namespace}/${name} ${problem}`);
    }
    this.#read.set(idOf(reference), { limit, at: clock.monotonic() });
    return limit;
  }

  #follow(reference: SemaphoreReference): void {
    const key = mapKey(reference);
    if (this.#maps.has(key)) return;
    const informer = new Informer<ConfigMap>({
      ...this.#options,
      resource: CONFIG_MAPS,
      namespace: reference.namespace,
      fieldSelector: `metadata.name=${reference.name}`,
    });
    this.#maps.set(key, informer);
    const setLimits = ({ data = {} }: ConfigMap): void => {
      for (const asked of this.#asked.values()) {
        if (mapKey(asked) !== key) continue;
        const limit = limitIn(data, asked);
        if (limit !== undefined) this.#options.changed(asked, limit);
      }
    };
    informer.addHandler({ onAdd: setLimits, onUpdate: setLimits });
    informer.start();
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#maps.values()].map((informer) => informer.stop()));
  }
}

function limitIn(data: Readonly<Record<string, string>>, { key }: SemaphoreReference): number | undefined {
  const value = data[key]?.trim() ?? '';
  return /^\d+$/.test(value) ? Number(value) : undefined;
}

function mapKey({ namespace, name }: SemaphoreReference): string {
  return `${namespace}/${name}`;
}

function idOf(reference: SemaphoreReference): string {
  return `${mapKey(reference)}/${reference.key}`;
}
