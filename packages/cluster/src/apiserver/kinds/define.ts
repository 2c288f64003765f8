import { type ApiObject, clone, type Json, valueAt } from '../object.ts';
import { AGE_COLUMN, NAME_COLUMN } from '../tables/column.ts';
import { checkSubdomainName } from '../validation/names.ts';
import type { KindDefinition, ServedVersion } from './kind.ts';

/** The fields of a declaration; absent ones have usual values. */
type KindDeclaration = Partial<Omit<KindDefinition, 'versions'>> & {
  /** Versions by name (`v1`), preferred first; or in full. @default v1 */
  readonly versions?: readonly (string | ServedVersion)[];
};

/** A kind with the usual values for what the declaration leaves out. */
export function defineKind(
  { group, plural, kind, ...own }: KindDeclaration & Pick<KindDefinition, 'group' | 'plural' | 'kind'>,
  more: KindDeclaration = {},
): KindDefinition {
  const declaration = { ...own, ...more };
  const versions = (declaration.versions ?? ['v1']).map((version): ServedVersion => {
    const given = typeof version === 'string' ? { name: version } : version;
    return {
      type: `${group === '' ? 'core' : (group.split('.')[0] ?? group)}.${given.name}.${kind}`,
      ...given,
    };
  });
  const stored = declaration.storedVersion ?? versions[0]?.name ?? 'v1';
  return {
    group,
    plural,
    kind,
    singular: kind.toLowerCase(),
    listKind: `${kind}List`,
    namespaced: true,
    shortNames: [],
    categories: [],
    storedVersion: stored,
    table: group === '' ? plural : `${plural}.${group}`,
    storedApiVersion: group === '' ? stored : `${group}/${stored}`,
    checkName: checkSubdomainName,
    rules: {},
    hasGeneration: false,
    hasStatus: false,
    allowsUnconditionalUpdate: true,
    createsOnUpdate: false,
    returnsDeleted: false,
    columns: [NAME_COLUMN, AGE_COLUMN],
    fields: {},
    ...declaration,
    versions,
  };
}

/** Reads a selectable field of text, number or boolean at a path. */
export function fieldAt(...path: readonly string[]): (object: ApiObject) => string {
  return (object) => {
    const value = valueAt(object, ...path);
    return value === undefined || value === null ? '' : String(value);
  };
}

/** The value at a path as text; '' when it is missing. */
export function textAt(...path: readonly string[]): (object: ApiObject) => string {
  return (object) => {
    const value = valueAt(object, ...path);
    return value === undefined ? '' : String(value);
  };
}

/** Gives every new object this status, whatever its creator sent. */
export function withStatus(status: Json): (object: ApiObject) => void {
  return (object) => {
    object.status = clone(status);
  };
}
