import { isObject } from '../../../text/json.ts';

/** An object as it came, with fields that nobody here knows. */
export type Json = Readonly<Record<string, unknown>>;

/** A member that should be an object; an empty one where it is none. */
export function objectAt(object: Json, key: string): Json {
  const value = object[key];
  return isObject(value) ? value : {};
}

/** A member that should be a list; an empty one where it is none. */
export function listAt(object: Json, key: string): readonly unknown[] {
  const value = object[key];
  return Array.isArray(value) ? value : [];
}

/** A member that should be text; empty where it is none. */
export function textAt(object: Json, key: string): string {
  const value = object[key];
  return typeof value === 'string' ? value : '';
}

/** A copy whose metadata has these labels beside those it had. */
export function withLabels(object: Json, labels: Readonly<Record<string, string>>, key = 'metadata'): Json {
  const metadata = objectAt(object, key);
  return { ...object, [key]: { ...metadata, labels: { ...objectAt(metadata, 'labels'), ...labels } } };
}
