/** Objects along their shape: their fields as a set, the difference of two, the merge of two, and parts taken out. */
import { equalJson } from '@turnsole/kube/text/json';
import { clone, isJson, type Json } from '../../object.ts';
import { EMPTY, type FieldSet, isEmptySet, MEMBER, formatStep as stepText } from './field-set.ts';
import { LEAF, type Shape } from './shape.ts';

/** Key fields that are understood where an item leaves them out. */
const KEY_DEFAULTS: Json = { protocol: 'TCP' };

/** The step of an item of a list of objects: `k:{"name":"a"}`; keys in the order of their names. */
function itemStep(item: unknown, keys: readonly string[]): string {
  const fields = isJson(item) ? item : {};
  const pairs = [...keys].sort().map((key) => [key, fields[key] ?? KEY_DEFAULTS[key] ?? null] as const);
  return `k:${JSON.stringify(Object.fromEntries(pairs.filter(([, value]) => value !== null)))}`;
}

/** A value with its parts by step, where its shape has separate parts. */
interface Part {
  readonly value: unknown;
  readonly shape: Shape;
  /** Whether the step is a member by itself: items and keys, not declared fields. */
  readonly isOwn: boolean;
}

function partsOf(value: unknown, shape: Shape): Map<string, Part> | undefined {
  const parts = new Map<string, Part>();
  switch (shape.kind) {
    case 'leaf':
      return undefined;
    case 'struct':
    case 'map':
      if (!isJson(value)) return undefined;
      for (const key of Object.keys(value)) {
        const of = shape.kind === 'map' ? shape.of : (shape.field(key) ?? LEAF);
        if (value[key] !== undefined)
          parts.set(`f:${key}`, { value: value[key], shape: of, isOwn: shape.kind === 'map' });
      }
      return parts;
    case 'set':
      if (!Array.isArray(value)) return undefined;
      for (const item of value)
        parts.set(`v:${JSON.stringify(item)}`, { value: item, shape: LEAF, isOwn: true });
      return parts;
    case 'list':
      if (!Array.isArray(value)) return undefined;
      for (const item of value)
        parts.set(itemStep(item, shape.keys), { value: item, shape: shape.of, isOwn: true });
      return parts;
  }
}

/**
 * Every field that a value sets. With `marksWholes` also the optional objects and lists around them, which belong to the manager that
 * added them, and times without a value.
 */
export function fieldsOf(value: unknown, shape: Shape, marksWholes = false): FieldSet {
  const parts = partsOf(value, shape);
  if (parts === undefined) return value === null && !marksWholes ? EMPTY : MEMBER;
  // An empty object is owned itself; an empty map or list is as good as absent.
  if (parts.size === 0) return shape.kind === 'struct' && shape.isNothingIfEmpty !== true ? MEMBER : EMPTY;
  const children = new Map<string, FieldSet>();
  for (const [step, part] of parts) {
    const child = fieldsOf(part.value, part.shape, marksWholes);
    if (part.isOwn) children.set(step, { isMember: true, children: child.children });
    else if (!isEmptySet(child)) children.set(step, child);
  }
  return { isMember: marksWholes && shape.isOptional === true, children };
}

/** What differs between two values. */
export interface Comparison {
  readonly added: FieldSet;
  readonly modified: FieldSet;
  readonly removed: FieldSet;
}

const SAME: Comparison = { added: EMPTY, modified: EMPTY, removed: EMPTY };

/** Compares `after` with `before`. An object or list that appears or vanishes does so with all its parts. */
export function compare(before: unknown, after: unknown, shape: Shape): Comparison {
  if (before === undefined && after === undefined) return SAME;
  if (before === undefined) return { ...SAME, added: fieldsOf(after, shape, true) };
  if (after === undefined) return { ...SAME, removed: fieldsOf(before, shape, true) };
  const left = partsOf(before, shape);
  const right = partsOf(after, shape);
  if (left === undefined || right === undefined) {
    return equalJson(before, after) ? SAME : { ...SAME, modified: MEMBER };
  }
  const [added, modified, removed] = [
    new Map<string, FieldSet>(),
    new Map<string, FieldSet>(),
    new Map<string, FieldSet>(),
  ];
  for (const step of new Set([...left.keys(), ...right.keys()])) {
    const [a, b] = [left.get(step), right.get(step)];
    const part = b ?? a;
    if (part === undefined) continue;
    const inner = compare(a?.value, b?.value, part.shape);
    const own = part.isOwn && (a === undefined || b === undefined);
    const put = (into: Map<string, FieldSet>, set: FieldSet): void => {
      if (!isEmptySet(set)) into.set(step, own ? { isMember: true, children: set.children } : set);
    };
    put(added, inner.added);
    put(modified, inner.modified);
    put(removed, inner.removed);
  }
  return { added: node(added), modified: node(modified), removed: node(removed) };
}

