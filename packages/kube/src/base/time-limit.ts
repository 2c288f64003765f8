import type { Clock } from './clock.ts';

/**
 * A signal that aborts when a time is over, unless the scope is left before (`using`): then it never does. It keeps no process alive that has
 * nothing else to do.
 */
export class TimeLimit implements Disposable {
  readonly signal: AbortSignal;
  readonly #cancel: () => void;

  /** @param reason what the signal aborts with */
  constructor(clock: Clock, ms: number, reason: () => Error) {
    const controller = new AbortController();
    this.signal = controller.signal;
    this.#cancel = clock.setTimer(ms, () => controller.abort(reason()), { unref: true });
  }

  [Symbol.dispose](): void {
    this.#cancel();
  }
}
