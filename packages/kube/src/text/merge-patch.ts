import { isObject } from './json.ts';

/** A JSON merge patch (RFC 7386): null removes, objects merge, everything else replaces. */
export type MergePatch = { readonly [key: string]: unknown };

/** The document after a patch. Inputs are not changed; values of the patch that replace are shared with it. */
export function applyMergePatch(document: unknown, patch: MergePatch): Record<string, unknown>;
export function applyMergePatch(document: unknown, patch: unknown): unknown;
export function applyMergePatch(document: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch;
  const merged: Record<string, unknown> = isObject(document) ? { ...document } : {};
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete merged[key];
    else merged[key] = applyMergePatch(merged[key], value);
  }
  return merged;
}

/** One patch that does what `first` and then `second` do. */
export function composePatches(first: MergePatch, second: MergePatch): MergePatch {
  const composed: Record<string, unknown> = { ...first };
  for (const [key, value] of Object.entries(second)) {
    const before = composed[key];
    composed[key] = isObject(before) && isObject(value) ? composePatches(before, value) : value;
  }
  return composed;
}
