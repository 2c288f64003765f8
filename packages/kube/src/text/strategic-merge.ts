/**
 * Strategic merge patch: like a merge patch, but some lists are merged, by a key of their items or as a set. A {@link MergeShape} says
 * which: the API server's comes from its schema, workflows go by names of fields ({@link mergeByKeys}).
 *
 * Directives: `$patch: replace|delete|merge` in objects and list items, `$retainKeys`, `$deleteFromPrimitiveList/<field>`
 * and `$setElementOrder/<field>`. Source: kubernetes/community, Strategic Merge Patch; kubernetes.io, Update API objects
 * in place using kubectl patch.
 */
import { equalJson, isObject } from './json.ts';

const PATCH = '$patch';
const RETAIN_KEYS = '$retainKeys';
const DELETE_FROM = '$deleteFromPrimitiveList/';
const SET_ORDER = '$setElementOrder/';

/** A patch that cannot be applied; `problem` says what is wrong, the message also with which part of it. */
export class StrategicMergeError extends Error {
  override readonly name: string = 'StrategicMergeError';
  readonly problem: string;

  /** @param path the part of the patch, '' for all */
  constructor(path: string, problem: string) {
    super(path === '' ? problem : `${path}: ${problem}`);
    this.problem = problem;
  }
}

/** An item of a list that is merged by keys has none of them. */
export class MissingKeyError extends StrategicMergeError {
  override readonly name = 'MissingKeyError';
  readonly item: Fields;
  readonly keys: readonly string[];

  constructor(path: string, item: Fields, keys: readonly string[]) {
    super(path, `an item of the patch has no ${keys.join(' or ')}`);
    this.item = item;
    this.keys = keys;
  }
}

type Fields = Readonly<Record<string, unknown>>;

/**
 * The effect of a patch on a list. `replaced`: takes its place, without the directives and nulls in its items. `opaque`: takes its place
 * as it is. `set`: adds missing items. Names: items are merged; the first of these fields that an item has is its key.
 */
type ListRule = 'replaced' | 'opaque' | 'set' | readonly string[];

export interface MergeField {
  readonly list: ListRule;
  /** Whether the patch's object replaces the present one. */
  readonly isReplaced: boolean;
  /** The shape of the field's object, or of the items of its list. */
  readonly shape: MergeShape;
}

export interface MergeShape {
  /** How the field is merged; undefined refuses it. */
  field(name: string): MergeField | undefined;
  /** The shape by which an object is read that takes the place of another. */
  readonly whole: MergeShape;
}

/** The shape of values of which nothing is known: no list is merged. */
export const PLAIN: MergeShape = {
  field: () => ({ list: 'replaced', isReplaced: false, shape: PLAIN }),
  get whole() {
    return PLAIN;
  },
};

/** For a name of a list field, the fields that may be the key of its items: the first that an item has is its key. */
export type MergeKeys = Readonly<Record<string, readonly string[]>>;

/**
 * For callers that have no schema at hand: the names of fields decide which lists are merged, and by which key. Other lists are replaced
 * as they are. Unknown directives are refused.
 *
 * @throws StrategicMergeError
 */
export function mergeByKeys(document: unknown, patch: unknown, keys: MergeKeys): Record<string, unknown> {
  const shape: MergeShape = {
    field: (name) =>
      name.startsWith('$') ? undefined : { list: keys[name] ?? 'opaque', isReplaced: false, shape },
    get whole() {
      return shape;
    },
  };
  return mergeStrategically(document, patch, shape);
}

/**
 * The document with the patch merged in. Inputs are not changed; unchanged parts are shared with the document. New items of a merged list
 * stand before those that the patch does not name, as kubectl and API servers leave them.
 *
 * @throws StrategicMergeError
 */
export function mergeStrategically(
  document: unknown,
  patch: unknown,
  shape: MergeShape,
): Record<string, unknown> {
  if (!isObject(patch)) throw new StrategicMergeError('', 'the patch is no object');
  return mergeObject(isObject(document) ? document : {}, patch, shape, '');
}

function mergeObject(below: Fields, patch: Fields, shape: MergeShape, path: string): Record<string, unknown> {
  const { [PATCH]: directive = 'merge', ...rest } = patch;
  if (directive === 'replace') return mergeObject({}, rest, shape.whole, path);
  if (directive === 'delete') return {};
  if (directive !== 'merge') throw unknownDirective(path, `${PATCH}: ${String(directive)}`);
  const merged = retainedOf(below, patch, path);
  for (const [name, value] of Object.entries(rest)) {
    if (name === RETAIN_KEYS || name.startsWith(SET_ORDER)) continue;
    if (name.startsWith(DELETE_FROM)) {
      deletePrimitives(merged, name.slice(DELETE_FROM.length), value, path);
      continue;
    }
    if (value === null) {
      delete merged[name];
      continue;
    }
    const order = orderOf(patch, name, path);
    merged[name] = mergeValue(merged[name], value, fieldOf(shape, name, path), order, pathOf(path, name));
  }
  for (const directiveName of Object.keys(patch)) {
    // An order without a patch of the list itself still orders it.
    if (!directiveName.startsWith(SET_ORDER)) continue;
    const name = directiveName.slice(SET_ORDER.length);
    const list = merged[name];
    if (name in patch || !Array.isArray(list)) continue;
    const { list: rule } = fieldOf(shape, name, path);
    merged[name] = ordered(list, list, orderOf(patch, name, path) ?? [], keysOf(rule));
  }
  return merged;
}

