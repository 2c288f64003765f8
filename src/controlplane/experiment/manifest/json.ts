import { isObject, textOf } from '@turnsole/kube/text/json';

/** An object from outside, possibly with unknown fields. */
export type Json = Readonly<Record<string, unknown>>;

/** A member that should be an object; an empty object if it is none. */
export function objectAt(object: Json, key: string): Json {
  const value = object[key];
  return isObject(value) ? value : {};
}

/** A member that should be a list; an empty list if it is none. */
export function listAt(object: Json, key: string): readonly unknown[] {
  const value = object[key];
  return Array.isArray(value) ? value : [];
}

/** A member that should be text; empty if it is none. */
export function textAt(object: Json, key: string): string {
  return textOf(object[key]);
}

/** A copy with these additional labels. */
export function withLabels(object: Json, labels: Readonly<Record<string, string>>, key = 'metadata'): Json {
  const metadata = objectAt(object, key);
  return { ...object, [key]: { ...metadata, labels: { ...objectAt(metadata, 'labels'), ...labels } } };
}
