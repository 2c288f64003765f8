/**
 * Sets of fields of an object, as managedFields hold them (FieldsV1).
 *
 * ```
 * {"f:spec": {"f:containers": {"k:{\"name\":\"a\"}": {".": {}, "f:image": {}}}}}
 * members: .spec.containers[name="a"] and .spec.containers[name="a"].image
 * ```
 *
 * A step is `f:<field>`, `k:<key fields as JSON>` or `v:<value as JSON>`. Sets are immutable.
 */
import { isJson, type Json } from '../../object.ts';

export interface FieldSet {
  /** Whether the path that leads here is a member itself. */
  readonly isMember: boolean;
  readonly children: ReadonlyMap<string, FieldSet>;
}

export const EMPTY: FieldSet = { isMember: false, children: new Map() };
export const MEMBER: FieldSet = { isMember: true, children: new Map() };

export function isEmptySet(set: FieldSet): boolean {
  return !set.isMember && set.children.size === 0;
}

function make(isMember: boolean, children: ReadonlyMap<string, FieldSet>): FieldSet {
  return isMember || children.size > 0 ? { isMember, children } : EMPTY;
}

/** Combines two sets step by step; `keep` decides on membership. Steps without members vanish. */
function combine(a: FieldSet, b: FieldSet, keep: (inA: boolean, inB: boolean) => boolean): FieldSet {
  const children = new Map<string, FieldSet>();
  for (const step of new Set([...a.children.keys(), ...b.children.keys()])) {
    const child = combine(a.children.get(step) ?? EMPTY, b.children.get(step) ?? EMPTY, keep);
    if (!isEmptySet(child)) children.set(step, child);
  }
  return make(keep(a.isMember, b.isMember), children);
}

export function union(a: FieldSet, b: FieldSet): FieldSet {
  return combine(a, b, (inA, inB) => inA || inB);
}

export function intersect(a: FieldSet, b: FieldSet): FieldSet {
  return combine(a, b, (inA, inB) => inA && inB);
}

export function subtract(a: FieldSet, b: FieldSet): FieldSet {
  return combine(a, b, (inA, inB) => inA && !inB);
}

/** `a` without the members of `b` and without everything below them: for fields that are gone. */
export function subtractBelow(a: FieldSet, b: FieldSet): FieldSet {
  if (b.isMember) return EMPTY;
  const children = new Map<string, FieldSet>();
  for (const [step, child] of a.children) {
    const removed = b.children.get(step);
    const left = removed === undefined ? child : subtractBelow(child, removed);
    if (!isEmptySet(left)) children.set(step, left);
  }
  return make(a.isMember, children);
}

export function equalSets(a: FieldSet, b: FieldSet): boolean {
  if (a.isMember !== b.isMember || a.children.size !== b.children.size) return false;
  for (const [step, child] of a.children) {
    const other = b.children.get(step);
    if (other === undefined || !equalSets(child, other)) return false;
  }
  return true;
}

/** Reads FieldsV1. */
export function fromFieldsV1(fields: unknown): FieldSet {
  if (!isJson(fields)) return EMPTY;
  const children = new Map<string, FieldSet>();
  for (const [step, value] of Object.entries(fields)) {
    if (step === '.') continue;
    const child = fromFieldsV1(value);
    children.set(step, isEmptySet(child) ? MEMBER : child);
  }
  return make('.' in fields, children);
}

/** Writes FieldsV1, steps in order. */
export function toFieldsV1(set: FieldSet): Json {
  const fields: Json = {};
  if (set.isMember && set.children.size > 0) fields['.'] = {};
  for (const [step, child] of [...set.children].sort(([a], [b]) => (a < b ? -1 : 1)))
    fields[step] = toFieldsV1(child);
  return fields;
}

/** Members as people read them: `.spec.containers[name="a"].image`, in order. */
export function pathsOf(set: FieldSet, prefix = ''): string[] {
  const paths = set.isMember && prefix !== '' ? [prefix] : [];
  for (const [step, child] of [...set.children].sort(([a], [b]) => (a < b ? -1 : 1))) {
    paths.push(...pathsOf(child, `${prefix}${formatStep(step)}`));
  }
  return paths;
}

/** One step as people read it. */
export function formatStep(step: string): string {
  const content = step.slice(2);
  if (step.startsWith('f:')) return `.${content}`;
  if (step.startsWith('v:')) return `[=${content}]`;
  const keys: unknown = JSON.parse(content);
  if (!isJson(keys)) return `[${content}]`;
  return `[${Object.entries(keys)
    .map(([key, value]) => `${key}=${JSON.stringify(value)}`)
    .join(',')}]`;
}
