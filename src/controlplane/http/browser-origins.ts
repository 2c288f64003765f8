import type { Pattern } from '../../text/pattern.ts';

/**
 * Whether pages of this origin may call the server: those of the server itself, and those that the settings allow. Programs send no
 * origin. Pure.
 */
export function originAllowed(
  origin: string | undefined,
  host: string | undefined,
  allowed: readonly Pattern[],
): boolean {
  if (origin === undefined) return true;
  return isOf(origin, host) || allowed.some((pattern) => pattern.isIn(origin));
}

/** The origin of a file has no host, and must not equal that of a request without one. */
function isOf(origin: string, host: string | undefined): boolean {
  return host !== undefined && host !== '' && URL.canParse(origin) && new URL(origin).host === host;
}
