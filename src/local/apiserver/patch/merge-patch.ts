/** JSON Merge Patch (RFC 7386): null removes, objects merge, everything else replaces. */
import { clone, isJson, type Json } from '../object.ts';

/** The document with the patch merged in. Inputs are not changed; the result shares nothing with the patch. */
export function applyMergePatch(document: unknown, patch: unknown): unknown {
  if (!isJson(patch)) return clone(patch);
  const merged: Json = isJson(document) ? { ...document } : {};
  for (const key of Object.keys(patch)) {
    const value = patch[key];
    if (value === null) delete merged[key];
    else merged[key] = applyMergePatch(merged[key], value);
  }
  return merged;
}
