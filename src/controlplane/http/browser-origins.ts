/**
 * Whether a browser may call from a page of this origin: pages of the server itself, and those that the settings allow. Programs send no
 * origin. Pure.
 */
export function originAllowed(
  origin: string | undefined,
  host: string | undefined,
  allowed: readonly RegExp[],
): boolean {
  if (origin === undefined) return true;
  return hostOf(origin) === host || allowed.some((pattern) => pattern.test(origin));
}

function hostOf(origin: string): string | undefined {
  return URL.canParse(origin) ? new URL(origin).host : undefined;
}
