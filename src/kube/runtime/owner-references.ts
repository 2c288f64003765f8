import { type KubeObject, type ObjectMeta, type OwnerReference, objectKey } from '../../api/core.ts';
import { apiVersionOf, type Resource } from '../../api/resources.ts';

/** Another controller already manages the object. */
export class AlreadyOwnedError extends Error {
  override readonly name = 'AlreadyOwnedError';
  readonly owner: OwnerReference;

  constructor(object: string, owner: OwnerReference, wanted: string) {
    super(
      `cannot make ${wanted} the controller of ${object}: ${owner.kind} ${owner.name} (uid ${owner.uid}) already is; remove one of the two`,
    );
    this.owner = owner;
  }
}

/** What an owner reference is made of. */
export interface Owner {
  readonly metadata: Pick<ObjectMeta, 'name' | 'namespace' | 'uid'>;
}

/**
 * A reference by which the garbage collector removes an object with its owner.
 *
 * @param options.controller whether the owner manages the object; at most one may. @default true
 * @param options.blockOwnerDeletion whether foreground deletion of the owner waits for the object. @default true
 * @throws TypeError when the owner has no uid: it was never stored, and the reference would be collected at once
 */
export function ownerReference(
  resource: Resource,
  owner: Owner,
  options: { readonly controller?: boolean; readonly blockOwnerDeletion?: boolean } = {},
): OwnerReference {
  const { name, uid } = owner.metadata;
  if (uid === undefined || uid === '') {
    throw new TypeError(
      `cannot refer to ${resource.kind} ${name} as owner: it has no uid; use the object as the server returned it`,
    );
  }
  return {
    apiVersion: apiVersionOf(resource),
    kind: resource.kind,
    name,
    uid,
    controller: options.controller ?? true,
    blockOwnerDeletion: options.blockOwnerDeletion ?? true,
  };
}

/** The reference of the managing owner. */
export function controllerOf(object: KubeObject): OwnerReference | undefined {
  return object.metadata.ownerReferences?.find((reference) => reference.controller === true);
}

/** Whether an object names an owner, by uid: a recreated owner of the same name is another one. */
export function isOwnedBy(object: KubeObject, owner: Owner): boolean {
  return (
    owner.metadata.uid !== undefined &&
    (object.metadata.ownerReferences?.some((reference) => reference.uid === owner.metadata.uid) ?? false)
  );
}

/**
 * The references an object should have so that `owner` manages it: the present ones, that of the owner renewed or added.
 * Pure; the caller writes them.
 *
 * @throws AlreadyOwnedError when another owner manages it
 * @throws TypeError when the owner lives in another namespace: the collector would take it for missing and delete
 *   the object (garbage collection, owner references)
 */
export function withController(object: KubeObject, resource: Resource, owner: Owner): OwnerReference[] {
  const present = object.metadata.ownerReferences ?? [];
  const reference = ownerReference(resource, owner);
  if (resource.namespaced && owner.metadata.namespace !== object.metadata.namespace) {
    throw new TypeError(
      `cannot make ${resource.kind} ${owner.metadata.namespace ?? ''}/${owner.metadata.name} the owner of ${objectKey(object)}: an owner must be in the same namespace or cluster-scoped`,
    );
  }
  const other = present.find((entry) => entry.controller === true && entry.uid !== reference.uid);
  if (other !== undefined) {
    throw new AlreadyOwnedError(objectKey(object), other, `${resource.kind} ${owner.metadata.name}`);
  }
  return [...present.filter((entry) => entry.uid !== reference.uid), reference];
}
