import type { Clock } from '../base/clock.ts';

/** Why a request was given up by us and not by the caller. */
export class TimeLimitError extends Error {
  override readonly name = 'TimeLimitError';
  readonly timeoutMs: number;

  constructor(timeoutMs: number) {
    super(`no answer within ${timeoutMs} ms`);
    this.timeoutMs = timeoutMs;
  }
}

/** The client was closed while the request was under way. */
export class ClientClosedError extends Error {
  override readonly name = 'ClientClosedError';

  constructor() {
    super('the client was closed');
  }
}

/** The life of one request: ends by the caller's signal, the time limit, or the client's close. */
export interface RequestScope {
  readonly signal: AbortSignal;
  /** Milliseconds of the limit that are left. */
  remainingMs(): number;
  /** Lifts the time limit: the first byte of a stream came. */
  lift(): void;
  abort(reason: Error): void;
  /** Must be called in the end, so that the caller's signal does not keep the request's listener. */
  close(): void;
}

export function openScope(clock: Clock, timeoutMs: number, outer: AbortSignal | undefined): RequestScope {
  outer?.throwIfAborted();
  const controller = new AbortController();
  const start = clock.monotonic();
  const onOuterAbort = (): void => controller.abort(outer?.reason);
  outer?.addEventListener('abort', onOuterAbort, { once: true });
  // A process that had no turn for so long has the answer in its sockets: they are read before the limit counts.
  const onLimit = (): void => {
    const late = setImmediate(() => controller.abort(new TimeLimitError(timeoutMs)));
    lift = () => clearImmediate(late);
  };
  let lift = clock.setTimer(timeoutMs, onLimit, { unref: true });
  return {
    signal: controller.signal,
    remainingMs: () => timeoutMs - (clock.monotonic() - start),
    lift: () => {
      lift();
      lift = () => {};
    },
    abort: (reason) => controller.abort(reason),
    close: () => {
      lift();
      outer?.removeEventListener('abort', onOuterAbort);
    },
  };
}
