import type { ConfigMap } from '../../api/core.ts';
import { CONFIG_MAPS } from '../../api/resources.ts';
import { isAlreadyExists, isConflict } from '../../kube/client/errors.ts';
import type { Basics } from '../../kube/runtime/basics.ts';
import { DurationError, parseDuration } from '../../text/duration.ts';
import { isObject, parseObject } from '../../text/json.ts';
import { metaTime } from '../../text/time.ts';
import type { Action, Change } from '../../workflows/engine/change.ts';
import type { Outputs } from '../../workflows/kinds/parameters.ts';
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

  constructor(options: MemoCacheOptions) {
    this.#options = options;
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
