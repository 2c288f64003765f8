import type { Clock } from '@turnsole/kube/base/clock';

/** What came first: the value or the limit. */
type Limited<T> = { readonly timedOut: false; readonly value: T } | { readonly timedOut: true };

/** A limit in time, of which a signal informs the work. */
interface TimeLimit {
  readonly clock: Clock;
  readonly ms: number;
  /** Ends the work before its time. */
  readonly signal: AbortSignal;
}

/**
 * Runs `work` for at most `ms`. At the limit its signal is aborted and this resolves at once, whether the work obeys or
 * not; what it still does then is ignored.
 *
 * @throws the reason of `signal` as soon as that is aborted; otherwise what the work throws
 */
export async function withTimeLimit<T>(
  { clock, ms, signal }: TimeLimit,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<Limited<T>> {
  signal.throwIfAborted();
  const controller = new AbortController();
  const { promise, resolve, reject } = Promise.withResolvers<Limited<T>>();
  const onAbort = (): void => {
    reject(signal.reason);
    controller.abort(signal.reason);
  };
  signal.addEventListener('abort', onAbort, { once: true });
  const cancelTimer = clock.setTimer(ms, () => {
    resolve({ timedOut: true });
    controller.abort(new Error(`not done within ${ms} ms`));
  });
  work(controller.signal).then((value) => resolve({ timedOut: false, value }), reject);
  try {
    return await promise;
  } finally {
    cancelTimer();
    signal.removeEventListener('abort', onAbort);
  }
}
