import type { Clock } from '@turnsole/kube/base/clock';
import type { Logger } from '@turnsole/kube/base/log';
import type { KubeClient } from '@turnsole/kube/client/types';
import type { ConfigMap, CoreEvent } from '@turnsole/kube/kinds/core';
import { CONFIG_MAPS, EVENTS } from '@turnsole/kube/kinds/resources';
import { Informer } from '@turnsole/kube/runtime/informer';
import { CHAOS_ENGINES, CHAOS_RESULTS } from '../../../api/index.ts';
import { HALT_NAME, HALT_NAMESPACE } from '../../../chaos/halt.ts';
import { EVENT_REASONS } from '../event-times.ts';
import { type SlimEngine, type SlimResult, slimEngine, slimEvent, slimResult } from './slim-objects.ts';

/** Options for following a namespace or a cluster. */
export interface ScopeViewOptions {
  readonly client: Pick<KubeClient, 'list' | 'watch'>;
  readonly clock: Clock;
  readonly logger: Logger;
  /** The namespace that is watched; empty means all. */
  readonly namespace: string;
}

/** A result may be large, and next to nothing of it is kept. */
const PAGE_SIZE = 100;
const BY_OBJECT = 'involvedObject';
const NO_EVENTS: readonly CoreEvent[] = [];

/**
 * The local copies: results, engines, levers, and the Events that carry times of experiments (the API server picks them out). Each
 * copy keeps only what the metrics show.
 */
export class ScopeView {
  readonly results: Informer<SlimResult>;
  readonly halts: readonly Informer<ConfigMap>[];
  readonly #engines: Informer<SlimEngine>;
  readonly #events: readonly Informer<CoreEvent>[];

  constructor({ namespace, ...runtime }: ScopeViewOptions) {
    const place = { ...runtime, pageSize: PAGE_SIZE, namespace: namespace === '' ? undefined : namespace };
    this.results = new Informer<SlimResult>({ ...place, resource: CHAOS_RESULTS, transform: slimResult });
    this.#engines = new Informer<SlimEngine>({ ...place, resource: CHAOS_ENGINES, transform: slimEngine });
    this.#events = EVENT_REASONS.map(
      (reason) =>
        new Informer<CoreEvent>({
          ...place,
          resource: EVENTS,
          fieldSelector: `reason=${reason}`,
          transform: slimEvent,
          indexes: { [BY_OBJECT]: ({ involvedObject }) => [involvedObject.uid ?? ''] },
        }),
    );
    // The lever of the cluster counts for one namespace as well.
    const homes = namespace === '' ? [undefined] : [...new Set([namespace, HALT_NAMESPACE])];
    this.halts = homes.map(
      (home) =>
        new Informer<ConfigMap>({
          ...runtime,
          resource: CONFIG_MAPS,
          namespace: home,
          fieldSelector: `metadata.name=${HALT_NAME}`,
        }),
    );
  }

  start(): void {
    for (const informer of this.#all()) informer.start();
  }

  async stop(): Promise<void> {
    await Promise.all(this.#all().map((informer) => informer.stop()));
  }

  /**
   * Throws while a page would lack existing objects: before the first lists are complete. With a role that may not see Events or levers,
   * the page shows only less.
   */
  checkComplete(): void {
    const needed = [this.results, this.#engines];
    const lacking =
      needed.find((informer) => !informer.hasSynced) ??
      this.#events.find((informer) => !informer.hasSynced && informer.lastError === undefined);
    if (lacking === undefined) return;
    const cause = lacking.lastError;
    const why = cause instanceof Error ? `: ${cause.message}` : '';
    throw new Error(`the ${lacking.resource.plural} are not read yet${why}`, { cause });
  }

  /** Whether the copies of each kind are current, by its plural. */
  following(): (readonly [string, boolean])[] {
    const groups = [[this.results], [this.#engines], this.#events, this.halts];
    return groups.map((informers) => [
      informers[0]?.resource.plural ?? '',
      informers.every(({ hasSynced, lastError }) => hasSynced && lastError === undefined),
    ]);
  }

  readonly engineOf = ({ metadata, engine }: SlimResult): SlimEngine | undefined =>
    this.#engines.lister.get(`${metadata.namespace}/${engine}`);

  readonly eventsOn = (uid: string): readonly CoreEvent[] => {
    const informers = this.#events.filter(({ lister }) => lister.size > 0);
    if (informers.length === 0) return NO_EVENTS;
    return informers.flatMap(({ lister }) => lister.byIndex(BY_OBJECT, uid));
  };

  #all(): { start(): void; stop(): Promise<void> }[] {
    return [this.results, this.#engines, ...this.#events, ...this.halts];
  }
}
