import type { KubeObject, ObjectMeta, OwnerReference } from '../kinds/core.ts';
import { apiVersionOf, type Resource } from '../kinds/resources.ts';

/** The parts of an owner reference. */
interface Owner {
  readonly metadata: Pick<ObjectMeta, 'name' | 'namespace' | 'uid'>;
}

/**
 * A reference by which the garbage collector removes an object with its owner.
 * The owner manages the object, and foreground deletion of the owner waits for it.
 *
 * @throws TypeError when the owner has no uid: it was never stored, and the reference would be collected at once
 */
export function ownerReference(resource: Resource, owner: Owner): OwnerReference {
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
    controller: true,
    blockOwnerDeletion: true,
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

/** Group part of an apiVersion text. */
export function groupOf(apiVersion: string | undefined): string {
  if (apiVersion === undefined) return '';
  const slash = apiVersion.indexOf('/');
  return slash < 0 ? '' : apiVersion.slice(0, slash);
}

/** Whether the reference is to an object of this kind and group, whatever its version. */
export function refersTo(
  reference: OwnerReference | undefined,
  resource: Pick<Resource, 'group' | 'kind'>,
): boolean {
  return reference?.kind === resource.kind && groupOf(reference.apiVersion) === resource.group;
}

/** Keys of an object's owners of one kind; the version of the reference does not matter, its group does. */
export function ownerKeys(
  { metadata }: KubeObject,
  owner: Pick<Resource, 'group' | 'kind' | 'namespaced'>,
  controllerOnly: boolean,
): string[] {
  const home = owner.namespaced && metadata.namespace !== undefined ? `${metadata.namespace}/` : '';
  return (metadata.ownerReferences ?? [])
    .filter((reference) => refersTo(reference, owner) && (reference.controller === true || !controllerOnly))
    .map(({ name }) => `${home}${name}`);
}
