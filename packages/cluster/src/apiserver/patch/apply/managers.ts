/** Which manager owns which fields of an object: metadata.managedFields. Source: kubernetes.io, Server-Side Apply, Field management. */
import { type ManagedFieldsEntry, timestamp } from '../../object.ts';
import {
  equalSets,
  type FieldSet,
  fromFieldsV1,
  isEmptySet,
  subtract,
  subtractBelow,
  toFieldsV1,
  union,
} from './field-set.ts';
import type { Comparison } from './typed.ts';

/** One manager and its fields. */
export interface Manager {
  readonly name: string;
  readonly operation: 'Apply' | 'Update';
  readonly apiVersion: string;
  readonly subresource: string;
  readonly time: string;
  readonly fields: FieldSet;
}

export type ManagerId = Pick<Manager, 'name' | 'operation' | 'apiVersion' | 'subresource'>;

export function readManagers(entries: readonly ManagedFieldsEntry[] | undefined): Manager[] {
  return (entries ?? []).map((entry) => ({
    name: entry.manager ?? '',
    operation: entry.operation === 'Apply' ? 'Apply' : 'Update',
    apiVersion: entry.apiVersion ?? '',
    subresource: entry.subresource ?? '',
    time: entry.time ?? '',
    fields: fromFieldsV1(entry.fieldsV1),
  }));
}

/** Writes the entries: appliers first, then by time. */
export function writeManagers(managers: readonly Manager[]): ManagedFieldsEntry[] {
  const rank = (manager: Manager): number => (manager.operation === 'Apply' ? 0 : 1);
  return managers
    .filter(({ fields }) => !isEmptySet(fields))
    .toSorted((a, b) => rank(a) - rank(b) || compareTexts(a.time, b.time) || compareTexts(a.name, b.name))
    .map(({ name, operation, apiVersion, time, fields, subresource }) => ({
      manager: name,
      operation,
      apiVersion,
      time,
      fieldsType: 'FieldsV1',
      fieldsV1: toFieldsV1(fields),
      ...(subresource === '' ? {} : { subresource }),
    }));
}

function compareTexts(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

export function isSame(a: ManagerId, b: ManagerId): boolean {
  return a.name === b.name && a.operation === b.operation && a.subresource === b.subresource;
}

/** Managers after a write of the object: the writer owns what it changed, the others lose it. Pure. */
export function afterUpdate(
  managers: readonly Manager[],
  writer: ManagerId,
  difference: Comparison,
  now: number,
): Manager[] {
  const changed = union(difference.added, difference.modified);
  const before = managers.find((manager) => isSame(manager, writer));
  const others = managers
    .filter((manager) => !isSame(manager, writer))
    .map((manager) => ({
      ...manager,
      fields: subtractBelow(subtract(manager.fields, changed), difference.removed),
    }));
  const gained = before === undefined ? changed : union(before.fields, changed);
  const fields = subtractBelow(gained, difference.removed);
  if (before !== undefined && equalSets(before.fields, fields)) return [...others, before];
  return [...others, { ...writer, time: timestamp(now), fields }];
}
