/**
 * Values as the expression languages see them, which is Go's view: integers and floats are different types, maps print in order of
 * their keys, and nil is one value. A Go `int` is a bigint of 64 bits here, a `float64` a number.
 */

import { formatDuration } from '@turnsole/kube/text/duration';

/** A map: own properties of a null-prototype object or of plain data that came in. */
export interface ValueMap {
  readonly [key: string]: Value;
}

export type Value =
  | null
  | boolean
  | string
  | number
  | bigint
  | readonly Value[]
  | ValueMap
  | Instant
  | Duration
  | FunctionValue;

/** A point in time (Go's time.Time). */
export class Instant {
  /** Milliseconds since 1970. */
  readonly ms: number;
  /** IANA name; `UTC` unless said otherwise. */
  readonly zone: string;

  constructor(ms: number, zone = 'UTC') {
    this.ms = ms;
    this.zone = zone;
  }
}

/** A length of time (Go's time.Duration). */
export class Duration {
  readonly ms: number;

  constructor(ms: number) {
    this.ms = ms;
  }
}

/** A function as a value: what a name such as `sprig.trim` stands for. */
export class FunctionValue {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

/** An integer as Go's int holds it: overflow wraps around. */
export function int(value: bigint | number): bigint {
  return BigInt.asIntN(64, typeof value === 'bigint' ? value : BigInt(Math.trunc(value)));
}

export function isList(value: Value): value is readonly Value[] {
  return Array.isArray(value);
}

export function isMap(value: Value): value is ValueMap {
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    !(value instanceof Instant) &&
    !(value instanceof Duration) &&
    !(value instanceof FunctionValue)
  );
}

export function isNumber(value: Value): value is number | bigint {
  return typeof value === 'number' || typeof value === 'bigint';
}

/** An empty map that no key can surprise. */
export function newMap(entries: Iterable<readonly [string, Value]> = []): Record<string, Value> {
  const map: Record<string, Value> = Object.create(null);
  for (const [key, value] of entries) map[key] = value;
  return map;
}

/** The value under a key of the map itself; undefined when it has none. */
export function entryOf(map: ValueMap, key: string): Value | undefined {
  return Object.hasOwn(map, key) ? map[key] : undefined;
}

/** Keys in the order in which Go prints maps. */
export function sortedKeys(map: ValueMap): string[] {
  return Object.keys(map).sort(compareText);
}

/** Values in the order of their keys. */
export function sortedValues(map: ValueMap): Value[] {
  return sortedKeys(map).map((key) => map[key] ?? null);
}

/** Texts by their bytes in UTF-8, which is by code points. */
export function compareText(a: string, b: string): number {
  if (a === b) return 0;
  const [left, right] = [[...a], [...b]];
  for (let index = 0; index < Math.min(left.length, right.length); index++) {
    const difference = (left[index]?.codePointAt(0) ?? 0) - (right[index]?.codePointAt(0) ?? 0);
    if (difference !== 0) return difference;
  }
  return left.length - right.length;
}

/**
 * Below, at or above 0 as `a` stands before, beside or after `b`; NaN where a number is none, undefined for types without a common
 * order.
 */
export function orderOf(a: Value, b: Value): number | undefined {
  if (isNumber(a) && isNumber(b)) return a < b ? -1 : a > b ? 1 : a <= b ? 0 : Number.NaN;
  if (typeof a === 'string' && typeof b === 'string') return compareText(a, b);
  if (a instanceof Instant && b instanceof Instant) return a.ms - b.ms;
  if (a instanceof Duration && b instanceof Duration) return a.ms - b.ms;
  return undefined;
}

/** The name that errors give to a value's type, as Go prints it. */
export function typeName(value: Value): string {
  if (value === null) return 'nil';
  if (typeof value === 'string') return 'string';
  if (typeof value === 'boolean') return 'bool';
  if (typeof value === 'bigint') return 'int';
  if (typeof value === 'number') return 'float64';
  if (isList(value)) return '[]interface {}';
  if (value instanceof Instant) return 'time.Time';
  if (value instanceof Duration) return 'time.Duration';
  if (value instanceof FunctionValue) return 'func';
  return 'map[string]interface {}';
}