/** A shallow copy of the present object, reduced to the keys that a union keeps. */
function retainedOf(below: Fields, patch: Fields, path: string): Record<string, unknown> {
  const retained = patch[RETAIN_KEYS];
  if (retained === undefined) return { ...below };
  if (!Array.isArray(retained))
    throw new StrategicMergeError(path, `${RETAIN_KEYS} must be a list of field names`);
  for (const key of Object.keys(patch)) {
    if (!key.startsWith('$') && patch[key] !== null && !retained.includes(key))
      throw new StrategicMergeError(path, `${RETAIN_KEYS} directive does not match with the patch keys`);
  }
  return Object.fromEntries(Object.entries(below).filter(([key]) => retained.includes(key)));
}

function mergeValue(
  below: unknown,
  patch: unknown,
  { list, isReplaced, shape }: MergeField,
  order: readonly unknown[] | undefined,
  path: string,
): unknown {
  if (isObject(patch)) {
    if (isReplaced) return mergeObject({}, patch, PLAIN, path);
    return mergeObject(isObject(below) ? below : {}, patch, shape, path);
  }
  if (!Array.isArray(patch) || list === 'opaque') return patch;
  if (list === 'replaced') return patch.map((item) => stripped(item, path));
  const items: readonly unknown[] = Array.isArray(below) ? below : [];
  const merged = list === 'set' ? union(items, patch) : mergeItems(items, patch, list, shape, path);
  // Items that the patch names are in its order; without one of its own, the order is that of its items. New items
  // therefore stand before those that the patch does not mention.
  return ordered(merged, items, order ?? patch, keysOf(list));
}

function union(below: readonly unknown[], patch: readonly unknown[]): unknown[] {
  const added = patch.filter((item) => !below.some((present) => equalJson(present, item)));
  return [...below, ...added.filter((item, index) => added.indexOf(item) === index)];
}

function mergeItems(
  below: readonly unknown[],
  patch: readonly unknown[],
  keys: readonly string[],
  shape: MergeShape,
  path: string,
): unknown[] {
  const replaces = patch.some((item) => isObject(item) && item[PATCH] === 'replace');
  let merged = replaces ? [] : [...below];
  for (const item of patch) {
    if (!isObject(item))
      throw new StrategicMergeError(
        path,
        `an item of a list merged by ${keys.join(' or ')} must be an object`,
      );
    if (keyOf(item, keys) === undefined) {
      if (item[PATCH] === 'replace') continue;
      throw new MissingKeyError(path, item, keys);
    }
    const isSame = (present: unknown): boolean => isItem(item, present, keys);
    if (item[PATCH] === 'delete') {
      merged = merged.filter((present) => !isSame(present));
      continue;
    }
    const index = merged.findIndex(isSame);
    const present = merged[index];
    if (index === -1) merged.push(mergeObject({}, item, shape, path));
    else merged[index] = mergeObject(isObject(present) ? present : {}, item, shape, path);
  }
  return merged;
}

function deletePrimitives(
  merged: Record<string, unknown>,
  field: string,
  values: unknown,
  path: string,
): void {
  const list = merged[field];
  if (!Array.isArray(values)) throw new StrategicMergeError(path, `${DELETE_FROM}${field} must be a list`);
  if (!Array.isArray(list)) return;
  merged[field] = list.filter((item) => !values.some((value) => equalJson(value, item)));
}

/** The order that a patch asks for the items of a field. */
function orderOf(patch: Fields, field: string, path: string): readonly unknown[] | undefined {
  const order = patch[`${SET_ORDER}${field}`];
  if (order === undefined || Array.isArray(order)) return order;
  throw new StrategicMergeError(path, '$setElementOrder must be a list');
}

/**
 * Items in the order the patch asks for; those it does not mention stay where they stood relative to the others
 * (`before` is the list before the patch).
 */
function ordered(
  items: readonly unknown[],
  before: readonly unknown[],
  order: readonly unknown[],
  keys: readonly string[],
): unknown[] {
  const rank = (item: unknown): number => order.findIndex((wanted) => isItem(wanted, item, keys));
  const position = (item: unknown): number => before.findIndex((present) => isItem(present, item, keys));
  const mentioned = items.filter((item) => rank(item) >= 0).sort((a, b) => rank(a) - rank(b));
  const others = items.filter((item) => rank(item) < 0);
  const result: unknown[] = [];
  while (mentioned.length > 0 && others.length > 0) {
    const [left, right] = [position(others[0]), position(mentioned[0])];
    const takeOther = left >= 0 && right >= 0 && left < right;
    result.push(takeOther ? others.shift() : mentioned.shift());
  }
  return [...result, ...mentioned, ...others];
}

/** Whether an item is the one that another names: by the key that the other has, or as a whole without one. */
function isItem(named: unknown, item: unknown, keys: readonly string[]): boolean {
  const key = isObject(named) ? keyOf(named, keys) : undefined;
  if (key === undefined || !isObject(named)) return equalJson(named, item);
  return isObject(item) && equalJson(named[key], item[key]);
}

function keyOf(item: Fields, keys: readonly string[]): string | undefined {
  return keys.find((name) => item[name] !== undefined);
}

function keysOf(rule: ListRule): readonly string[] {
  return typeof rule === 'string' ? [] : rule;
}

/** A value of a patch that stands alone: without directives and nulls. */
function stripped(value: unknown, path: string): unknown {
  if (isObject(value)) return mergeObject({}, value, PLAIN, path);
  return Array.isArray(value) ? value.map((item) => stripped(item, path)) : value;
}

function fieldOf(shape: MergeShape, name: string, path: string): MergeField {
  const field = shape.field(name);
  if (field === undefined) throw unknownDirective(path, name);
  return field;
}

function pathOf(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`;
}

function unknownDirective(path: string, directive: string): StrategicMergeError {
  return new StrategicMergeError(path, `the directive ${directive} is not known here`);
}
