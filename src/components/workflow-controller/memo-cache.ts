import { isAlreadyExists, isConflict } from '@turnsole/kube/client/errors';
import type { ConfigMap } from '@turnsole/kube/kinds/core';
import { CONFIG_MAPS } from '@turnsole/kube/kinds/resources';
import type { Basics } from '@turnsole/kube/runtime/basics';
import { DurationError, parseDuration } from '@turnsole/kube/text/duration';
import { isObject, parseObject } from '@turnsole/kube/text/json';
import { metaTime } from '@turnsole/kube/text/time';
import type { Action, Change } from '@turnsole/workflows/engine/change';
import type { Outputs } from '@turnsole/workflows/kinds/parameters';
import type { Memoize } from '@turnsole/workflows/kinds/template';
import type { LiveRun } from './live-run.ts';
import { isTransient, refusalText } from './refusals.ts';

type ReadCache = Extract<Action, { readonly kind: 'readCache' }>;
type SaveCache = Extract<Action, { readonly kind: 'saveCache' }>;
type CacheRead = Extract<Change, { readonly kind: 'cacheRead' }>;

const LABEL_TYPE = 'workflows.argoproj.io/configmap-type';
/** Other caches are other people's config maps. */
const CACHE_TYPE = 'Cache';
const KEY = /^[a-zA-Z0-9][-a-zA-Z0-9]*$/;
const MOST_CONFLICTS = 5;

interface MemoCacheOptions extends Basics {
  /** Namespace of the caches; empty: beside the workflow. */
  readonly namespace: string;
}

/** Outputs of nodes that are kept for the next one with the same key, in config maps that Argo's own controller reads as well. */
export class MemoCache {
  readonly #options: MemoCacheOptions;
  /** Saves under way, by place, name and key. */
  readonly #saving = new Map<string, Promise<unknown>>();

  constructor(options: MemoCacheOptions) {
    this.#options = options;
  }