function node(children: ReadonlyMap<string, FieldSet>): FieldSet {
  return children.size === 0 ? EMPTY : { isMember: false, children };
}

/** `base` with everything that `config` sets. Inputs are not changed. */
export function mergeTyped(base: unknown, config: unknown, shape: Shape): unknown {
  if (config === undefined) return base;
  switch (shape.kind) {
    case 'leaf':
      return clone(config);
    case 'struct':
    case 'map': {
      if (!isJson(config)) return clone(config);
      const merged: Json = isJson(base) ? { ...base } : {};
      for (const key of Object.keys(config)) {
        const of = shape.kind === 'map' ? shape.of : (shape.field(key) ?? LEAF);
        merged[key] = mergeTyped(merged[key], config[key], of);
      }
      return merged;
    }
    case 'set': {
      if (!Array.isArray(config)) return clone(config);
      const items: unknown[] = Array.isArray(base) ? [...base] : [];
      // Sets are of texts and numbers, of which a Set knows whether it has them; only objects have to be compared.
      const known = new Set(items);
      for (const item of config) {
        const isThere =
          known.has(item) || (typeof item === 'object' && items.some((present) => equalJson(present, item)));
        if (!isThere) items.push(clone(item));
        known.add(item);
      }
      return items;
    }
    case 'list':
      return mergeList(base, config, shape.keys, shape.of);
  }
}

function mergeList(base: unknown, config: unknown, keys: readonly string[], of: Shape): unknown {
  if (!Array.isArray(config)) return clone(config);
  const items: unknown[] = Array.isArray(base) ? [...base] : [];
  // By step, so that a list of thousands is not compared with itself; of items with the same key the first is meant.
  const indices = new Map<string, number>();
  for (const [index, item] of items.entries()) {
    const step = itemStep(item, keys);
    if (!indices.has(step)) indices.set(step, index);
  }
  for (const item of config) {
    const step = itemStep(item, keys);
    const index = indices.get(step);
    if (index !== undefined) items[index] = mergeTyped(items[index], item, of);
    else {
      indices.set(step, items.length);
      items.push(clone(item));
    }
  }
  return items;
}

/**
 * `value` without the fields of `removed`; objects that lose everything they were made of go too. Inputs are not
 * changed. Undefined when nothing is left.
 */
export function removeFields(value: unknown, removed: FieldSet, shape: Shape): unknown {
  if (removed.children.size === 0) return removed.isMember ? undefined : value;
  const parts = partsOf(value, shape);
  if (parts === undefined) return removed.isMember ? undefined : value;
  if (isJson(value)) {
    const left: Json = {};
    for (const key of Object.keys(value)) {
      const child = removed.children.get(`f:${key}`);
      const part = parts.get(`f:${key}`);
      const kept =
        child === undefined || part === undefined ? value[key] : removeFields(value[key], child, part.shape);
      if (kept !== undefined) left[key] = kept;
    }
    return removed.isMember && Object.keys(left).length === 0 ? undefined : left;
  }
  const items: unknown[] = [];
  for (const [step, part] of parts) {
    const child = removed.children.get(step);
    const kept = child === undefined ? part.value : removeFields(part.value, child, part.shape);
    // An item whose step is a member is removed as a whole.
    if (kept !== undefined && child?.isMember !== true) items.push(kept);
  }
  return items;
}

/** The first list of objects with two items of the same key: where, and which key. */
export function findDuplicate(value: unknown, shape: Shape, path = ''): string | undefined {
  const parts = partsOf(value, shape);
  if (parts === undefined) return undefined;
  if (shape.kind === 'list' && Array.isArray(value) && parts.size < value.length) {
    const steps = value.map((item) => itemStep(item, shape.keys));
    const twice = steps.find((step, index) => steps.indexOf(step) < index) ?? '';
    return `${path}: duplicate entries for key ${stepText(twice)}`;
  }
  for (const [step, part] of parts) {
    const found = findDuplicate(part.value, part.shape, `${path}${stepText(step)}`);
    if (found !== undefined) return found;
  }
  return undefined;
}
