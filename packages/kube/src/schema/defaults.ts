import { isObject } from '../text/json.ts';
import { copyOwn, propertySchema, type StructuralSchema, setOwn } from './schema.ts';

/**
 * Gives the value with the schema's defaults filled in and with the nulls dropped that its fields do not allow, as the
 * API server does before it validates (Kubernetes documentation, Defaulting and Nullable): a null where a default
 * stands becomes the default, any other null of a non-nullable field counts as absent. The input is not changed; parts
 * that need no change are shared with it.
 */
export function applyDefaults(schema: StructuralSchema, value: unknown): unknown {
  if (Array.isArray(value)) return defaultItems(schema, value);
  return isObject(value) ? defaultFields(schema, value) : value;
}

function defaultItems(schema: StructuralSchema, value: readonly unknown[]): readonly unknown[] {
  const { items } = schema;
  if (items === undefined) return value;
  let copy: unknown[] | undefined;
  for (const [index, item] of value.entries()) {
    const next =
      refusesNull(items, item) && items.default !== undefined ? structuredClone(items.default) : item;
    const defaulted = applyDefaults(items, next);
    if (defaulted === item) continue;
    copy ??= [...value];
    copy[index] = defaulted;
  }
  return copy ?? value;
}

function defaultFields(schema: StructuralSchema, value: Readonly<Record<string, unknown>>): unknown {
  let copy: Record<string, unknown> | undefined;
  const set = (key: string, next: unknown): void => {
    copy ??= copyOwn(value);
    if (next === undefined) delete copy[key];
    else setOwn(copy, key, next);
  };
  for (const key of Object.keys(schema.properties ?? {})) {
    const property = propertySchema(schema, key);
    if (property?.default === undefined || (Object.hasOwn(value, key) && value[key] !== undefined)) continue;
    set(key, applyDefaults(property, structuredClone(property.default)));
  }
  const { additionalProperties } = schema;
  for (const key of Object.keys(value)) {
    const property =
      propertySchema(schema, key) ??
      (typeof additionalProperties === 'object' ? additionalProperties : undefined);
    if (property === undefined) continue;
    const found = value[key];
    const present = refusesNull(property, found) ? structuredClone(property.default) : found;
    const next = applyDefaults(property, present);
    if (next !== found) set(key, next);
  }
  return copy ?? value;
}

/** A null that the schema does not allow; one that says nothing of types does not allow it either. */
function refusesNull(schema: StructuralSchema, value: unknown): boolean {
  return value === null && schema.nullable !== true;
}
