/** A decoded part of an address; a malformed one, typed by hand, stays as it is. Pure. */
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
 * A path or search in the form for the router, which decodes some percent signs and not others, so that `%3D` in a name and `=` would look the
 * same: with one more layer of encoding, its result is the text of the address. Pure.
 */
export function forRouter(address: string): string {
  return address.replaceAll('%', '%25');
}
