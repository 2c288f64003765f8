import { availableParallelism, loadavg } from 'node:os';

/** Words by which an Error says that it comes from a machine with too much to do. */
export const TOO_BUSY = /\bbusy\b|own process was late|machine was overloaded/i;
/** Load for each processor from which on a run may say so. */
const LOAD_PER_CORE = 2;
const ATTEMPTS = 4;

/** Whether the machine has so much to do that a run may say so. */
export function isMachineBusy(): boolean {
  const [load = 0] = loadavg();
  return load >= LOAD_PER_CORE * availableParallelism();
}

/**
 * Does something that may come to no result because the machine has too much other work, and does it again then.
 *
 * @param saysBusy what of the outcome says that it was the machine; undefined where it is a result
 * @throws Error when the machine has little to do, or each attempt says so
 */
export async function despiteBusyMachine<T>(
  act: (attempt: number) => Promise<T>,
  saysBusy: (outcome: T) => string | undefined,
): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    const outcome = await act(attempt);
    const words = saysBusy(outcome);
    if (words === undefined) return outcome;
    if (attempt === ATTEMPTS || !isMachineBusy()) throw new Error(`attempt ${attempt}: ${words}`);
  }
}
