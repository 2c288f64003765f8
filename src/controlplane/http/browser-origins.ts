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
  return isOf(origin, host) || allowed.some((pattern) => pattern.test(origin));
}

/** A file's origin has no host, and neither has a request without one: these are not the same place. */
function isOf(origin: string, host: string | undefined): boolean {
  return host !== undefined && host !== '' && URL.canParse(origin) && new URL(origin).host === host;
}
