import type { Clock } from '@turnsole/kube/base/clock';
import {
  ApiError,
  ConnectionError,
  isAlreadyExists,
  isForbidden,
  isNotFound,
  isUnauthorized,
} from '@turnsole/kube/client/errors';
import { statusOptions } from '@turnsole/kube/client/status-subresources';
import type { KubeClient } from '@turnsole/kube/client/types';
import { applyMergePatch, composePatches, type MergePatch } from '@turnsole/kube/text/merge-patch';
import { CHAOS_RESULTS, type ChaosResult } from '../../../api/index.ts';
import { ResultError } from '../errors.ts';

/** How long a write is tried before the run gives up: an API server's restart, which a lease of usual length outlasts, not its loss. */
const WRITE_LIMIT_MS = 60_000;
/** A request without an answer for so long is sent again: its connection may lead nowhere. */
const REQUEST_LIMIT_MS = 10_000;

/** The ChaosResult to write, and the means. */
interface ResultWriterOptions {
  readonly client: KubeClient;
  readonly namespace: string;
  readonly name: string;
  readonly clock: Clock;
  /** Asked for whatever else is to be stored whenever a patch is sent, e.g. new lines of the timeline. */
  readonly extras?: () => MergePatch | undefined;
}

interface Pending {
  patch: MergePatch;
  readonly done: PromiseWithResolvers<void>;
}

/**
 * Writes one ChaosResult: merge patches of its own keys, one request at a time and in order. Changes that are requested while a request
 * is under way go out as one patch, so that many small changes cost few requests.
 *
 * Merge patches name only what they change, so helpers may write their own ledger keys at the same time. They are
 * idempotent, so after a lost connection the writer simply tries again. Works with the status as subresource and without.
 */
export class ResultWriter {
  readonly #options: ResultWriterOptions;
  #current: ChaosResult | undefined;
  #pending: Pending | undefined;
  #sending: Promise<void> | undefined;

  constructor(options: ResultWriterOptions) {
    this.#options = options;
  }

  get name(): string {
    return this.#options.name;
  }

  /** The object as last seen or written. */
  get current(): ChaosResult | undefined {
    return this.#current;
  }

  /** Reads the object again; undefined when it does not exist. */
  async read(signal?: AbortSignal): Promise<ChaosResult | undefined> {
    const { client, namespace, name } = this.#options;
    try {
      this.#current = await client.find<ChaosResult>(CHAOS_RESULTS, name, { namespace, signal });
    } catch (cause) {
      if (signal?.aborted === true) throw cause;
      throw this.#error('read', cause);
    }
    return this.#current;
  }

  /** Stores the change; resolves when it is stored. Creates a missing object. */
  write(patch: MergePatch): Promise<void> {
    if (this.#pending === undefined) {
      const done = Promise.withResolvers<void>();
      // Callers that do not wait learn of the failure at the next write that they do wait for.
      done.promise.catch(() => {});
      this.#pending = { patch, done };
    } else {
      this.#pending.patch = composePatches(this.#pending.patch, patch);
    }
    const { promise } = this.#pending.done;
    this.#sending ??= this.#drain();
    return promise;
  }

  /** Resolves when nothing is waiting to be stored; a failure goes to the caller of its write. */
  async flush(): Promise<void> {
    await this.#sending;
  }

