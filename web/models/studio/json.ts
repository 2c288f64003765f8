/** What a manifest is made of. */
export type Json = Readonly<Record<string, unknown>>;

/** Whether a value is an object, and no list. */
export function isJson(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** What a value has under a key; undefined where it is no object. */
export function at(value: unknown, ...path: readonly string[]): unknown {
  return path.reduce<unknown>((part, key) => (isJson(part) ? part[key] : undefined), value);
}

/** The object under a key; an empty one where it is something else. */
export function objectAt(value: unknown, ...path: readonly string[]): Json {
  const found = at(value, ...path);
  return isJson(found) ? found : {};
}

/** The list under a key; an empty one where it is something else. */
export function listAt(value: unknown, ...path: readonly string[]): readonly unknown[] {
  const found = at(value, ...path);
  return Array.isArray(found) ? found : [];
}

/** The text under a key; an empty one where it is something else. */
export function textAt(value: unknown, ...path: readonly string[]): string {
  const found = at(value, ...path);
  return typeof found === 'string' ? found : '';
}

/** An object with another value at a path; undefined takes the field out. What lacks on the way is made. */
export function withAt(object: Json, path: readonly [string, ...string[]], value: unknown): Json {
  const [key, ...rest] = path;
  const [next, ...further] = rest;
  if (next !== undefined)
    return { ...object, [key]: withAt(objectAt(object, key), [next, ...further], value) };
  if (value !== undefined) return { ...object, [key]: value };
  const { [key]: _gone, ...others } = object;
  return others;
}
