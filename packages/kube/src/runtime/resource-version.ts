/**
 * Order of two resource versions of one resource: negative when `a` is older, 0 when equal, positive when newer;
 * undefined when they cannot be compared.
 *
 * Versions are decimal numbers without leading zeros, possibly longer than a double holds, so the longer text is the
 * greater number. (KEP-5504 comparable resource versions: numbers of one resource type may be compared.)
 */
export function compareResourceVersions(a: string | undefined, b: string | undefined): number | undefined {
  if (a === undefined || b === undefined || !isNumber(a) || !isNumber(b)) return undefined;
  if (a.length !== b.length) return a.length - b.length;
  return a < b ? -1 : a > b ? 1 : 0;
}

/** The newer of two versions; the second where they cannot be compared, as it came later. */
export function newerResourceVersion(a: string | undefined, b: string): string {
  const order = compareResourceVersions(a, b);
  return a !== undefined && order !== undefined && order > 0 ? a : b;
}

function isNumber(text: string): boolean {
  return /^(0|[1-9]\d*)$/.test(text);
}
