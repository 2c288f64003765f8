import type { InjectionTarget } from '../../api/index.ts';
import type { ApiPulse, FaultContext, Injection, NodePulse } from './fault.ts';
import type { Injector } from './injector.ts';
import { nextStep, stepsOf } from './schedule/rounds.ts';
import { drawIntervalMs, type Interval } from './settings/interval.ts';

/** Rounds of an instantaneous fault. */
export interface PulseInput {
  readonly fault: Pick<ApiPulse | NodePulse, 'settle' | 'once'>;
  readonly injector: Injector;
  readonly context: FaultContext;
  readonly durationMs: number;
  readonly interval: Interval;
  readonly sequence: 'serial' | 'parallel';
  readonly interPodKillIntervalMs: number;
  /** The targets of a round; `previous` are those of the round before. */
  readonly targetsOf: (
    round: number,
    previous: readonly InjectionTarget[] | undefined,
  ) => Promise<readonly InjectionTarget[]>;
  /** Called when a round begins to act. */
  readonly onRound: (round: number) => void;
  /** Resolves when it is known that the fault is wanted; nothing is injected before. @default it is */
  readonly permission?: Promise<void>;
}

/**
 * Repeats a fault in rounds until the duration is over: targets are selected anew, hit all at once or one by one, and have to
 * recover while the interval passes. A recovery that takes longer than the interval delays what follows; nothing begins
 * at or after the end. Resolves at the end, or when the last recovery is complete if that is later.
 */
export async function runPulse(input: PulseInput): Promise<void> {
  const { context, injector } = input;
  const { clock, signal } = context;
  let previous = await input.targetsOf(0, undefined);
  const startedAt = clock.monotonic();
  const endsAt = startedAt + input.durationMs;
  let dueAt = startedAt;
  for (let round = 0; ; round++) {
    if (round > 0) previous = await input.targetsOf(round, previous);
    const steps = stepsOf(previous, input.sequence);
    // Everything is planned before anything is hit: a target that has to be refused is refused in time.
    let injections: readonly Injection[] | undefined = await injector.plan(previous, round);
    input.onRound(round);
    for (const [index, step] of steps.entries()) {
      injections =
        steps.length === 1 && injections !== undefined ? injections : await injector.plan(step, round);
      await injector.inject(injections, signal, input.permission);
      const isLast = index === steps.length - 1;
      const waitMs =
        isLast && input.fault.once === true
          ? Number.POSITIVE_INFINITY
          : drawIntervalMs(input.interval, context.random) + (isLast ? 0 : input.interPodKillIntervalMs);
      await settleFor(input, injections, Math.min(dueAt + waitMs, endsAt));
      const next = nextStep({ endsAt, previousDueAt: dueAt, waitMs, now: clock.monotonic() });
      if (next.kind === 'end') return sleepUntil(clock, next.endsAt, signal);
      await sleepUntil(clock, next.dueAt, signal);
      dueAt = next.dueAt;
    }
  }
}

/** Waits until `until`, and until what was hit has recovered; a recovery that fails ends the wait at once. */
async function settleFor(
  { fault, context }: PulseInput,
  injections: readonly Injection[],
  until: number,
): Promise<void> {
  const slept = new AbortController();
  const sleeping = sleepUntil(context.clock, until, AbortSignal.any([context.signal, slept.signal]));
  sleeping.catch(() => {});
  try {
    await fault.settle?.(injections, context);
    await sleeping;
  } finally {
    slept.abort();
  }
}

async function sleepUntil(clock: FaultContext['clock'], until: number, signal: AbortSignal): Promise<void> {
  const ms = until - clock.monotonic();
  if (ms > 0) await clock.sleep(ms, signal);
  signal.throwIfAborted();
}
