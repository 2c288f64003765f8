/** Programs without a browser learn of runs and agents from servers of ChaosCenter only by asking again and again. */
const ASK_MS = 1_000;

/** How long, and until when, a command asks again. */
export interface Patience {
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
}

/**
 * Asks once a second until it gets an answer.
 *
 * @returns the answer; undefined when none came in time
 * @throws the reason of the signal, when that aborts, and what `ask` throws
 */
export async function askUntil<T>(
  ask: () => Promise<T | undefined>,
  { timeoutMs, signal, sleep }: Patience,
): Promise<T | undefined> {
  const late = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
  while (!late.aborted) {
    const answer = await ask();
    if (answer !== undefined) return answer;
    await sleep(ASK_MS, late).catch(() => {});
  }
  signal.throwIfAborted();
  return undefined;
}
