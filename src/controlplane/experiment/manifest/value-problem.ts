/** Levels of nested objects and lists. Manifests have some twenty; JSON serialisers fail at some thousands. */
const MOST_LEVELS = 200;

/** Why a manifest cannot be stored; undefined if it can. Pure. */
export function valueProblem(manifest: object): string | undefined {
  // Iterative: a value too deep for JSON serialisers is too deep for recursion.
  const left: { readonly value: unknown; readonly level: number }[] = [{ value: manifest, level: 1 }];
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    const { value, level } = next;
    if (typeof value === 'string' && value.includes('\u0000')) return 'a text of it holds the character NUL';
    if (typeof value !== 'object' || value === null) continue;
    if (level > MOST_LEVELS) return `it is nested deeper than ${MOST_LEVELS} levels`;
    for (const inner of Object.values(value)) left.push({ value: inner, level: level + 1 });
  }
  return undefined;
}
