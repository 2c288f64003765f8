/** A part of an address as it was before it was put there; one that was put there by hand, and is no such text, stays as it is. Pure. */
function decodedPart(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** The parts of an address by their names. Pure. */
export function decoded<Params extends object>(params: Params): Params {
  const parts = Object.entries(params).map(([name, part]) => [
    name,
    typeof part === 'string' ? decodedPart(part) : part,
  ]);
  return Object.fromEntries(parts) as Params;
}

/**
 * A path or search as the router has to get it, which takes one layer of percent signs off and leaves others on, so that nobody could tell
 * `%3D` in a name from `=`: with this one more layer, what comes out is what stands in the address. Pure.
 */
export function forRouter(address: string): string {
  return address.replaceAll('%', '%25');
}
