/**
 * Field ownership of writes that are not applies.
 *
 * Ownership matters to those who apply, and it doubles the size of an object. So it is kept for objects that a client
 * writes under a name (`fieldManager`, which kubectl always gives) or applies, and from then on for every write of
 * them. Objects that only programs without a name write have none, and the first apply attributes what it finds to
 * `before-first-apply`, as real servers do with objects of that kind.
 */
import type { ApiObject } from '../object.ts';
import { ownable } from '../patch/apply/apply.ts';
import { afterUpdate, readManagers, writeManagers } from '../patch/apply/managers.ts';
import { type Shape, shapeOfCustom, shapeOfType } from '../patch/apply/shape.ts';
import { compare } from '../patch/apply/typed.ts';
import type { WriteContext } from './environment.ts';
import type { ServedKind } from './registry.ts';

export function shapeOfServed({ version }: ServedKind): Shape {
  return version.type === undefined ? shapeOfCustom(version.schema ?? {}) : shapeOfType(version.type);
}

/** Writes metadata.managedFields of an object that is created or updated. `old` is undefined for creations. */
export function trackOwnership(
  kind: ServedKind,
  object: ApiObject,
  old: ApiObject | undefined,
  subresource: string,
  context: WriteContext,
  now: number,
): void {
  // The apply itself has written them already.
  if (context.isApply === true) return;
  const { metadata } = object;
  const given = metadata.managedFields;
  // A client may clear them with an empty entry, and takes over others' only by what it changes.
  const isCleared =
    given?.every((entry) => entry.manager === undefined && entry.fieldsV1 === undefined) === true;
  const base = old === undefined || isCleared ? undefined : (given ?? old.metadata.managedFields);
  if (isCleared || (base === undefined && (old !== undefined || !context.isNamedManager))) {
    delete metadata.managedFields;
    return;
  }
  const difference = compare(old === undefined ? {} : ownable(old), ownable(object), shapeOfServed(kind));
  const writer = {
    name: context.fieldManager,
    operation: 'Update',
    apiVersion: kind.apiVersion,
    subresource,
  } as const;
  const managers = writeManagers(afterUpdate(readManagers(base), writer, difference, now));
  if (managers.length === 0) delete metadata.managedFields;
  else metadata.managedFields = managers;
}