/** Whether two values are the same by content; an integer and a float of the same amount are. */
export function equalValues(a: Value, b: Value): boolean {
  // oxlint-disable-next-line double-comparisons -- Not `===`: 1n and 1 are the same amount.
  if (isNumber(a) && isNumber(b)) return a <= b && a >= b;
  if (isList(a) && isList(b)) {
    return a.length === b.length && a.every((item, index) => equalValues(item, b[index] ?? null));
  }
  if (a instanceof Instant && b instanceof Instant) return a.ms === b.ms;
  if (a instanceof Duration && b instanceof Duration) return a.ms === b.ms;
  if (isMap(a) && isMap(b)) {
    const keys = Object.keys(a);
    return (
      keys.length === Object.keys(b).length &&
      keys.every((key) => Object.hasOwn(b, key) && equalValues(a[key] ?? null, b[key] ?? null))
    );
  }
  return a === b;
}

/** The text that Go's `%v` makes of a value. */
export function printValue(value: Value): string {
  if (value === null) return '<nil>';
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return printFloat(value);
  if (isList(value)) return `[${value.map(printValue).join(' ')}]`;
  if (value instanceof Instant) return printInstant(value);
  if (value instanceof Duration) return formatDuration(value.ms);
  if (value instanceof FunctionValue) return value.name;
  if (isMap(value)) {
    return `map[${sortedKeys(value)
      .map((key) => `${key}:${printValue(value[key] ?? null)}`)
      .join(' ')}]`;
  }
  return String(value);
}

/** A float as Go's `%v` prints it: the shortest text, with an exponent below 1e-4 and from 1e21 on. */
export function printFloat(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value > 0 ? '+Inf' : '-Inf';
  if (Object.is(value, -0)) return '-0';
  const size = Math.abs(value);
  if (size !== 0 && (size < 1e-4 || size >= 1e21)) {
    const [digits = '', exponent = ''] = value.toExponential().split('e');
    const sign = exponent.startsWith('-') ? '-' : '+';
    return `${digits}e${sign}${exponent.replace(/^[+-]/, '').padStart(2, '0')}`;
  }
  return String(value);
}

function printInstant({ ms }: Instant): string {
  const text = new Date(ms).toISOString();
  const fraction = text.slice(19, 23).replace(/\.?0+$/, '');
  return `${text.slice(0, 10)} ${text.slice(11, 19)}${fraction} +0000 UTC`;
}

/**
 * JSON text of a value as Go writes it: keys sorted, and `<`, `>`, `&` escaped.
 *
 * @param indent what stands before each level; none gives the compact form
 * @returns undefined for a value that has no JSON form, such as a function or NaN
 */
export function toJson(value: Value, indent = ''): string | undefined {
  return writeJson(value, indent, indent === '' ? '' : '\n');
}

/** @param lineStart what begins a line on this level; empty in the compact form */
function writeJson(value: Value, indent: string, lineStart: string): string | undefined {
  if (value === null || typeof value === 'boolean' || typeof value === 'bigint') return String(value);
  if (typeof value === 'number') return Number.isFinite(value) ? JSON.stringify(value) : undefined;
  if (typeof value === 'string') return jsonText(value);
  if (value instanceof Instant)
    return JSON.stringify(new Date(value.ms).toISOString().replace(/\.?0*Z$/, 'Z'));
  if (value instanceof Duration) return String(Math.round(value.ms * 1e6));
  if (value instanceof FunctionValue) return undefined;
  const inner = lineStart === '' ? '' : lineStart + indent;
  const parts: string[] = [];
  const colon = indent === '' ? ':' : ': ';
  for (const key of isList(value) ? value.keys() : sortedKeys(value)) {
    const item = writeJson((value as Record<string | number, Value>)[key] ?? null, indent, inner);
    if (item === undefined) return undefined;
    parts.push(typeof key === 'string' ? `${jsonText(key)}${colon}${item}` : item);
  }
  const [open, close] = isList(value) ? '[]' : '{}';
  return parts.length === 0
    ? `${open}${close}`
    : `${open}${inner}${parts.join(`,${inner}`)}${lineStart}${close}`;
}

/** A text in quotes; what a page could take for markup is escaped. */
function jsonText(text: string): string {
  return JSON.stringify(text).replace(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** Data of JSON as values: all its numbers are floats, as Go reads them without a type. */
export function fromJsonData(data: unknown): Value {
  if (Array.isArray(data)) return data.map(fromJsonData);
  if (typeof data === 'object' && data !== null) {
    return newMap(Object.entries(data).map(([key, item]) => [key, fromJsonData(item)]));
  }
  if (data === null || typeof data === 'string' || typeof data === 'number' || typeof data === 'boolean')
    return data;
  return null;
}
