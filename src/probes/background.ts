import type { Clock } from '../kube/runtime/clock.ts';
import type { Measurement } from './outcome.ts';

/** A probe that runs again and again beside the chaos. */
export interface BackgroundOptions {
  readonly clock: Clock;
  /** Ends everything at once. */
  readonly signal: AbortSignal;
  readonly initialDelayMs: number;
  readonly pollingMs: number;
  /** No run begins later than this after the start (OnChaos); undefined: until stopped (Continuous). */
  readonly durationMs: number | undefined;
  /** Ends after the first run that passed. */
  readonly once: boolean;
  /** One run; rejects only when its signal is aborted. */
  readonly run: (signal: AbortSignal) => Promise<Measurement>;
  /** Called after each run, before `done` resolves. */
  readonly onRun: (measurement: Measurement) => void;
}

/** A background probe under way. */
export interface Background {
  /** No further run begins and pauses end; the run under way is finished. The first run takes place in any case. */
  stop(): void;
  /** The run under way is interrupted too. */
  abort(): void;
  /** The last run; undefined when it was aborted. Never rejects. */
  readonly done: Promise<Measurement | undefined>;
}

/**
 * Starts a background probe: initial delay, then runs with a pause between them, until one does not pass, it is stopped,
 * or its duration is over.
 *
 * It always runs at least once: an initial delay beyond the end of the chaos is cut short there, since a probe that never
 * ran must not count as passed.
 */
export function startBackground(options: BackgroundOptions): Background {
  const { clock, durationMs } = options;
  const aborting = new AbortController();
  const stopping = new AbortController();
  const aborted = AbortSignal.any([options.signal, aborting.signal]);
  const cancelTimer =
    durationMs === undefined ? () => undefined : clock.setTimer(durationMs, () => stopping.abort());
  return {
    stop: () => stopping.abort(),
    abort: () => aborting.abort(new Error('the probe was aborted')),
    done: loop(options, aborted, stopping.signal)
      .catch(() => undefined)
      .finally(cancelTimer),
  };
}

async function loop(
  { clock, initialDelayMs, pollingMs, once, run, onRun }: BackgroundOptions,
  aborted: AbortSignal,
  stopped: AbortSignal,
): Promise<Measurement> {
  const ended = AbortSignal.any([aborted, stopped]);
  await pause(clock, initialDelayMs, ended);
  for (;;) {
    aborted.throwIfAborted();
    const measurement = await run(aborted);
    onRun(measurement);
    if (measurement.outcome !== 'passed' || once || stopped.aborted) return measurement;
    await pause(clock, pollingMs, ended);
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
