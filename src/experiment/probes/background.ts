import type { Clock } from '@turnsole/kube/base/clock';
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
  /** How long to pause after a run. */
  readonly pauseMs: (times: RunTimes) => number;
  /** Whether no further run follows this one. */
  readonly isLast: (measurement: Measurement) => boolean;
  /** One run; rejects only when its signal is aborted. */
  readonly run: (signal: AbortSignal, stopping: AbortSignal) => Promise<Measurement>;
  /** Called after each run, before `done` resolves. */
  readonly onRun: (measurement: Measurement, times: RunTimes) => void;
}

/** A background probe under way. */
export interface Background {
  /** Ends the pause under way, or leaves out that after the run under way, so that a new run begins now; an initial delay stays. */
  measureNow(): void;
  /** No further run begins and pauses end; the run under way is finished. */
  stop(): void;
  /** The run under way is interrupted too. */
  abort(): void;
  /** The last run; undefined when it was interrupted. Never rejects. */
  readonly done: Promise<Measurement | 'never ran' | undefined>;
}

/**
 * Starts a background probe: initial delay, then runs with a pause between them, until one is the last or it is stopped. A probe
 * that is stopped before its initial delay is over never runs: what it found then would say nothing of the chaos.
 */
export function startBackground(options: BackgroundOptions): Background {
  const loop = new Loop(options);
  return {
    measureNow: () => loop.hurry(),
    stop: () => loop.stop(),
    abort: () => loop.abort(),
    done: loop.start().catch(() => undefined),
  };
}

class Loop {
  readonly #options: BackgroundOptions;
  readonly #aborting = new AbortController();
  readonly #aborted: AbortSignal;
  /** Ends the pause under way. A probe may pause a hundred times a second: each pause has one controller, and no signal is derived. */
  #pausing: AbortController | undefined;
  readonly #stopping = new AbortController();
  #isHurried = false;
  /** The initial delay is over. */
  #runs = false;

  constructor(options: BackgroundOptions) {
    this.#options = options;
    this.#aborted = AbortSignal.any([options.signal, this.#aborting.signal]);
    this.#aborted.addEventListener('abort', () => this.#endPause(), { once: true });
  }

  hurry(): void {
    this.#isHurried = true;
    if (this.#runs) this.#endPause();
  }

  stop(): void {
    this.#stopping.abort();
    this.#endPause();
  }

  abort(): void {
    this.#aborting.abort(new Error('the probe was aborted'));
  }

  async start(): Promise<Measurement | 'never ran'> {
    const { clock, initialDelayMs, pauseMs, isLast, run, onRun } = this.#options;
    await this.#pause(initialDelayMs);
    if (this.#isStopped) return 'never ran';
    this.#runs = true;
    for (;;) {
      this.#aborted.throwIfAborted();
      // A run that begins now is that of now.
      this.#isHurried = false;
      const beganMs = clock.now();
      const measurement = await run(this.#aborted, this.#stopping.signal);
      const times = { beganMs, endedMs: clock.now() };
      onRun(measurement, times);
      if (this.#isStopped || isLast(measurement)) return measurement;
      if (!this.#isHurried) await this.#pause(pauseMs(times));
      if (this.#isStopped && !this.#aborted.aborted) return measurement;
    }
  }

  get #isStopped(): boolean {
    return this.#stopping.signal.aborted;
  }

  #endPause(): void {
    this.#pausing?.abort();
  }

  /** Waits for `ms`, or until the pause is ended; the caller looks why. */
  async #pause(ms: number): Promise<void> {
    if (ms <= 0 || this.#isStopped || this.#aborted.aborted) return;
    const pausing = new AbortController();
    this.#pausing = pausing;
    try {
      await this.#options.clock.sleep(ms, pausing.signal);
    } catch (error) {
      if (!pausing.signal.aborted) throw error;
    } finally {
      this.#pausing = undefined;
    }
  }
}
