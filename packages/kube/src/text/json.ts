/** Whether a value is a JSON object: neither null nor a list. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The JSON value that a text holds; undefined when it holds none. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The JSON object that a text holds; undefined when it holds none, whatever it really is. */
export function parseObject(text: string): Record<string, unknown> | undefined {
  const value = parseJson(text);
  return isObject(value) ? value : undefined;
}

/** A JSON object whose members may be anything. */
export type Json = Readonly<Record<string, unknown>>;

/** The value at a path of members; undefined if a part of it is no object. */
export function at(value: unknown, ...path: readonly string[]): unknown {
  return path.reduce<unknown>((part, key) => (isObject(part) ? part[key] : undefined), value);
}

/** The object at a path; an empty one for other values. */
export function objectAt(value: unknown, ...path: readonly string[]): Json {
  const found = at(value, ...path);
  return isObject(found) ? found : {};
}

/** The list at a path; an empty one for other values. */
export function listAt(value: unknown, ...path: readonly string[]): readonly unknown[] {
  const found = at(value, ...path);
  return Array.isArray(found) ? found : [];
}

/** The text at a path; an empty one for other values. */
export function textAt(value: unknown, ...path: readonly string[]): string {
  return textOf(at(value, ...path));
}

/** A text; an empty one for other values. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** Deep equality of JSON; the order of members does not matter, and an undefined member counts as absent. */
export function equalJson(left: unknown, right: unknown): boolean {
  if (left === right) return true;
  if (Array.isArray(left)) return isEqualList(left, right, equalJson);
  if (!isObject(left) || !isObject(right)) return false;
  for (const key of Object.keys(left)) if (!equalJson(left[key], right[key])) return false;
  for (const key of Object.keys(right)) {
    if (right[key] !== undefined && left[key] === undefined) return false;
  }
  return true;
}

/**
 * Whether two JSON values say the same to Kubernetes: as {@link equalJson}, and null or an empty list equals an absent member,
 * because servers and clients drop them (Semantic.DeepEqual). An empty object is something (`emptyDir: {}`), so it differs
 * from an absent one.
 */
export function equivalentJson(left: unknown, right: unknown): boolean {
  if (left === right) return true;
  if (isNothing(left) || isNothing(right)) return isNothing(left) && isNothing(right);
  if (Array.isArray(left)) return isEqualList(left, right, equivalentJson);
  if (!isObject(left) || !isObject(right)) return false;
  for (const key of Object.keys(left)) if (!equivalentJson(left[key], right[key])) return false;
  for (const key of Object.keys(right)) if (!(key in left) && !isNothing(right[key])) return false;
  return true;
}

function isEqualList(
  left: readonly unknown[],
  right: unknown,
  isEqual: (left: unknown, right: unknown) => boolean,
): boolean {
  return (
    Array.isArray(right) &&
    left.length === right.length &&
    left.every((item, index) => isEqual(item, right[index]))
  );
}

function isNothing(value: unknown): boolean {
  return value === undefined || value === null || (Array.isArray(value) && value.length === 0);
}
