import { isConflict, isNotFound } from '../client/errors.ts';
import type { DeleteOptions, KubeClient, NewObject, PatchType, RequestOptions } from '../client/types.ts';
import type { KubeObject } from '../kinds/core.ts';
import type { Resource } from '../kinds/resources.ts';
import { equivalentJson } from '../text/json.ts';
import type { InformerFactory } from './informers.ts';

/** Namespace of an object as request options take it: none for cluster-scoped ones. */
export function placeOf({ metadata }: KubeObject): { readonly namespace?: string } {
  return metadata.namespace === undefined ? {} : { namespace: metadata.namespace };
}

/** Writes objects, and updates the shared views with each write before the watch reports it. */
export class Writer {
  readonly #client: KubeClient;
  readonly #informers: InformerFactory;

  constructor(client: KubeClient, informers: InformerFactory) {
    this.#client = client;
    this.#informers = informers;
  }

  async create<T extends KubeObject>(
    resource: Resource,
    object: NewObject<T>,
    signal: AbortSignal,
  ): Promise<T> {
    const { namespace } = object.metadata;
    const created = await this.#client.create<T>(resource, object, { namespace, signal });
    this.#informers.present(resource)?.wrote(created);
    return created;
  }

  /** @throws ApiError Conflict when the object is not the newest version */
  async update<T extends KubeObject>(resource: Resource, object: T, signal: AbortSignal): Promise<T> {
    return this.#put(resource, object, { ...placeOf(object), signal });
  }

  /** @throws ApiError Conflict when the object is not the newest version */
  async updateStatus<T extends KubeObject>(resource: Resource, object: T, signal: AbortSignal): Promise<T> {
    return this.#put(resource, object, { ...placeOf(object), signal, subresource: 'status' });
  }

  /** Writes a status unless it says what the present one says; whether it had to. @throws ApiError Conflict as `updateStatus` */
  async setStatus<T extends KubeObject & { readonly status?: unknown }>(
    resource: Resource,
    object: T,
    status: T['status'],
    signal: AbortSignal,
  ): Promise<boolean> {
    if (equivalentJson(status, object.status)) return false;
    await this.updateStatus<T>(resource, { ...object, status }, signal);
    return true;
  }

  async #put<T extends KubeObject>(
    resource: Resource,
    object: T,
    options: RequestOptions & { readonly subresource?: string },
  ): Promise<T> {
    const updated = await this.#client.update<T>(resource, object, options);
    this.#informers.present(resource)?.wrote(updated);
    return updated;
  }

  async patch<T extends KubeObject>(
    resource: Resource,
    object: T,
    type: PatchType,
    patch: unknown,
    signal: AbortSignal,
  ): Promise<T> {
    const patched = await this.#client.patch<T>(resource, object.metadata.name, type, patch, {
      ...placeOf(object),
      signal,
    });
    const isGoing = patched.metadata.deletionTimestamp !== undefined;
    const isHeld =
      (patched.metadata.finalizers?.length ?? 0) > 0 ||
      (patched.metadata.deletionGracePeriodSeconds ?? 0) > 0;
    const view = this.#informers.present(resource);
    // Removing the last finalizer of an object under deletion ends it, and the answer is its last state.
    if (isGoing && !isHeld) view?.removed(patched);
    else view?.wrote(patched);
    return patched;
  }

  /** Deletes this very object; that it is gone already, or replaced by a namesake, is as good. */
  async delete<T extends KubeObject>(
    resource: Resource,
    object: T,
    signal: AbortSignal,
    options: Pick<DeleteOptions, 'gracePeriodSeconds' | 'propagationPolicy'> = {},
  ): Promise<void> {
    const { name, uid } = object.metadata;
    const view = this.#informers.present(resource);
    try {
      const left = await this.#client.delete<T>(resource, name, {
        ...placeOf(object),
        ...options,
        signal,
        preconditions: { uid },
      });
      if (left === undefined) view?.removed(object);
      else view?.wrote(left);
    } catch (error) {
      if (!isNotFound(error) && !isConflict(error)) throw error;
      view?.removed(object);
    }
  }
}
