import type { FaultContext, Injection } from '../../experiment/injection/fault.ts';

/** Resources that are taken away and given back again and again. */
interface Rounds {
  /** All of them are taken away. */
  readonly injections: readonly Injection[];
  readonly context: FaultContext;
  readonly durationMs: number;
  readonly intervalMs: number;
  readonly take: (injection: Injection, context: FaultContext) => Promise<void>;
  readonly give: (injection: Injection, context: FaultContext) => Promise<void>;
  /** Rejects when one is there again that was not given back here. */
  readonly check: (injection: Injection) => Promise<void>;
}

/** How often it is looked whether they are still away. */
const LOOK_MS = 10_000;

/**
 * Keeps resources away for the interval, gives them back, and takes them away again while the duration has room for it. Ends with them
 * away or there; the revert that follows does the rest.
 */
export async function holdInRounds(rounds: Rounds): Promise<void> {
  const { injections, context, durationMs, intervalMs, take, give } = rounds;
  const { clock } = context;
  const endsAt = clock.monotonic() + durationMs;
  for (;;) {
    await stayAway(rounds, Math.min(clock.monotonic() + intervalMs, endsAt));
    if (clock.monotonic() >= endsAt) return;
    await untilAllEnded(injections, (injection) => {
      context.force?.lapsed(injection.id, 'Reverted');
      return give(injection, context);
    });
    if (clock.monotonic() >= endsAt) return;
    await untilAllEnded(injections, async (injection) => {
      await take(injection, context);
      context.force?.began(injection.id);
    });
  }
}

/** Rejects with the first failure when all have ended: what still took a resource away would undo the revert that follows. */
async function untilAllEnded(
  injections: readonly Injection[],
  act: (injection: Injection) => Promise<void>,
): Promise<void> {
  const ends = await Promise.allSettled(injections.map(act));
  for (const end of ends) if (end.status === 'rejected') throw end.reason;
}

async function stayAway({ injections, context, check }: Rounds, until: number): Promise<void> {
  const { clock, signal } = context;
  for (;;) {
    await Promise.all(injections.map(check));
    const left = until - clock.monotonic();
    if (left <= 0) return;
    await clock.sleep(Math.min(LOOK_MS, left), signal);
  }
}
