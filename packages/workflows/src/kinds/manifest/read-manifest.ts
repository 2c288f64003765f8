import type { Type } from '@turnsole/kube/schema/kubernetes/types';
import { suggest } from '@turnsole/kube/schema/suggest';
import { isObject } from '@turnsole/kube/text/json';
import { anyString } from '../decode/any-string.ts';
import { fieldsOf } from './types.ts';

/** A field that Argo's types do not have, or spell otherwise: only Argo's own command reads these. */
export interface UnknownField {
  /** `spec.templates[0].retryStrtegy` */
  readonly path: string;
  /** The field of the same object that was probably meant. */
  readonly suggestion: string | undefined;
}

/** A manifest of a workflow kind as Argo's command reads it. */
interface ReadManifest {
  readonly object: unknown;
  readonly unknown: readonly UnknownField[];
}

/**
 * Reads an object of a workflow kind by Argo's types: names of fields without regard to case, and numbers and booleans as texts where texts are
 * expected (`args: [exit, 1]`). Unknown fields stay; they and those in
 * another case are listed; what is of another form stays as it is, for validation. An object of
 * another kind comes back unchanged. Pure.
 */
export function readManifest(object: unknown): ReadManifest {
  const unknown: UnknownField[] = [];
  const kind = isObject(object) ? String(object['kind']) : '';
  if (fieldsOf(kind) === undefined) return { object, unknown };
  return { object: visit({ kind: 'struct', name: kind }, object, '', unknown), unknown };
}

function visit(type: Type, value: unknown, path: string, unknown: UnknownField[]): unknown {
  switch (type.kind) {
    case 'scalar':
      return type.letter === 's' && isTextInGo(value) ? anyString(value) : value;
    case 'list':
      return Array.isArray(value)
        ? value.map((item, index) => visit(type.of, item, `${path}[${index}]`, unknown))
        : value;
    case 'map':
      if (!isObject(value)) return value;
      return mapped(value, (key, item) => [key, visit(type.of, item, `${path}.${key}`, unknown)]);
    case 'struct':
      return isObject(value) ? struct(type.name, value, path, unknown) : value;
  }
}

function isTextInGo(value: unknown): boolean {
  return typeof value === 'number' || typeof value === 'boolean';
}

function struct(
  name: string,
  value: Readonly<Record<string, unknown>>,
  path: string,
  unknown: UnknownField[],
): Record<string, unknown> {
  const fields = fieldsOf(name);
  if (fields === undefined) return value;
  const below = (key: string): string => (path === '' ? key : `${path}.${key}`);
  return mapped(value, (key, item) => {
    const field = fieldNamed(key, value, fields);
    const type = field === undefined ? undefined : fields.get(field);
    if (field !== key) unknown.push({ path: below(key), suggestion: field ?? suggest(key, fields.keys()) });
    if (field !== undefined && type !== undefined) return [field, visit(type, item, below(field), unknown)];
    return [key, item];
  });
}

/** The field that a key names; one that is spelled exactly counts before one that differs in case. */
function fieldNamed(
  key: string,
  value: Readonly<Record<string, unknown>>,
  fields: ReadonlyMap<string, Type>,
): string | undefined {
  if (fields.has(key)) return key;
  const folded = key.toLowerCase();
  const found = [...fields.keys()].find((name) => name.toLowerCase() === folded);
  return found === undefined || Object.hasOwn(value, found) ? undefined : found;
}

function mapped(
  value: Readonly<Record<string, unknown>>,
  entry: (key: string, item: unknown) => [key: string, item: unknown],
): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).map(([key, item]) => entry(key, item)));
}
