/** How many times as fast as the run. */
export const SPEEDS = [1, 2, 5, 10, 20] as const;

/** The longest time between two drawings that counts as played, in milliseconds: a page in the background draws nothing. */
const LONGEST_MS = 1000;

/** The moment after so many milliseconds of playing; never beyond the end of the run. Pure. */
export function played(atMs: number, passedMs: number, speed: number, lengthMs: number): number {
  return Math.min(lengthMs, atMs + Math.min(LONGEST_MS, Math.max(0, passedMs)) * speed);
}

/** A step of the keyboard, in milliseconds: a second, of a short run a fiftieth. Pure. */
export function stepMs(lengthMs: number): number {
  return Math.min(1000, lengthMs / 50);
}