  /** A save that was decided: what is read from now on waits until `done`, which never rejects. */
  saves(live: LiveRun, { memoize }: SaveCache, done: Promise<void>): void {
    const entry = this.#entry(live, memoize);
    const all = Promise.all([this.#saving.get(entry), done]).then(() => {
      if (this.#saving.get(entry) === all) this.#saving.delete(entry);
    });
    this.#saving.set(entry, all);
  }

  /** Resolves when what nodes before this one keep under its key is there. */
  async whenSaved(live: LiveRun, { memoize }: ReadCache): Promise<void> {
    await this.#saving.get(this.#entry(live, memoize));
  }

  #entry(live: LiveRun, { key, cache }: Memoize): string {
    return JSON.stringify([this.#place(live), cache?.configMap?.name ?? '', key]);
  }

  async read(live: LiveRun, { node, memoize }: ReadCache, signal: AbortSignal): Promise<CacheRead> {
    const { clock } = this.#options;
    const name = memoize.cache?.configMap?.name ?? '';
    const { key, maxAge = '' } = memoize;
    if (!KEY.test(key)) return { kind: 'cacheRead', node, error: `invalid cache key: ${key}` };
    const longest = maxAgeMs(maxAge);
    if (typeof longest === 'string') return { kind: 'cacheRead', node, error: longest };
    let map: ConfigMap | undefined;
    try {
      map = await this.#find(live, name, signal);
    } catch (error) {
      if (isTransient(error)) throw error;
      return { kind: 'cacheRead', node, error: refusalText(error) };
    }
    const entry = parseObject(map?.data?.[key] ?? '');
    if (entry === undefined) return { kind: 'cacheRead', node };
    const created = Date.parse(String(entry['creationTimestamp']));
    if (longest !== undefined && !(clock.now() - created <= longest)) return { kind: 'cacheRead', node };
    const outputs = isObject(entry['outputs']) ? (entry['outputs'] as Outputs) : {};
    if (map !== undefined) await this.#noteHit(live, map, key, entry, signal);
    return { kind: 'cacheRead', node, outputs };
  }

  /** A node that has succeeded stays so when its outputs cannot be saved: the next workflow does the work again. */
  async save(live: LiveRun, { node, memoize, outputs }: SaveCache, signal: AbortSignal): Promise<void> {
    const { clock, logger } = this.#options;
    const name = memoize.cache?.configMap?.name ?? '';
    const time = metaTime(clock.now());
    const entry = JSON.stringify({ nodeID: node, outputs, creationTimestamp: time, lastHitTimestamp: time });
    try {
      await this.#put(live, name, { [memoize.key]: entry }, signal);
    } catch (error) {
      if (signal.aborted) return;
      if (isTransient(error)) throw error;
      const where = { workflow: live.key, node, cache: name, detail: refusalText(error) };
      logger.warn(where, 'the outputs of a node cannot be kept in its cache');
    }
  }

  /** Those who clean up caches go by the time of the last hit. An entry that somebody else writes meanwhile has a newer one. */
  async #noteHit(
    live: LiveRun,
    { metadata }: ConfigMap,
    key: string,
    entry: Readonly<Record<string, unknown>>,
    signal: AbortSignal,
  ): Promise<void> {
    const { client, clock, logger } = this.#options;
    const { name = '', resourceVersion } = metadata;
    const hit = { ...entry, lastHitTimestamp: metaTime(clock.now()) };
    const patch = { metadata: { resourceVersion }, data: { [key]: JSON.stringify(hit) } };
    try {
      await client.patch<ConfigMap>(CONFIG_MAPS, name, 'merge', patch, {
        namespace: this.#place(live),
        signal,
      });
    } catch (error) {
      if (signal.aborted || isConflict(error)) return;
      const where = { workflow: live.key, cache: name, detail: refusalText(error) };
      logger.warn(where, 'the time of a hit cannot be written to a cache');
    }
  }

  #place(live: LiveRun): string {
    const { namespace } = this.#options;
    return namespace === '' ? (live.run.workflow.metadata.namespace ?? '') : namespace;
  }

  #find(live: LiveRun, name: string, signal: AbortSignal): Promise<ConfigMap | undefined> {
    return this.#options.client.find<ConfigMap>(CONFIG_MAPS, name, { namespace: this.#place(live), signal });
  }

  async #put(live: LiveRun, name: string, data: Record<string, string>, signal: AbortSignal): Promise<void> {
    const { client } = this.#options;
    const namespace = this.#place(live);
    for (let attempt = 1; ; attempt++) {
      const present = await this.#find(live, name, signal);
      try {
        if (present === undefined) {
          const metadata = { name, namespace, labels: { [LABEL_TYPE]: CACHE_TYPE } };
          const map: ConfigMap = { apiVersion: 'v1', kind: 'ConfigMap', metadata, data };
          await client.create<ConfigMap>(CONFIG_MAPS, map, { namespace, signal });
        } else {
          const type = present.metadata.labels?.[LABEL_TYPE];
          if (type !== CACHE_TYPE)
            throw new Error(`config map ${namespace}/${name} has not the label ${LABEL_TYPE}: ${CACHE_TYPE}`);
          await client.patch<ConfigMap>(CONFIG_MAPS, name, 'merge', { data }, { namespace, signal });
        }
        return;
      } catch (error) {
        if (attempt >= MOST_CONFLICTS || !(isAlreadyExists(error) || isConflict(error))) throw error;
      }
    }
  }
}

/** Undefined is without end; a text says what is wrong: a workflow must not wait for an age that cannot be read. */
export function maxAgeMs(text: string): number | undefined | string {
  if (text === '') return undefined;
  try {
    return parseDuration(text);
  } catch (error) {
    if (!(error instanceof DurationError)) throw error;
    return `invalid memoize.maxAge: ${error.message}`;
  }
}
