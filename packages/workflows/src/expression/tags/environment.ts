import { isMap, newMap, type Value, type ValueMap } from '../values.ts';

/**
 * Values with dotted names as maps within maps: `a.b.c` is member `c` of `a.b`. If a value `a.b` exists as well, the longer name
 * wins, and the shorter one cannot be read. Pure.
 */
export function nestNames(values: Iterable<readonly [name: string, value: Value]>): ValueMap {
  const root = newMap();
  // Shorter names first, so that longer ones below them replace them.
  for (const [name, value] of [...values].sort(([a], [b]) => a.length - b.length)) {
    const parts = name.split('.');
    const last = parts.pop() ?? '';
    let map = root;
    for (const part of parts) {
      const below = map[part];
      const next: Record<string, Value> = below !== undefined && isMap(below) ? { ...below } : {};
      map[part] = newMap(Object.entries(next));
      map = map[part] as Record<string, Value>;
    }
    map[last] = value;
  }
  return root;
}
