import { type Json, objectAt } from '@turnsole/kube/text/json';

export { at, isObject as isJson, type Json, listAt, objectAt, textAt } from '@turnsole/kube/text/json';

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
