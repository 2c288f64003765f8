/**
 * Small builders over TypeBox that only make what a Kubernetes structural schema may hold.
 *
 * Files of this folder import TypeBox when they run, so only `generate.ts` and tests load them; all others take
 * their types (`import type`), which cost nothing, and the generated JSON.
 */

import type { TSchema, TString, TUnsafe } from 'typebox';
import Type, {
  type TArray,
  type TBoolean,
  type TInteger,
  type TNumber,
  type TObject,
  type TProperties,
} from 'typebox';

/** Extra schema words of Kubernetes and of OpenAPI that a builder passes on unchanged. */
interface Words {
  readonly minLength?: number;
  readonly pattern?: string;
  readonly format?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minItems?: number;
  readonly minProperties?: number;
  readonly nullable?: boolean;
}

const OPEN = { 'x-kubernetes-preserve-unknown-fields': true } as const;

/** Any text. */
export function text(description: string, words: Words = {}): TString {
  return Type.String({ description, ...words });
}

/** Text that is one of `values`; the static type is their union. */
export function choice<const V extends string>(
  description: string,
  values: readonly V[],
  words: Words = {},
): TUnsafe<V> {
  return Type.Unsafe<V>({ type: 'string', description, enum: [...values], ...words });
}

/**
 * Text that our code writes as one of a union while the schema takes any text: status fields, which other versions of
 * other programs write too. A status must never be refused for a word that we do not know.
 */
export function word<V extends string>(description: string): TUnsafe<V> {
  return Type.Unsafe<V>({ type: 'string', description });
}

/** True or false. */
export function flag(description: string): TBoolean {
  return Type.Boolean({ description });
}

/** A whole number that fits `format` (int32 unless said). */
export function whole(description: string, words: Words = {}): TInteger {
  return Type.Integer({ description, format: 'int32', ...words });
}

/** Any number. */
export function number(description: string): TNumber {
  return Type.Number({ description });
}

/** A list. */
export function list<T extends TSchema>(description: string, items: T, words: Words = {}): TArray<T> {
  return Type.Array(items, { description, ...words });
}

/** A list of texts. */
export function texts(description: string, words: Words = {}): TArray<TString> {
  return Type.Array(Type.String(), { description, ...words });
}

/** An object with known fields; unknown ones are kept, as upstream's clients and older charts expect. */
export function fields<P extends TProperties>(
  description: string,
  properties: P,
  words: Words = {},
): TObject<P> {
  return Type.Object(properties, { description, ...OPEN, ...words });
}

/** A map from text to text, like labels. */
export function textMap(description: string): TUnsafe<Record<string, string>> {
  return Type.Unsafe<Record<string, string>>({
    type: 'object',
    description,
    additionalProperties: { type: 'string' },
  });
}

/** A map from text to objects of type T whose fields are not described. */
export function objectMap<T>(description: string): TUnsafe<Record<string, T>> {
  return Type.Unsafe<Record<string, T>>({
    type: 'object',
    description,
    additionalProperties: { type: 'object', ...OPEN },
  });
}

/** A list of Kubernetes objects of type T with the fields that are worth checking here. */
export function listOf<T>(
  description: string,
  properties: TProperties = {},
  required: readonly string[] = [],
): TUnsafe<T[]> {
  const items = {
    type: 'object',
    ...(required.length > 0 ? { required: [...required] } : {}),
    ...(Object.keys(properties).length > 0 ? { properties } : {}),
    ...OPEN,
  };
  return Type.Unsafe<T[]>({ type: 'array', description, items });
}

/** An object of type T that Kubernetes itself checks when it is used; here it is only an object. */
export function opaque<T>(description: string): TUnsafe<T> {
  return Type.Unsafe<T>({ type: 'object', description, ...OPEN });
}

/** Marks a field that may be absent. */
export const optional = Type.Optional;