  /**
   * Changes a part of the status that others write too: from the object as it is now, and anew when somebody wrote in between.
   *
   * @param change pure; undefined leaves the object as it is
   */
  async revise(change: (result: ChaosResult) => MergePatch | undefined): Promise<void> {
    const { client, namespace, name } = this.#options;
    await this.#untilStored(async () => {
      const request = { namespace, timeoutMs: REQUEST_LIMIT_MS };
      const result = await client.find<ChaosResult>(CHAOS_RESULTS, name, request);
      if (result === undefined) return undefined;
      const status = change(result);
      if (status === undefined) return result;
      // An API server answers a version that is not the stored one with a conflict.
      const body = { metadata: { resourceVersion: result.metadata.resourceVersion }, status };
      const options = await statusOptions(client, CHAOS_RESULTS, request);
      return client.patch<ChaosResult>(CHAOS_RESULTS, name, 'merge', body, options);
    });
  }

  async #drain(): Promise<void> {
    // One turn of the queue: changes asked for in the same turn of the event loop go out together.
    await Promise.resolve();
    for (let next = this.#pending; next !== undefined; next = this.#pending) {
      this.#pending = undefined;
      const extras = this.#options.extras?.();
      try {
        const patch = extras === undefined ? next.patch : composePatches(next.patch, extras);
        await this.#untilStored(() => this.#store(patch));
        next.done.resolve();
      } catch (error) {
        next.done.reject(error);
      }
    }
    this.#sending = undefined;
  }

  /** Tries a write again while that can help, and keeps the object that it gives. */
  async #untilStored(write: () => Promise<ChaosResult | undefined>): Promise<void> {
    const { clock } = this.#options;
    const startedAt = clock.monotonic();
    for (let attempt = 0; ; attempt++) {
      try {
        this.#current = await write();
        return;
      } catch (cause) {
        const waitMs = Math.min(50 * 2 ** attempt, 2_000);
        if (!isPassing(cause) || clock.monotonic() + waitMs - startedAt > WRITE_LIMIT_MS) {
          throw this.#error('write', cause);
        }
        await clock.sleep(waitMs);
      }
    }
  }

  async #store(patch: MergePatch): Promise<ChaosResult> {
    const { client, namespace, name } = this.#options;
    if (this.#current === undefined) return this.#create(patch);
    try {
      return await this.#patch(patch);
    } catch (error) {
      if (!isNotFound(error)) throw error;
      // The result of a running experiment was deleted: the known facts of the run are stored anew.
      const { uid: _uid, resourceVersion: _version, ...metadata } = this.#current.metadata;
      return await client.create<ChaosResult>(
        CHAOS_RESULTS,
        asResult(applyMergePatch({ ...this.#current, metadata: { ...metadata, name } }, patch)),
        { namespace, timeoutMs: REQUEST_LIMIT_MS },
      );
    }
  }

  async #create(patch: MergePatch): Promise<ChaosResult> {
    const { client, namespace, name } = this.#options;
    const object = asResult(applyMergePatch(blank(namespace, name), patch));
    const limit = { timeoutMs: REQUEST_LIMIT_MS };
    try {
      const created = await client.create<ChaosResult>(CHAOS_RESULTS, object, { namespace, ...limit });
      if (!(await client.hasStatusSubresource(CHAOS_RESULTS, limit))) return created;
      this.#current = created;
      return await this.#patch({ status: object.status });
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
      this.#current = await client.get<ChaosResult>(CHAOS_RESULTS, name, { namespace, ...limit });
      return await this.#patch(patch);
    }
  }

  async #patch(patch: MergePatch): Promise<ChaosResult> {
    const { client, namespace, name } = this.#options;
    const { status, ...rest } = patch;
    const options = { namespace, timeoutMs: REQUEST_LIMIT_MS };
    if (status === undefined || !(await client.hasStatusSubresource(CHAOS_RESULTS, options))) {
      return client.patch<ChaosResult>(CHAOS_RESULTS, name, 'merge', patch, options);
    }
    if (Object.keys(rest).length > 0) {
      await client.patch<ChaosResult>(CHAOS_RESULTS, name, 'merge', rest, options);
    }
    return client.patch<ChaosResult>(
      CHAOS_RESULTS,
      name,
      'merge',
      { status },
      { ...options, subresource: 'status' },
    );
  }

  #error(verb: string, cause: unknown): ResultError {
    const { namespace, name } = this.#options;
    return new ResultError(
      `cannot ${verb} ChaosResult ${namespace}/${name}; ` +
        'check that the CRD is installed and what the service account may do with chaosresults',
      { cause },
    );
  }
}

/** Whether a write failed only because the API server was out of reach: it may succeed when that is back. */
export function isOutage(error: unknown): boolean {
  return error instanceof ResultError && isPassing(error.cause);
}

/** Whether the API server refused the account of this process: it does not know it (401), or does not allow the request (403). */
export function isRefusal(error: unknown): error is ResultError {
  return error instanceof ResultError && (isUnauthorized(error.cause) || isForbidden(error.cause));
}

/** Whether trying again can help: no answer, a conflict, too many requests, an overloaded or restarting server. */
function isPassing(error: unknown): boolean {
  if (error instanceof ConnectionError) return true;
  return error instanceof ApiError && [409, 429, 500, 502, 503, 504].includes(error.code);
}

function blank(namespace: string, name: string): MergePatch {
  return { apiVersion: 'litmuschaos.io/v1alpha1', kind: 'ChaosResult', metadata: { namespace, name } };
}

/** Patches of this room are built from typed parts, and they are applied to a ChaosResult: the outcome is one. */
function asResult(document: MergePatch): ChaosResult {
  return document as unknown as ChaosResult;
}
