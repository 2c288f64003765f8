/**
 * The types of Kubernetes' own kinds, compiled from `types.json` when first asked for.
 *
 * A type expression is `[]X` (list), `{}X` (map of strings to X), the name of a struct (`core.v1.Pod`) or a letter:
 * s string, b boolean, i 32-bit integer, l 64-bit integer, d number, y bytes (base64), T time, M time with
 * microseconds, D duration, Q quantity, I integer or string, R any JSON, F managed fields.
 */
import data from './types.json' with { type: 'json' };

/** How a list or map behaves in patches and apply. */
export interface MergeRule {
  /** Strategic merge patch: parts of `merge`, `replace`, `retainKeys`. */
  readonly strategies: readonly string[];
  readonly mergeKey: string | undefined;
  /** Apply: `atomic`, `set`, `map`, `granular`. */
  readonly topology: string | undefined;
  readonly mapKeys: readonly string[] | undefined;
}

export interface TypeField {
  readonly name: string;
  readonly type: Type;
  /** Number in the protobuf encoding. */
  readonly number: number;
  /** Whether Go leaves it out when it is empty. */
  readonly omitEmpty: boolean;
  readonly isPointer: boolean;
  readonly rule: MergeRule;
}

export type Type =
  | { readonly kind: 'scalar'; readonly letter: string }
  | { readonly kind: 'list'; readonly of: Type }
  | { readonly kind: 'map'; readonly of: Type }
  | { readonly kind: 'struct'; readonly name: string };

export interface Struct {
  /** `core.v1.Pod` */
  readonly name: string;
  /** By JSON name; those of embedded structs are here too. */
  readonly fields: ReadonlyMap<string, TypeField>;
  /** By protobuf number; a string names an embedded struct. */
  readonly byNumber: ReadonlyMap<number, TypeField | string>;
}

interface Flags {
  readonly o?: number;
  readonly p?: number;
  readonly s?: string;
  readonly m?: string;
  readonly t?: string;
  readonly k?: readonly string[];
}

const compiled = new Map<string, Struct>();

/** A struct by name; undefined when it is not known. */
export function structOf(name: string): Struct | undefined {
  const known = compiled.get(name);
  if (known !== undefined) return known;
  // The generated file's rows are tuples, which JSON typing flattens.
  const rows = (data as unknown as Readonly<Record<string, readonly (readonly unknown[])[]>>)[name];
  if (rows === undefined || !Object.hasOwn(data, name)) return undefined;
  const fields = new Map<string, TypeField>();
  const byNumber = new Map<number, TypeField | string>();
  const struct: Struct = { name, fields, byNumber };
  compiled.set(name, struct);
  for (const row of rows) {
    const [json, expression, number, flags = {}] = row as [string, string, number, Flags?];
    if (json === '') {
      for (const [inner, field] of structOf(expression)?.fields ?? []) fields.set(inner, field);
      byNumber.set(number, expression);
      continue;
    }
    const field: TypeField = {
      name: json,
      type: parseType(expression),
      number,
      omitEmpty: flags.o === 1,
      isPointer: flags.p === 1,
      rule: {
        strategies: flags.s?.split(',') ?? [],
        mergeKey: flags.m,
        topology: flags.t,
        mapKeys: flags.k,
      },
    };
    fields.set(json, field);
    byNumber.set(number, field);
  }
  return struct;
}

/** Whether server-side apply owns a struct as a whole. */
export function isAtomicStruct(name: string): boolean {
  atomicStructs ??= new Set(data['#atomic']);
  return atomicStructs.has(name);
}

let atomicStructs: ReadonlySet<string> | undefined;

/** A type expression. Pure. */
export function parseType(expression: string): Type {
  if (expression.startsWith('[]')) return { kind: 'list', of: parseType(expression.slice(2)) };
  if (expression.startsWith('{}')) return { kind: 'map', of: parseType(expression.slice(2)) };
  if (expression.length === 1) return { kind: 'scalar', letter: expression };
  return { kind: 'struct', name: expression };
}

/** `v1.Container`, `[]v1.EnvVar`, `map[string]string`: a type as messages show it. */
export function goName(type: Type): string {
  switch (type.kind) {
    case 'list':
      return `[]${goName(type.of)}`;
    case 'map':
      return `map[string]${goName(type.of)}`;
    case 'struct':
      return type.name.slice(type.name.indexOf('.') + 1);
    case 'scalar':
      return GO_NAMES[type.letter] ?? 'interface {}';
  }
}

const GO_NAMES: Readonly<Record<string, string>> = {
  s: 'string',
  b: 'bool',
  i: 'int32',
  l: 'int64',
  d: 'float64',
  y: '[]uint8',
  T: 'v1.Time',
  M: 'v1.MicroTime',
  D: 'v1.Duration',
  Q: 'resource.Quantity',
  I: 'intstr.IntOrString',
};
