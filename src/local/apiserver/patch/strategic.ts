/**
 * Strategic merge patch: like a merge patch, but lists of a type that says so are merged by a key of their items.
 *
 * Directives: `$patch: replace|delete|merge` in objects and list items, `$retainKeys`, `$deleteFromPrimitiveList/<field>`
 * and `$setElementOrder/<field>`. Source: kubernetes/community, Strategic Merge Patch; kubernetes.io, Update API objects
 * in place using kubectl patch.
 */
import { clone, equalJson, isJson, type Json } from '../object.ts';
import { type MergeRule, structOf, type Type } from '../schema/types.ts';
import { PatchError } from './json-patch.ts';

const PATCH = '$patch';
const RETAIN_KEYS = '$retainKeys';
const DELETE_FROM = '$deleteFromPrimitiveList/';
const SET_ORDER = '$setElementOrder/';

/** An item of a list that is merged by a key lacks that key. */
export class MergeKeyError extends PatchError {}

/** A map as Go prints it: `map[image:x name:y]`. */
function goMap(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(goMap).join(' ')}]`;
  if (!isJson(value)) return String(value);
  const pairs = Object.keys(value)
    .sort()
    .map((key) => `${key}:${goMap(value[key])}`);
  return `map[${pairs.join(' ')}]`;
}

const ATOMIC: MergeRule = { strategies: [], mergeKey: undefined, topology: undefined, mapKeys: undefined };

/**
 * The document with the patch merged in. `typeName` is the generated type of the document. Inputs are not changed;
 * unchanged parts are shared with the document. Throws {@link PatchError}.
 */
export function applyStrategicPatch(document: Json, patch: unknown, typeName: string): Json {
  if (!isJson(patch)) throw new PatchError('cannot unmarshal a patch that is no object', true);
  return mergeObject(document, patch, { kind: 'struct', name: typeName });
}

function mergeObject(original: Json, patch: Json, type: Type | undefined): Json {
  const directive = patch[PATCH];
  if (directive !== undefined) {
    const { [PATCH]: _directive, ...rest } = patch;
    if (directive === 'replace') return stripDirectives(rest);
    if (directive === 'delete') return {};
    if (directive !== 'merge') throw new PatchError(`unknown patch type found: ${String(directive)}`, true);
  }
  const merged = retainedOf(original, patch);
  for (const key of Object.keys(patch)) {
    if (key === PATCH || key === RETAIN_KEYS || key.startsWith(SET_ORDER)) continue;
    if (key.startsWith(DELETE_FROM)) {
      deletePrimitives(merged, key.slice(DELETE_FROM.length), patch[key]);
      continue;
    }
    const value = patch[key];
    if (value === null) {
      delete merged[key];
      continue;
    }
    const field = fieldOf(type, key);
    merged[key] = mergeValue(merged[key], value, field.type, field.rule, patch[`${SET_ORDER}${key}`]);
  }
  for (const key of Object.keys(patch)) {
    // An order without a patch of the list itself still orders it.
    const name = key.startsWith(SET_ORDER) ? key.slice(SET_ORDER.length) : '';
    const list = merged[name];
    if (name === '' || name in patch || !Array.isArray(list)) continue;
    const mergeKey = fieldOf(type, name).rule.mergeKey;
    merged[name] = ordered(list, list, orderOf(patch[key]), mergeKey);
  }
  return merged;
}

/** A shallow copy of the original, reduced to the keys that a union says are alive. */
function retainedOf(original: Json, patch: Json): Json {
  const retained = patch[RETAIN_KEYS];
  if (retained === undefined) return { ...original };
  if (!Array.isArray(retained)) throw new PatchError('$retainKeys must be a list of field names', true);
  for (const key of Object.keys(patch)) {
    if (!key.startsWith('$') && patch[key] !== null && !retained.includes(key)) {
      throw new PatchError('$retainKeys directive does not match with the patch keys', true);
    }
  }
  return Object.fromEntries(Object.entries(original).filter(([key]) => retained.includes(key)));
}

function fieldOf(type: Type | undefined, key: string): { type: Type | undefined; rule: MergeRule } {
  if (type?.kind === 'map') return { type: type.of, rule: ATOMIC };
  const field = type?.kind === 'struct' ? structOf(type.name)?.fields.get(key) : undefined;
  return { type: field?.type, rule: field?.rule ?? ATOMIC };
}

function mergeValue(
  original: unknown,
  patch: unknown,
  type: Type | undefined,
  rule: MergeRule,
  order: unknown,
): unknown {
  if (isJson(patch)) {
    if (rule.strategies.includes('replace')) return stripDirectives(patch);
    return mergeObject(isJson(original) ? original : {}, patch, type);
  }
  if (!Array.isArray(patch)) return patch;
  if (!rule.strategies.includes('merge')) return patch.map(stripValue);
  const items = Array.isArray(original) ? original : [];
  const of = type?.kind === 'list' ? type.of : undefined;
  const merged =
    rule.mergeKey === undefined ? mergePrimitives(items, patch) : mergeItems(items, patch, rule.mergeKey, of);
  // What the patch names comes in its order; without one of its own, the order is that of its items. New items
  // therefore stand before those that the patch does not mention.
  return ordered(merged, items, order === undefined ? patch : orderOf(order), rule.mergeKey);
}

function mergePrimitives(original: readonly unknown[], patch: readonly unknown[]): unknown[] {
  const added = patch.filter((item) => !original.some((present) => equalJson(present, item)));
  return [...original, ...added.filter((item, index) => added.indexOf(item) === index)];
}

function mergeItems(
  original: readonly unknown[],
  patch: readonly unknown[],
  mergeKey: string,
  type: Type | undefined,
): unknown[] {
  const replaces = patch.some((item) => isJson(item) && item[PATCH] === 'replace');
  let merged = replaces ? [] : [...original];
  for (const item of patch) {
    if (!isJson(item))
      throw new PatchError(`an item of a list merged by ${mergeKey} must be an object`, true);
    const key = item[mergeKey];
    if (item[PATCH] === 'replace') {
      if (key === undefined) continue;
    } else if (key === undefined) {
      throw new MergeKeyError(`map: ${goMap(item)} does not contain declared merge key: ${mergeKey}`);
    }
    if (item[PATCH] === 'delete') {
      merged = merged.filter((present) => !(isJson(present) && equalJson(present[mergeKey], key)));
      continue;
    }
    const index = merged.findIndex((present) => isJson(present) && equalJson(present[mergeKey], key));
    const present = merged[index];
    if (index === -1) merged.push(mergeObject({}, item, type));
    else merged[index] = mergeObject(isJson(present) ? present : {}, item, type);
  }
  return merged;
}

function deletePrimitives(merged: Json, field: string, values: unknown): void {
  const list = merged[field];
  if (!Array.isArray(values)) throw new PatchError(`${DELETE_FROM}${field} must be a list`, true);
  if (!Array.isArray(list)) return;
  merged[field] = list.filter((item) => !values.some((value) => equalJson(value, item)));
}

function orderOf(order: unknown): readonly unknown[] {
  if (!Array.isArray(order)) throw new PatchError('$setElementOrder must be a list', true);
  return order;
}

/**
 * Items in the order the patch asks for; those it does not mention stay where they stood relative to the others
 * (`before` is the list before the patch).
 */
function ordered(
  items: readonly unknown[],
  before: readonly unknown[],
  order: readonly unknown[],
  mergeKey: string | undefined,
): unknown[] {
  const keyOf = (item: unknown): unknown => (mergeKey !== undefined && isJson(item) ? item[mergeKey] : item);
  const wanted = order.map(keyOf);
  const position = (list: readonly unknown[], item: unknown): number =>
    list.findIndex((other) => equalJson(other, keyOf(item)));
  const present = before.map(keyOf);
  const mentioned = items
    .filter((item) => position(wanted, item) >= 0)
    .sort((a, b) => position(wanted, a) - position(wanted, b));
  const others = items.filter((item) => position(wanted, item) < 0);
  const result: unknown[] = [];
  while (mentioned.length > 0 && others.length > 0) {
    const [left, right] = [position(present, others[0]), position(present, mentioned[0])];
    const takeOther = left >= 0 && right >= 0 && left < right;
    result.push(takeOther ? others.shift() : mentioned.shift());
  }
  return [...result, ...mentioned, ...others];
}

/** A value of a patch that stands alone: without directives and nulls. */
function stripDirectives(value: Json): Json {
  return mergeObject({}, value, undefined);
}

function stripValue(value: unknown): unknown {
  if (isJson(value)) return stripDirectives(value);
  return Array.isArray(value) ? value.map(stripValue) : clone(value);
}
