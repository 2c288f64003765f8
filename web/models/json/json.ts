/** A JSON object in a manifest. */
export type Json = Readonly<Record<string, unknown>>;

/** Whether a value is an object, and no list. */
export function isJson(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value at a path; undefined if a part of it is no object. */
export function at(value: unknown, ...path: readonly string[]): unknown {
  return path.reduce<unknown>((part, key) => (isJson(part) ? part[key] : undefined), value);
}

/** The object at a path; an empty one for other values. */
export function objectAt(value: unknown, ...path: readonly string[]): Json {
  const found = at(value, ...path);
  return isJson(found) ? found : {};
}

/** The list at a path; an empty one for other values. */
export function listAt(value: unknown, ...path: readonly string[]): readonly unknown[] {
  const found = at(value, ...path);
  return Array.isArray(found) ? found : [];
}

/** The text at a path; an empty one for other values. */
export function textAt(value: unknown, ...path: readonly string[]): string {
  const found = at(value, ...path);
  return typeof found === 'string' ? found : '';
}

/** An object with another value at a path; undefined removes the field. Creates missing objects on the path. */
export function withAt(object: Json, path: readonly [string, ...string[]], value: unknown): Json {
  const [key, ...rest] = path;
  const [next, ...further] = rest;
  if (next !== undefined)
    return { ...object, [key]: withAt(objectAt(object, key), [next, ...further], value) };
  if (value !== undefined) return { ...object, [key]: value };
  const { [key]: _gone, ...others } = object;
  return others;
}
