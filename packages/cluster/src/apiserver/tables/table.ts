import { type ApiObject, clone } from '../object.ts';
import type { Column } from './column.ts';

/** What a row carries besides its cells: nothing, the object's metadata (the default) or the whole object. */
export type IncludeObject = 'None' | 'Metadata' | 'Object';

/** Head of a Table: kind, version and the descriptions of its columns. */
export function tableHead(version: string, columns: readonly Column[] | undefined): object {
  return {
    kind: 'Table',
    apiVersion: `meta.k8s.io/${version}`,
    metadata: {},
    columnDefinitions:
      columns?.map(({ name, type, format, description, priority }) => ({
        name,
        type,
        format: format ?? '',
        description: description ?? '',
        priority,
      })) ?? null,
  };
}

/** The row of an object. */
export function tableRow(
  object: ApiObject,
  columns: readonly Column[],
  now: number,
  include: IncludeObject,
  version: string,
  conditions: readonly object[] | undefined,
): object {
  const row = {
    cells: columns.map((column) => column.cell(object, now)),
    conditions,
  };
  switch (include) {
    case 'None':
      return { ...row, object: null };
    case 'Metadata':
      return { ...row, object: partialMetadata(object, version) };
    case 'Object':
      return { ...row, object: clone(object) };
  }
}

/** An object reduced to its metadata. */
export function partialMetadata(object: ApiObject, version: string): object {
  return { kind: 'PartialObjectMetadata', apiVersion: `meta.k8s.io/${version}`, metadata: object.metadata };
}
