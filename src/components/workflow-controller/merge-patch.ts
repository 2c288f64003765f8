import { equalJson, isObject } from '@turnsole/kube/text/json';

/**
 * The JSON merge patch (RFC 7396) that makes one value of another: members that are gone become null, equal ones are left out.
 * Undefined when nothing differs. Pure.
 */
export function mergePatch(before: unknown, after: unknown): unknown {
  if (equalJson(before, after)) return undefined;
  if (!isObject(before) || !isObject(after)) return after ?? null;
  const patch: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(after)) {
    const change = mergePatch(before[key], value);
    if (change !== undefined) patch[key] = change;
  }
  for (const key of Object.keys(before))
    if (after[key] === undefined && before[key] !== undefined) patch[key] = null;
  return patch;
}
