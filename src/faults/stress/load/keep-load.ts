import { availableParallelism } from 'node:os';
import type { InjectionEffect } from '../../../api/index.ts';
import { describeError } from '../../../experiment/injection/errors.ts';
import { type FaultContext, type Injection, parametersOf } from '../../../experiment/injection/fault.ts';
import { objectOf } from '../../../experiment/injection/ledger/ledger-steps.ts';
import { locateContainer } from '../../../experiment/node/container-locator.ts';
import { awaitContainer } from '../../container-target.ts';
import type { Load, ResolvedLoad } from './load.ts';
import { loadEffect } from './load-effect.ts';
import { LoadMeter } from './load-meter.ts';
import { type RunningStressor, startStressor } from './stressor.ts';

/** Parameters of an injection of stress: all that revert and re-injection have. */
export interface StressParameters extends Record<string, unknown> {
  readonly load: Load;
  /** How long it is to last. */
  readonly seconds: number;
  /** Absent for a load in the helper's own pod. */
  readonly containerId?: string;
}

/** A load ends by itself this long after its time: by then its owner has ended it, or is gone in an unforeseen way. */
const LAST_RESORT_SECONDS = 15;
const MIN_PAUSE_MS = 250;
const MAX_PAUSE_MS = 5_000;
/** What a load uses has no event: it is looked at this often, for nothing can be read of one that has ended. */
const LOOK_MS = 1_000;
/** A load that has lasted this long was in order. */
const STABLE_MS = 10_000;

interface Kept {
  readonly stop: AbortController;
  /** The container that it loads. */
  containerId: string | undefined;
  running: RunningStressor | undefined;
  readonly meter: LoadMeter;
  /** What was asked for at the last start. */
  asked: ResolvedLoad | undefined;
  done: Promise<void>;
}

/** Loads of this process, by injection. */
const kept = new Map<string, Kept>();

/**
 * Puts a load in force and keeps it so: when its container restarts, or the kernel kills it for want of memory, it begins again
 * while time is left. Idempotent.
 *
 * @throws InjectError and what {@link startStressor} throws, when the first start fails
 */
export async function keepStress(injection: Injection, context: FaultContext): Promise<void> {
  if (kept.has(injection.id)) return;
  const parameters = parametersOf<StressParameters>(injection);
  const own: Kept = {
    stop: new AbortController(),
    containerId: parameters.containerId,
    running: undefined,
    meter: new LoadMeter(),
    asked: undefined,
    done: Promise.resolve(),
  };
  kept.set(injection.id, own);
  const endsAt = context.clock.monotonic() + parameters.seconds * 1000;
  try {
    await begin(own, await start(injection.id, parameters), context);
  } catch (error) {
    kept.delete(injection.id);
    throw error;
  }
  own.done = keepUp(own, injection, context, endsAt);
}

/** The effect by what a load of this process has got, of what was asked for; undefined without such a load. */
export async function stressEffect(
  { id }: Injection,
  { clock }: Pick<FaultContext, 'clock'>,
): Promise<InjectionEffect | undefined> {
  const own = kept.get(id);
  return (
    own?.asked && loadEffect(own.asked, await own.meter.tally(clock.monotonic()), availableParallelism())
  );
}

async function begin(
  own: Kept,
  running: RunningStressor,
  { clock }: Pick<FaultContext, 'clock'>,
): Promise<void> {
  own.running = running;
  own.asked = running.asked;
  await own.meter.begin(running, clock.monotonic());
}

/** Ends a load of this process; resolves when all of its processes have ended. Gives false when this process has no such load. */
export async function endStress(id: string): Promise<boolean> {
  const own = kept.get(id);
  if (own === undefined) return false;
  own.stop.abort();
  await own.running?.stop();
  await own.done;
  kept.delete(id);
  return true;
}

/** Never rejects: the timeline reports a load that cannot be kept up. */
async function keepUp(own: Kept, injection: Injection, context: FaultContext, endsAt: number): Promise<void> {
  const { clock } = context;
  const signal = AbortSignal.any([own.stop.signal, context.signal]);
  const say = (step: string, message: string): void =>
    context.note(step, objectOf(injection.target), message);
  let failures = 0;
  while (own.running !== undefined) {
    const begunAt = clock.monotonic();
    const end = await measured(own, own.running.ended, clock);
    const { code, signal: killedBy, said } = end;
    own.running = undefined;
    if (signal.aborted || clock.monotonic() >= endsAt) return;
    context.force?.lapsed(injection.id, 'ProcessEnded');
    await own.meter.end(end, clock.monotonic());
    failures = clock.monotonic() - begunAt > STABLE_MS ? 0 : failures + 1;
    say(
      'LoadEnded',
      `the load ended early (${killedBy ?? `exit code ${code}`}) ${said.split('\n').at(-1) ?? ''}`,
    );
    while (own.running === undefined && !signal.aborted && clock.monotonic() < endsAt) {
      try {
        await clock.sleep(Math.min(MAX_PAUSE_MS, MIN_PAUSE_MS * 2 ** (failures - 1)), signal);
        const running = await again(own, injection, { ...context, signal }, endsAt);
        if (running === undefined) return say('LoadOver', 'the target is gone; nothing is left to load');
        if (signal.aborted) return await running.stop();
        await begin(own, running, context);
        context.force?.began(injection.id);
        say('Reinjected', 'the load is in force again');
      } catch (error) {
        failures += 1;
        if (!signal.aborted) say('ReinjectFailed', describeError(error));
      }
    }
  }
}

/** Waits for the end of a load, and looks at it until then. */
async function measured<T>({ meter }: Kept, ended: Promise<T>, clock: FaultContext['clock']): Promise<T> {
  const over = new AbortController();
  const looking = (async () => {
    for (;;) {
      await clock.sleep(LOOK_MS, over.signal);
      await meter.look();
    }
  })().catch(() => {});
  try {
    return await ended;
  } finally {
    over.abort();
    await looking;
  }
}

/** Starts it in the container that runs now; undefined when the pod is gone. */
async function again(
  own: Kept,
  injection: Injection,
  context: FaultContext,
  endsAt: number,
): Promise<RunningStressor | undefined> {
  const { id, target } = injection;
  const leftMs = endsAt - context.clock.monotonic();
  const seconds = Math.max(1, Math.ceil(leftMs / 1000));
  const parameters = { ...parametersOf<StressParameters>(injection), seconds };
  if (parameters.containerId === undefined) return start(id, parameters);
  const containerId = await awaitContainer(target, context, leftMs);
  if (containerId === undefined) return undefined;
  if (containerId !== own.containerId) context.force?.lapsed(id, 'ContainerRestarted');
  own.containerId = containerId;
  return start(id, { ...parameters, containerId });
}

async function start(id: string, { load, seconds, containerId }: StressParameters): Promise<RunningStressor> {
  const input = { id, load, seconds: seconds + LAST_RESORT_SECONDS };
  if (containerId === undefined) return startStressor(input);
  const target = await locateContainer(containerId);
  return startStressor({ ...input, target });
}
