import type { Clock } from '@turnsole/kube/base/clock';
import type { KubeClient } from '@turnsole/kube/client/types';
import type { Resource } from '@turnsole/kube/kinds/resources';
import { pollDelayMs } from '@turnsole/kube/runtime/wait';

/** A question that is repeated until it has an answer. */
interface AskUntil<T> {
  /** The answer, or undefined while it has none. An error ends the wait. */
  readonly ask: () => Promise<T | undefined>;
  readonly timeoutMs: number;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Objects whose changes are a reason to ask again at once, where they may be watched. */
  readonly bell?: Bell;
}

/** The watched objects. */
interface Bell {
  readonly client: KubeClient;
  readonly resource: Resource;
  /** @default all */
  readonly namespace?: string;
  readonly fieldSelector?: string;
}

/** Shortest time between two asks, so that a burst of changes is answered once. */
const SHORTEST_MS = 20;

/** While the bell works, asking without it is only for the case that its connection is dead. */
const WITH_BELL_MS = 5_000;

/**
 * Asks until it gets an answer, for questions that need more than one kind of object (for one,
 * {@link import('@turnsole/kube/runtime/wait').waitForObject} is better). Asks again whenever the bell rings; without a bell, or
 * where watching is not allowed, at intervals in proportion to the time already waited.
 *
 * @returns the answer, or undefined when none came in time
 */
export async function askUntil<T>(options: AskUntil<T>): Promise<T | undefined> {
  const { ask, timeoutMs, clock, signal } = options;
  const startedAt = clock.monotonic();
  let ringing: Ringing | undefined;
  const stop = new AbortController();
  try {
    for (;;) {
      signal.throwIfAborted();
      const answer = await ask();
      if (answer !== undefined) return answer;
      const elapsed = clock.monotonic() - startedAt;
      if (elapsed >= timeoutMs) return undefined;
      ringing ??= startRinging(options.bell, AbortSignal.any([signal, stop.signal]));
      const pauseMs = ringing.works ? WITH_BELL_MS : pollDelayMs(elapsed);
      await pause(clock, Math.min(pauseMs, timeoutMs - elapsed), ringing, signal);
    }
  } finally {
    stop.abort();
  }
}

/** State of a bell: `next` resolves at its next ring. */
interface Ringing {
  works: boolean;
  next: PromiseWithResolvers<void>;
}

function startRinging(bell: Bell | undefined, signal: AbortSignal): Ringing {
  const ringing: Ringing = { works: bell !== undefined, next: Promise.withResolvers<void>() };
  if (bell !== undefined) void ring(bell, ringing, signal);
  return ringing;
}

/** Rings for every change until the watch ends; rings once when it cannot watch, so that its silence is noticed. */
async function ring(
  { client, resource, ...selection }: Bell,
  ringing: Ringing,
  signal: AbortSignal,
): Promise<void> {
  try {
    for await (const _event of client.watch(resource, { ...selection, signal })) {
      ringing.next.resolve();
    }
  } catch {
    // Forbidden, not served, aborted, connection lost: asking goes on without it.
  }
  ringing.works = false;
  ringing.next.resolve();
}

async function pause(clock: Clock, ms: number, ringing: Ringing, signal: AbortSignal): Promise<void> {
  const over = new AbortController();
  const rings = ringing.next.promise.then(() => true);
  const sleeps = clock.sleep(ms, AbortSignal.any([signal, over.signal])).then(() => false);
  try {
    const hasRung = await Promise.race([rings, sleeps]);
    if (!hasRung) return;
    await clock.sleep(Math.min(SHORTEST_MS, ms), signal);
    ringing.next = Promise.withResolvers<void>();
  } finally {
    over.abort();
    await sleeps.catch(() => {});
  }
}
