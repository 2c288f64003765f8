import { setMaxListeners } from 'node:events';
import { AbortedError } from './errors.ts';
import type { FaultContext } from './fault.ts';

/** Until when something is done. */
interface WantedOptions {
  readonly context: Pick<FaultContext, 'signal' | 'clock'>;
  /**
   * Resolves when the run ends; rejects when the lease ended without a word from it. Its signal ends it. Calls `onWanted` as soon as
   * it knows that the fault is wanted at all. @default the fault is wanted for its time
   */
  readonly unwanted?: Unwanted;
}

/** Follows whether a fault is wanted. */
export type Unwanted = (signal: AbortSignal, onWanted: () => void) => Promise<void>;

/** On abort an injection ends its commands and requests; what takes longer is reverted now, and again when it has ended. */
const END_LIMIT_MS = 1_000;

/**
 * Does the work until it is done or unwanted. By the time this returns the work has ended, so that nothing is injected after the revert.
 *
 * @param work its second argument resolves when it is known that the fault is wanted; nothing may be injected before
 * @param onLate gets the end of work that has not ended in time; that never rejects
 */
export async function whileWanted(
  { context: { signal: outer, clock }, unwanted }: WantedOptions,
  work: (signal: AbortSignal, permission: Promise<void>) => Promise<void>,
  onLate: (ended: Promise<unknown>) => void,
): Promise<void> {
  if (unwanted === undefined) return work(outer, Promise.resolve());
  const over = new AbortController();
  const signal = AbortSignal.any([outer, over.signal]);
  // Every request and wait under way listens.
  setMaxListeners(0, signal);
  const permission = Promise.withResolvers<void>();
  const working = work(signal, permission.promise);
  const asking = unwanted(signal, permission.resolve);
  try {
    await Promise.race([working, asking]);
  } finally {
    over.abort(new AbortedError('the fault is not wanted any more'));
    const ended = Promise.allSettled([working, asking]);
    const limit = new AbortController();
    const late = clock.sleep(END_LIMIT_MS, limit.signal).then(
      () => onLate(ended),
      () => {},
    );
    await Promise.race([ended, late]);
    limit.abort();
  }
}
