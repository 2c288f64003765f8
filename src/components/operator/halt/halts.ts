import type { Random } from '@turnsole/kube/base/clock';
import { isForbidden } from '@turnsole/kube/client/errors';
import type { ConfigMap } from '@turnsole/kube/kinds/core';
import { CONFIG_MAPS } from '@turnsole/kube/kinds/resources';
import type { Basics } from '@turnsole/kube/runtime/basics';
import { Informer } from '@turnsole/kube/runtime/informer';
import { describeHalt, HALT_NAME, HALT_NAMESPACE, haltOf } from '../../../chaos/halt.ts';

/** How the safety lever is followed. */
interface HaltsOptions extends Basics {
  /** What the operator watches; empty means all. */
  readonly namespace: string;
  readonly random?: Random;
}

/** The levers that are pulled, as a local copy that is kept current. */
export class Halts {
  readonly #options: HaltsOptions;
  readonly #informers: readonly Informer<ConfigMap>[];

  constructor(options: HaltsOptions) {
    this.#options = options;
    const { namespace } = options;
    // The lever of the cluster counts for an operator of one namespace as well.
    const places = namespace === '' ? [undefined] : [...new Set([namespace, HALT_NAMESPACE])];
    this.#informers = places.map(
      (place) =>
        new Informer<ConfigMap>({
          ...options,
          resource: CONFIG_MAPS,
          fieldSelector: `metadata.name=${HALT_NAME}`,
          namespace: place,
        }),
    );
  }

  /** Why no chaos may run in this namespace; undefined when it may. */
  why(namespace: string): string | undefined {
    for (const home of [HALT_NAMESPACE, namespace]) {
      for (const { lister } of this.#informers) {
        const found = lister.get(`${home}/${HALT_NAME}`);
        if (found !== undefined && found.metadata.deletionTimestamp === undefined) {
          return describeHalt(haltOf(found));
        }
      }
    }
    return undefined;
  }

  /** A source of a controller: all these keys whenever a lever moves. */
  source(keys: () => readonly string[]): {
    subscribe(enqueue: (key: string) => void): () => void;
    whenSynced(signal?: AbortSignal): Promise<void>;
  } {
    return {
      subscribe: (enqueue) => {
        const all = (): void => {
          for (const key of keys()) enqueue(key);
        };
        const ends = this.#informers.map((informer) =>
          informer.addHandler({ onAdd: all, onUpdate: all, onDelete: all }),
        );
        return () => {
          for (const end of ends) end();
        };
      },
      whenSynced: (signal) => this.#whenKnown(signal),
    };
  }

  start(): void {
    for (const informer of this.#informers) informer.start();
  }

  async stop(): Promise<void> {
    await Promise.all(this.#informers.map((informer) => informer.stop()));
  }

  /** Nothing is started before it is known whether it may be, unless the operator's role does not let it see the lever. */
  async #whenKnown(signal: AbortSignal | undefined): Promise<void> {
    const { client, namespace, logger } = this.#options;
    const request = {
      fieldSelector: `metadata.name=${HALT_NAME}`,
      // An operator of one namespace may list the lever in the lever's namespace only.
      namespace: namespace && HALT_NAMESPACE,
      signal,
    };
    try {
      await client.list<ConfigMap>(CONFIG_MAPS, request);
    } catch (err) {
      if (isForbidden(err)) {
        const detail = `${err.message}; let the operator get, list and watch config maps named ${HALT_NAME}`;
        logger.warn(
          { detail },
          'the operator cannot see the safety lever; turnsole halt still stops engines',
        );
        return;
      }
    }
    await Promise.all(this.#informers.map((informer) => informer.whenSynced(signal)));
  }
}
