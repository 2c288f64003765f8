import { backoffDelayMs } from '@turnsole/kube/base/backoff';
import type { Clock, Random } from '@turnsole/kube/base/clock';
import { TimeLimit } from '@turnsole/kube/base/time-limit';
import { messageOf } from '@turnsole/kube/text/error-message';
import type { Transmit } from './answer.ts';

const BACKOFF = { baseMs: 1_000, maxMs: 5_000, jitter: 'equal' } as const;

export interface DeliverOptions {
  readonly clock: Clock;
  readonly random: Random;
  /** From the first try on. */
  readonly timeoutMs: number;
  /** Aborted when no time is left to wait: a try under way goes on. */
  readonly hurry: AbortSignal;
  /** Ends everything. */
  readonly signal: AbortSignal;
}

/** Sends a request until it is taken. @throws Error with what was said last, when it is refused or the time is up */
export async function deliver(
  request: Uint8Array,
  transmit: Transmit,
  options: DeliverOptions,
): Promise<void> {
  const { clock, random, timeoutMs, hurry } = options;
  using limit = new TimeLimit(clock, timeoutMs, () => new Error(`no answer in ${timeoutMs} ms`));
  const signal = AbortSignal.any([options.signal, limit.signal]);
  const untilMs = clock.monotonic() + timeoutMs;
  for (let failures = 1; ; failures++) {
    const answer = await transmit(request, signal);
    if (answer.kind === 'taken') return;
    if (signal.aborted) throw new Error(messageOf(signal.reason));
    if (answer.kind === 'refused') throw new Error(answer.why);
    const delayMs = answer.afterMs ?? backoffDelayMs(failures, BACKOFF, random);
    if (hurry.aborted || clock.monotonic() + delayMs >= untilMs) throw new Error(answer.why);
    await clock.sleep(delayMs, AbortSignal.any([signal, hurry])).catch(() => {
      throw new Error(answer.why);
    });
  }
}
