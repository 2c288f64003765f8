/** A JSON merge patch (RFC 7386): null removes, objects merge, everything else replaces. */
export type MergePatch = { readonly [key: string]: unknown };

/** One patch that does what `first` and then `second` do. */
export function composePatches(first: MergePatch, second: MergePatch): MergePatch {
  const composed: Record<string, unknown> = { ...first };
  for (const [key, value] of Object.entries(second)) {
    const before = composed[key];
    composed[key] = isObject(before) && isObject(value) ? composePatches(before, value) : value;
  }
  return composed;
}

/** The document after a patch. */
export function applyPatch(document: MergePatch, patch: MergePatch): MergePatch {
  const result: Record<string, unknown> = { ...document };
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) {
      delete result[key];
    } else if (isObject(value)) {
      const before = result[key];
      result[key] = applyPatch(isObject(before) ? before : {}, value);
    } else {
      result[key] = value;
    }
  }
  return result;
}

function isObject(value: unknown): value is MergePatch {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
