import type { Clock } from '../../kube/runtime/clock.ts';
import type { Measurement } from './outcome.ts';

/** When a run of a probe began and ended, in milliseconds since 1970. */
export interface RunTimes {
  readonly beganMs: number;
  readonly endedMs: number;
}

/** A probe that runs again and again beside the chaos. */
interface BackgroundOptions {
  readonly clock: Clock;
  /** Ends everything at once. */
  readonly signal: AbortSignal;
  readonly initialDelayMs: number;
  readonly pollingMs: number;
  /** Ends after the first run that passed. */
  readonly once: boolean;
  /** One run; rejects only when its signal is aborted. */
  readonly run: (signal: AbortSignal) => Promise<Measurement>;
  /** Called after each run, before `done` resolves. */
  readonly onRun: (measurement: Measurement, times: RunTimes) => void;
}

/** A background probe under way. */
export interface Background {
  /** Ends the pause under way, or that after the run under way, so that a new run begins now; an initial delay stays. */
  measureNow(): void;
  /** No further run begins and pauses end; the run under way is finished. */
  stop(): void;
  /** The run under way is interrupted too. */
  abort(): void;
  /** The last run; undefined when it was interrupted. Never rejects. */
  readonly done: Promise<Measurement | 'never ran' | undefined>;
}

/**
 * Starts a background probe: initial delay, then runs with a pause between them, until one does not pass or it is stopped. A probe
 * that is stopped before its initial delay is over never runs: what it found then would say nothing of the chaos.
 */
export function startBackground(options: BackgroundOptions): Background {
  const aborting = new AbortController();
  const stopping = new AbortController();
  const hurrying = new AbortController();
  const aborted = AbortSignal.any([options.signal, aborting.signal]);
  return {
    measureNow: () => hurrying.abort(),
    stop: () => stopping.abort(),
    abort: () => aborting.abort(new Error('the probe was aborted')),
    done: loop(options, { aborted, stopped: stopping.signal, hurried: hurrying.signal }).catch(
      () => undefined,
    ),
  };
}

/** The signals that a background probe gets. */
interface Orders {
  readonly aborted: AbortSignal;
  readonly stopped: AbortSignal;
  readonly hurried: AbortSignal;
}

async function loop(
  { clock, initialDelayMs, pollingMs, once, run, onRun }: BackgroundOptions,
  { aborted, stopped, hurried }: Orders,
): Promise<Measurement | 'never ran'> {
  const ended = AbortSignal.any([aborted, stopped]);
  const endedOrHurried = AbortSignal.any([ended, hurried]);
  await pause(clock, initialDelayMs, ended);
  if (stopped.aborted) return 'never ran';
  // The first run is that of now.
  let hasHurried = hurried.aborted;
  for (;;) {
    aborted.throwIfAborted();
    const beganMs = clock.now();
    const measurement = await run(aborted);
    onRun(measurement, { beganMs, endedMs: clock.now() });
    if (measurement.outcome !== 'passed' || once || stopped.aborted) return measurement;
    await pause(clock, pollingMs, hasHurried ? ended : endedOrHurried);
    hasHurried = hurried.aborted;
    if (stopped.aborted && !aborted.aborted) return measurement;
  }
}

/** Waits for `ms` or until `ended`; the caller looks which. */
async function pause(clock: Clock, ms: number, ended: AbortSignal): Promise<void> {
  if (ms <= 0 || ended.aborted) return;
  try {
    await clock.sleep(ms, ended);
  } catch (error) {
    if (!ended.aborted) throw error;
  }
}
