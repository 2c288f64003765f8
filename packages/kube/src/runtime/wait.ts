import { Backoff } from '../base/backoff.ts';
import { type Clock, systemClock } from '../base/clock.ts';
import { ApiError, ConnectionError, isExpired, isForbidden, isRefused } from '../client/errors.ts';
import type { KubeClient } from '../client/types.ts';
import { type KubeObject, objectKey } from '../kinds/core.ts';
import type { Resource } from '../kinds/resources.ts';

/** Limits of a wait. */
interface WaitOptions {
  readonly namespace?: string | undefined;
  /** The wait ends with {@link WaitTimeoutError} after this long. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
  /** @default the machine's clock */
  readonly clock?: Clock;
}

/** Limits of a wait for a set of objects. */
export interface WaitListOptions extends WaitOptions {
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
}

/** The awaited state did not come in time. `cause` is the last failure to look, if any. */
export class WaitTimeoutError extends Error {
  override readonly name = 'WaitTimeoutError';
  readonly timeoutMs: number;

  constructor(target: string, timeoutMs: number, last: string, options?: ErrorOptions) {
    super(
      `waited ${timeoutMs} ms for ${target}, last seen: ${last}; raise the limit or look at the object`,
      options,
    );
    this.timeoutMs = timeoutMs;
  }
}

/** Whether an awaited state did not come in time. */
export function isTooLate(error: unknown): boolean {
  return error instanceof WaitTimeoutError;
}

/** A watch that says nothing for this long is opened anew after a look: its connection may be dead. */
const WATCH_LIMIT_MS = 60_000;
/** A look without an answer for this long is made anew, for the same reason. */
const LOOK_LIMIT_MS = 15_000;
const POLL_MIN_MS = 50;
const POLL_MAX_MS = 1_000;
const BACKOFF = { baseMs: 50, maxMs: 2_000 } as const;

/**
 * How long to wait before looking again where watching is not allowed: a twentieth of the time waited so far. Short
 * waits are answered quickly, long ones cost few requests, and no answer comes more than 5 % late.
 */
export function pollDelayMs(elapsedMs: number): number {
  return Math.min(POLL_MAX_MS, Math.max(POLL_MIN_MS, elapsedMs / 20));
}

/**
 * Waits until an object is as the predicate wants it, and resolves to it as it then was (undefined = not there).
 *
 * Looks once, then watches; where watching is forbidden (403) or the kind is not served yet (404) it looks again by
 * {@link pollDelayMs}. Broken connections and failures of the server (5xx, 429) are survived until the limit.
 *
 * @param predicate gets undefined while the object does not exist; may be called often, with any state since the start
 * @throws WaitTimeoutError · the signal's reason · ApiError when the object may not be read
 */
export function waitForObject<T extends KubeObject>(
  client: KubeClient,
  resource: Resource,
  name: string,
  predicate: (object: T | undefined) => boolean,
  options: WaitOptions,
): Promise<T | undefined> {
  const { namespace } = options;
  const source: Source<T | undefined> = {
    target: `${resource.kind} ${namespace === undefined ? name : `${namespace}/${name}`}`,
    describe: (object) =>
      object === undefined ? 'not there' : `resourceVersion ${object.metadata.resourceVersion}`,
    read: async (request, exact) => {
      if (exact) {
        // The object's own version may be too old to watch from; that of a list never is.
        const list = await client.list<T>(resource, { ...request, namespace, fieldSelector: byName(name) });
        return { state: list.items[0], resourceVersion: list.metadata.resourceVersion };
      }
      const state = await client.find<T>(resource, name, { ...request, namespace });
      return { state, resourceVersion: state?.metadata.resourceVersion };
    },
    watch: async function* (resourceVersion, request) {
      const watched = client.watch<T>(resource, {
        ...request,
        namespace,
        fieldSelector: byName(name),
        resourceVersion,
      });
      for await (const event of watched) {
        if (event.type === 'BOOKMARK' || event.object.metadata.name !== name) continue;
        yield event.type === 'DELETED' ? undefined : event.object;
      }
    },
  };
  return waitUntil(source, predicate, options);
}

/**
 * Waits until the objects that a selector matches are as the predicate wants them, and resolves to them.
 *
 * Works as {@link waitForObject}; the predicate gets all matching objects each time.
 */
