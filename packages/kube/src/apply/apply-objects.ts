import type { KubeClient, WriteOptions } from '../client/types.ts';
import type { KubeObject } from '../kinds/core.ts';
import { CUSTOM_RESOURCE_DEFINITIONS } from '../kinds/resources.ts';
import { messageOf } from '../text/error-message.ts';
import { applyObject } from './apply-object.ts';
import { awaitEstablished } from './await-established.ts';
import { KindResolver } from './kind-resolver.ts';
import { nameOf, type TypedObject } from './parse-manifests.ts';

/** How objects are applied. */
interface ApplyObjectsOptions extends Pick<WriteOptions, 'signal' | 'onWarning'> {
  /** Of objects that name none. */
  readonly namespace: string;
  /** Owner of the fields that are applied. */
  readonly fieldManager: string;
}

/** An object could not be applied. Those before it have been. `cause` is the refusal or the failure. */
export class ApplyError extends Error {
  override readonly name = 'ApplyError';
}

/**
 * Stores objects by server-side apply, one after the other, each as {@link applyObject} does. After a definition it waits until the server
 * serves its kind, so that objects of it may follow.
 *
 * @returns the objects as they are stored
 * @throws ApplyError naming the object · the signal's reason
 */
export async function applyObjects(
  client: KubeClient,
  objects: readonly TypedObject[],
  { namespace, fieldManager, signal = NEVER, onWarning }: ApplyObjectsOptions,
): Promise<KubeObject[]> {
  const kinds = new KindResolver(client);
  const stored: KubeObject[] = [];
  for (const object of objects) {
    try {
      const resource = await kinds.resolve(object.apiVersion, object.kind);
      if (typeof resource === 'string') throw new Error(resource);
      const place = resource.namespaced ? (object.metadata.namespace ?? namespace) : undefined;
      const options = { namespace: place, fieldManager, signal, onWarning };
      stored.push((await applyObject(client, resource, object, options)).after);
      if (resource.plural !== CUSTOM_RESOURCE_DEFINITIONS.plural) continue;
      await awaitEstablished(client, object.metadata.name, signal);
      kinds.forget();
    } catch (cause) {
      signal.throwIfAborted();
      throw new ApplyError(`cannot apply ${nameOf(object)}: ${messageOf(cause)}`, { cause });
    }
  }
  return stored;
}

const NEVER = new AbortController().signal;
