/** How a series of attempts went. */
export interface BatchOutcome {
  readonly succeeded: number;
  /** The first failure, in the order of the attempts; later batches were then not begun. */
  readonly failure: { readonly error: unknown } | undefined;
}

/**
 * Runs `count` attempts in batches of 1, 2, 4… and stops after the first batch in which one failed: a quota that refuses
 * one pod would refuse a thousand, and need not be asked a thousand times. (Kubernetes' slow start.)
 */
export async function runInBatches(
  count: number,
  attempt: (index: number) => Promise<void>,
): Promise<BatchOutcome> {
  let succeeded = 0;
  let started = 0;
  for (let size = 1; started < count; size *= 2) {
    const length = Math.min(size, count - started);
    const first = started;
    const results = await Promise.allSettled(Array.from({ length }, (_, offset) => attempt(first + offset)));
    started += length;
    const failed = results.find((result) => result.status === 'rejected');
    succeeded += results.filter((result) => result.status === 'fulfilled').length;
    if (failed !== undefined) return { succeeded, failure: { error: failed.reason } };
  }
  return { succeeded, failure: undefined };
}