export function waitForList<T extends KubeObject>(
  client: KubeClient,
  resource: Resource,
  predicate: (objects: readonly T[]) => boolean,
  options: WaitListOptions,
): Promise<readonly T[]> {
  const { namespace, labelSelector, fieldSelector } = options;
  const selection = { namespace, labelSelector, fieldSelector };
  let present = new Map<string, T>();
  const source: Source<readonly T[]> = {
    target: `${resource.plural}${namespace === undefined ? '' : ` in ${namespace}`}${labelSelector === undefined ? '' : ` with ${labelSelector}`}`,
    describe: (objects) => `${objects.length} objects`,
    read: async (request) => {
      const list = await client.list<T>(resource, { ...request, ...selection });
      present = new Map(list.items.map((object) => [objectKey(object), object]));
      return { state: list.items, resourceVersion: list.metadata.resourceVersion };
    },
    watch: async function* (resourceVersion, request) {
      for await (const event of client.watch<T>(resource, { ...request, ...selection, resourceVersion })) {
        if (event.type === 'BOOKMARK') continue;
        const key = objectKey(event.object);
        if (event.type === 'DELETED') present.delete(key);
        else present.set(key, event.object);
        yield [...present.values()];
      }
    },
  };
  return waitUntil(source, predicate, options);
}

function byName(name: string): string {
  return `metadata.name=${name}`;
}

interface Request {
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
}

/** The awaited state: how to read it, and how to follow it from there. */
interface Source<S> {
  readonly target: string;
  describe(state: S): string;
  read(request: Request, exact: boolean): Promise<{ state: S; resourceVersion: string | undefined }>;
  watch(resourceVersion: string | undefined, request: Request): AsyncIterable<S>;
}

class WatchLimitReached extends Error {}

/** Look, follow, look again: each turn of the loop is one look and, where allowed, one watch. */
async function waitUntil<S>(
  source: Source<S>,
  predicate: (state: S) => boolean,
  options: WaitOptions,
): Promise<S> {
  const { clock = systemClock, timeoutMs } = options;
  options.signal?.throwIfAborted();
  const start = clock.monotonic();
  const limit = new AbortController();
  const stopTimer = clock.setTimer(timeoutMs, () => limit.abort());
  const signal =
    options.signal === undefined ? limit.signal : AbortSignal.any([options.signal, limit.signal]);
  const backoff = new Backoff(BACKOFF);
  let last = 'nothing';
  let lastFailure: unknown;
  let mayWatch = true;
  let mustBeExact = false;

  try {
    for (;;) {
      const remainingMs = Math.max(1, timeoutMs - (clock.monotonic() - start));
      let pauseMs: number;
      try {
        const seen = await source.read(
          { signal, timeoutMs: Math.min(remainingMs, LOOK_LIMIT_MS) },
          mustBeExact,
        );
        mustBeExact = false;
        last = source.describe(seen.state);
        if (predicate(seen.state)) return seen.state;
        const followedAt = clock.monotonic();
        const followed = mayWatch ? await follow(seen.resourceVersion, remainingMs) : 'refused';
        if (typeof followed === 'object') return followed.state;
        if (followed === 'refused') pauseMs = pollDelayMs(clock.monotonic() - start);
        // A server that ends watches as soon as they begin must not be asked in a tight loop.
        else pauseMs = clock.monotonic() - followedAt < POLL_MAX_MS ? backoff.next() : 0;
      } catch (error) {
        signal.throwIfAborted();
        lastFailure = error;
        if (isExpired(error) && !mustBeExact) {
          mustBeExact = true;
          continue;
        }
        if (mustBeExact && isForbidden(error)) mayWatch = false;
        else if (!isPassing(error) && !isExpired(error)) throw error;
        mustBeExact = false;
        pauseMs = backoff.next();
      }
      await clock.sleep(pauseMs, signal);
    }
  } catch (error) {
    if (limit.signal.aborted && options.signal?.aborted !== true) {
      throw new WaitTimeoutError(source.target, timeoutMs, last, { cause: lastFailure });
    }
    throw error;
  } finally {
    stopTimer();
  }

  /** Follows the watch until it shows the wanted state, ends, or turns out not to be allowed. */
  async function follow(
    resourceVersion: string | undefined,
    remainingMs: number,
  ): Promise<{ state: S } | 'ended' | 'refused'> {
    const quiet = new AbortController();
    const watchSignal = AbortSignal.any([signal, quiet.signal]);
    const stopQuiet = clock.setTimer(WATCH_LIMIT_MS, () => quiet.abort(new WatchLimitReached()), {
      unref: true,
    });
    try {
      const states = source.watch(resourceVersion, { signal: watchSignal, timeoutMs: remainingMs });
      for await (const state of states) {
        last = source.describe(state);
        if (predicate(state)) return { state };
      }
      return 'ended';
    } catch (error) {
      if (error instanceof WatchLimitReached) return 'ended';
      if (!isRefused(error)) throw error;
      // 404: the kind is not served yet, and may be at the next look.
      if (isForbidden(error)) mayWatch = false;
      lastFailure = error;
      return 'refused';
    } finally {
      stopQuiet();
    }
  }
}

/** Failures that may be over at the next look. */
function isPassing(error: unknown): boolean {
  return (
    error instanceof ConnectionError ||
    (error instanceof ApiError && (error.code >= 500 || error.code === 429))
  );
}
