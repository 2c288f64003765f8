/** Below this, a time in milliseconds would lie before March 1973: it is meant in seconds. */
const LEAST_MS = 1e11;

/**
 * The time that a field of `evaluationWindow` names, in milliseconds since 1970; seconds are recognised by their size.
 * Undefined for an absent field and for 0, which is what clients send for absent ones. Pure.
 */
export function sloTimeMs(given: number | undefined | null): number | undefined {
  if (given === undefined || given === null || given <= 0) return undefined;
  return given < LEAST_MS ? given * 1000 : given;
}
