/** JSON pointers (RFC 6901), with `*` for any segment where several values are meant. */

/** The value at a pointer, or undefined. */
export function valueAt(document: unknown, pointer: string): unknown {
  let value = document;
  for (const segment of segmentsOf(pointer)) {
    if (typeof value !== 'object' || value === null) return undefined;
    value = Object.entries(value).find(([key]) => key === segment)?.[1];
  }
  return value;
}

/** A copy without what is at the pointers. */
export function without(document: unknown, pointers: readonly string[]): unknown {
  return prune(document, pointers.map(segmentsOf));
}

function prune(value: unknown, paths: readonly (readonly string[])[]): unknown {
  if (paths.length === 0 || typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).flatMap(([key, child]) => {
    const matching = paths.filter(([first]) => first === key || first === '*');
    if (matching.some((path) => path.length === 1)) return [];
    return [
      [
        key,
        prune(
          child,
          matching.map((path) => path.slice(1)),
        ),
      ] as const,
    ];
  });
  return Array.isArray(value) ? kept.map(([, child]) => child) : Object.fromEntries(kept);
}

function segmentsOf(pointer: string): string[] {
  if (pointer === '') return [];
  return pointer
    .slice(1)
    .split('/')
    .map((segment) => segment.replaceAll('~1', '/').replaceAll('~0', '~'));
}
