import type { Clock } from '@turnsole/kube/base/clock';
import { unlessAborted } from '@turnsole/kube/base/unless-aborted';
import type { ProbeType } from '../../api/probe-types/index.ts';
import type { ProbeSummary } from '../../api/schema/result.ts';
import type { CompiledTolerance } from '../../api/validation/probe-tolerance.ts';
import { type Background, startBackground } from './background.ts';
import { errorCode, failureCode, TIMEOUT_DESCRIPTION } from './codes.ts';
import type { CompiledProbe } from './definition.ts';
import { Evidence, type TimedRun } from './evidence.ts';
import { isTooBusy, type Measurement } from './outcome.ts';
import { pauseAfter, STEADY_MS } from './run-pause.ts';
import { judgeTolerance, toleratesBefore } from './tolerance.ts';

/** What a background probe needs of its runner. */
interface BackgroundProbeOptions {
  readonly probe: CompiledProbe;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** What is done only once. */
  readonly once: boolean;
  /** Whether also what fails before the fault decides. */
  readonly countsAlways: boolean;
  /** How long the fault is meant to be in force; undefined where that is not known. */
  readonly durationMs: number | undefined;
  /** The fault, as far as it has begun. */
  readonly fault: FaultState;
  readonly run: (signal: AbortSignal, stopping: AbortSignal) => Promise<Measurement>;
  readonly onRun: (run: TimedRun, evidence: Evidence) => void;
}

/** What background probes go by; one object for all of a run. */
interface FaultState {
  /** Everything is ready for the fault, and nothing is injected yet. */
  readonly isArmed: boolean;
  /** When it came into force, in milliseconds since 1970; undefined before. */
  readonly sinceMs: number | undefined;
}

/** A Continuous or OnChaos probe under way: its runs, and what they came to. */
export class BackgroundProbe {
  readonly #options: BackgroundProbeOptions;
  readonly #evidence: Evidence;
  readonly #background: Background;
  /** Resolves with the end of the run under way, or of the probe. */
  #nextRun = Promise.withResolvers<void>();
  #isOver = false;

  constructor(options: BackgroundProbeOptions) {
    const { probe, clock, signal, once, countsAlways, durationMs, fault, run, onRun } = options;
    this.#options = options;
    this.#evidence = new Evidence(countsAlways, probe.kind.isLasting === true);
    if (fault.sinceMs !== undefined) this.#evidence.injected(fault.sinceMs);
    this.#background = startBackground({
      clock,
      signal,
      initialDelayMs: probe.run.initialDelayMs,
      pauseMs: (times) =>
        pauseAfter({
          pollingMs: probe.kind.isLasting === true ? 0 : probe.run.pollingMs,
          times,
          isArmed: fault.isArmed,
          inForceSinceMs: fault.sinceMs,
          durationMs,
        }),
      isLast: ({ outcome }) => once || (outcome === 'failure' && probe.run.stopOnFailure),
      run,
      onRun: (measurement, times) => {
        const timed = { measurement, times };
        this.#evidence.add(timed);
        onRun(timed, this.#evidence);
        this.#nextRun.resolve();
        this.#nextRun = Promise.withResolvers();
      },
    });
    void this.#background.done.then(() => {
      this.#isOver = true;
      this.#nextRun.resolve();
    });
  }

  /** Resolves when nothing of it is under way any more. */
  get done(): Promise<unknown> {
    return this.#background.done;
  }

  /** The first run that failed and counts, else the first that could not be evaluated. */
  get decisive(): TimedRun | undefined {
    return this.#evidence.decisive;
  }

  summary(): ProbeSummary {
    return this.#evidence.summary();
  }

  /** Whether a run before the fault says that the application is not in its steady state. */
  isUnsteady({ measurement, times }: TimedRun): boolean {
    const { tolerance } = this.#options.probe;
    if (measurement.outcome !== 'failure' || tolerance === undefined) return measurement.outcome !== 'passed';
    const summary = this.summary();
    const sinceMs = Date.parse(summary.failingSince?.time ?? '') || times.beganMs;
    return !toleratesBefore(tolerance, summary, times.endedMs - sinceMs);
  }

  /** What fails from then on counts; see {@link Evidence}. */
  injected(atMs: number): void {
    this.#evidence.injected(atMs);
  }

  reverted(atMs: number): void {
    this.#evidence.reverted(atMs);
  }

  measureNow(): void {
    this.#background.measureNow();
  }

  stop(): void {
    this.#background.stop();
  }

  /**
   * The latest run, no older than {@link STEADY_MS} or than probePollingInterval, which is measured anew where there is none. Undefined
   * while the initial delay lasts: the user wants nothing to be measured yet.
   */
  async freshRun(): Promise<TimedRun | undefined> {
    const { clock, signal, probe } = this.#options;
    const askedMs = clock.now();
    const oldestMs =
      askedMs - (probe.kind.isLasting === true ? STEADY_MS : Math.min(STEADY_MS, probe.run.pollingMs));
    if (this.#evidence.last === undefined && probe.run.initialDelayMs > 0) return undefined;
    for (let isFirst = true; ; isFirst = false) {
      const { last } = this.#evidence;
      if (this.#isOver || (last !== undefined && last.times.beganMs >= oldestMs)) return last;
      // Also when a run is under way: the next one then follows it at once.
      if (isFirst) this.#background.measureNow();
      await unlessAborted(this.#nextRun.promise, signal);
    }
  }

  /**
   * What the probe came to. With a tolerance, what all of its runs are by that; else the run by which it is judged: the first that failed and counts, else the first that could not be evaluated, else the last. The timeout of one that did not end in its
   * time; undefined for one that never ran, or only failed before the fault. Ends the probe.
   */
  async judged(): Promise<Measurement | undefined> {
    // Interrupts only a run under way: an ended probe keeps its result.
    this.#background.abort();
    const last = await this.#background.done;
    const { decisive, error } = this.#evidence;
    const { tolerance, type } = this.#options.probe;
    const found = tolerance === undefined ? decisive : error;
    if (found !== undefined) return found.measurement;
    if (last === undefined) {
      return { outcome: 'failure', code: 'PROBE_TIMEOUT', reason: TIMEOUT_DESCRIPTION };
    }
    if (last === 'never ran') return undefined;
    if (tolerance !== undefined) return tolerated(type, tolerance, this.summary(), decisive?.measurement);
    const known = isTooBusy(last) ? this.#evidence.lastMeasured?.measurement : last;
    return known?.outcome === 'passed' ? known : undefined;
  }
}

/** What the runs of a probe are by its tolerance. @param first the first of them that failed */
function tolerated(
  type: ProbeType,
  tolerance: CompiledTolerance,
  summary: ProbeSummary,
  first: Measurement | undefined,
): Measurement {
  const { outcome, reason } = judgeTolerance(tolerance, summary);
  switch (outcome) {
    case 'passed':
      return { outcome, description: `within its tolerance: ${reason}` };
    case 'failure': {
      const example =
        first === undefined || first.outcome === 'passed' ? '' : `; the first failure: ${first.reason}`;
      return { outcome, code: failureCode(type), reason: `beyond its tolerance: ${reason}${example}` };
    }
    case 'unknown':
      return { outcome: 'error', code: errorCode(type), reason: `its tolerance cannot be judged: ${reason}` };
  }
}
