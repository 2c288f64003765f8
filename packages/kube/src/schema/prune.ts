import { isObject } from '../text/json.ts';
import { formatPath, type PathSegment } from './path.ts';
import { copyOwn, propertySchema, type StructuralSchema, setOwn } from './schema.ts';

/** A value without the fields that its schema does not know, and where those were. */
interface Pruned {
  readonly value: unknown;
  readonly pruned: readonly string[];
}

/** Fields that every object has, whatever its schema says. */
const OBJECT_FIELDS: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata']);

/**
 * Gives the value without unknown fields, as the API server stores a custom resource. Below
 * `x-kubernetes-preserve-unknown-fields` unknown fields stay; known fields there are pruned by their own schema. With
 * `resourceRoot` (the default) apiVersion, kind and metadata of the object itself stay untouched. The input is not
 * changed; parts that need no change are shared with it.
 */
export function prune(
  schema: StructuralSchema,
  value: unknown,
  options: { readonly resourceRoot?: boolean } = {},
): Pruned {
  const walk: Walk = { path: [], pruned: [] };
  return { value: visit(schema, value, walk, options.resourceRoot ?? true), pruned: walk.pruned };
}

interface Walk {
  readonly path: PathSegment[];
  readonly pruned: string[];
}

function visit(schema: StructuralSchema, value: unknown, walk: Walk, resourceRoot: boolean): unknown {
  if (Array.isArray(value)) return visitItems(schema, value, walk);
  return isObject(value) ? visitFields(schema, value, walk, resourceRoot) : value;
}

function visitItems(schema: StructuralSchema, value: readonly unknown[], walk: Walk): unknown {
  const { items } = schema;
  if (items === undefined) return value;
  let copy: unknown[] | undefined;
  for (const [index, item] of value.entries()) {
    walk.path.push(index);
    const next = visit(items, item, walk, false);
    walk.path.pop();
    if (next === item) continue;
    copy ??= [...value];
    copy[index] = next;
  }
  return copy ?? value;
}

function visitFields(
  schema: StructuralSchema,
  value: Readonly<Record<string, unknown>>,
  walk: Walk,
  resourceRoot: boolean,
): unknown {
  const { additionalProperties } = schema;
  const preserve = schema['x-kubernetes-preserve-unknown-fields'] === true || additionalProperties === true;
  const isWhole = resourceRoot || schema['x-kubernetes-embedded-resource'] === true;
  let copy: Record<string, unknown> | undefined;
  for (const key of Object.keys(value)) {
    const child =
      propertySchema(schema, key) ??
      (typeof additionalProperties === 'object' ? additionalProperties : undefined);
    if (isWhole && OBJECT_FIELDS.has(key)) continue;
    if (child === undefined) {
      if (preserve) continue;
      walk.pruned.push(formatPath([...walk.path, key]));
      copy ??= copyOwn(value);
      delete copy[key];
      continue;
    }
    walk.path.push(key);
    const next = visit(child, value[key], walk, false);
    walk.path.pop();
    if (next === value[key]) continue;
    copy ??= copyOwn(value);
    setOwn(copy, key, next);
  }
  return copy ?? value;
}
