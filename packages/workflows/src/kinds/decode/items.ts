import { isObject } from '@turnsole/kube/text/json';

/**
 * Decodes the objects of a list. Nothing is lost of what is no list, or no object in it: validation names it. Empty elements are no
 * elements.
 */
export function decodeItems<T>(list: unknown, decode: (raw: Record<string, unknown>) => T): T[] {
  if (!Array.isArray(list)) return list as T[];
  return list
    .filter((item) => item !== null && item !== undefined)
    .map((item) => (isObject(item) ? decode(item) : (item as T)));
}
