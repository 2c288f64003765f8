import type { ProbeSummary } from '../../api/schema/result.ts';
import type { RunTimes } from './background.ts';
import { isTooBusy, type Measurement } from './outcome.ts';
import { Series } from './series/series.ts';

/** A run of a probe: what it found, and when. */
export interface TimedRun {
  readonly measurement: Measurement;
  readonly times: RunTimes;
}

/** More runs that failed before the fault are not kept one by one; the oldest are forgotten first. */
const MOST_SUSPECTS = 256;
/** So many requests of a load may be under way at a time. */
const LASTING_PENDING = 16_384;

/**
 * What the runs of a background probe came to. What fails before the fault is not its doing and decides nothing; but the experiment may
 * learn later than its probes see it that the fault has begun, so that it is looked at again then.
 */
export class Evidence {
  readonly #series: Series;
  /** Runs that did not pass while it was not known that the fault is in force, oldest first. */
  readonly #suspects: TimedRun[] = [];
  #countsSinceMs: number | undefined;
  #last: TimedRun | undefined;
  #lastMeasured: TimedRun | undefined;
  #failure: TimedRun | undefined;
  #error: TimedRun | undefined;
  /** While the fault was in force: runs that were measured, and the first and number of those that this machine was too busy for. */
  #measured = 0;
  #tooBusy = 0;
  #firstTooBusy: TimedRun | undefined;

  /**
   * @param countsAlways whether also what fails before the fault decides
   * @param isLasting whether many measurements overlap
   */
  constructor(countsAlways: boolean, isLasting: boolean) {
    this.#series = new Series(isLasting ? { pendingLimit: LASTING_PENDING } : {});
    if (countsAlways) this.#countsSinceMs = -Infinity;
  }

  /** The run that ended last. */
  get last(): TimedRun | undefined {
    return this.#last;
  }

  /** The last one for which this machine was not too busy. */
  get lastMeasured(): TimedRun | undefined {
    return this.#lastMeasured;
  }

  /**
   * The first run that failed and counts, else the first that could not be evaluated, else, where most could not be measured, the first of
   * those: too little is known then.
   */
  get decisive(): TimedRun | undefined {
    return this.#failure ?? this.error;
  }

  #unmeasured(): TimedRun | undefined {
    const first = this.#firstTooBusy;
    if (first === undefined || first.measurement.outcome === 'passed') return undefined;
    const all = this.#tooBusy + this.#measured;
    const reason = `${this.#tooBusy} of ${all} measurements while the fault was in force could not be made, the first: ${first.measurement.reason}`;
    return { ...first, measurement: { ...first.measurement, reason } };
  }

  /** The first run that counts and could not be evaluated, or, where most could not be measured, the first of those. */
  get error(): TimedRun | undefined {
    return this.#error ?? (this.#tooBusy > this.#measured ? this.#unmeasured() : undefined);
  }

  add(run: TimedRun): void {
    const { measurement, times } = run;
    this.#last = run;
    if (isTooBusy(measurement)) {
      if (!this.#counts(run)) return;
      this.#tooBusy += 1;
      this.#firstTooBusy ??= run;
      return;
    }
    this.#lastMeasured = run;
    if (this.#counts(run)) this.#measured += 1;
    const ok = measurement.outcome === 'passed';
    const failure = ok ? undefined : (measurement.failure ?? FAILURE_WORDS[measurement.outcome]);
    const own = {
      ...times,
      ok,
      failure,
      latencyMs: measurement.latencyMs,
      retriedUntilMs: measurement.retriedUntilMs,
    };
    for (const one of measurement.series ?? [own]) this.#series.add(one);
    if (ok) return;
    if (this.#counts(run)) this.#note(run);
    else if (this.#suspects.push(run) > MOST_SUSPECTS) this.#suspects.shift();
  }

  /** What did not pass and was not over at that time counts. Repeating it with a later time changes nothing. */
  injected(atMs: number): void {
    this.#series.injected(atMs);
    this.#countsSinceMs = Math.min(this.#countsSinceMs ?? Infinity, atMs);
    const found = this.#suspects.filter((run) => this.#counts(run));
    // They came before those that counted so far.
    const first = (outcome: 'failure' | 'error'): TimedRun | undefined =>
      found.find(({ measurement }) => measurement.outcome === outcome);
    this.#failure = first('failure') ?? this.#failure;
    this.#error = first('error') ?? this.#error;
  }

  reverted(atMs: number): void {
    this.#series.reverted(atMs);
  }

  summary(): ProbeSummary {
    return this.#series.summary();
  }

  #note(run: TimedRun): void {
    if (run.measurement.outcome === 'failure') this.#failure ??= run;
    else this.#error ??= run;
  }

  #counts({ times }: TimedRun): boolean {
    const sinceMs = this.#countsSinceMs;
    return sinceMs !== undefined && (times.endedMs > sinceMs || times.beganMs >= sinceMs);
  }
}

const FAILURE_WORDS = { failure: 'failed', error: 'not evaluated' } as const;
