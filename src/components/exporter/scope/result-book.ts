import type { CoreEvent } from '@turnsole/kube/kinds/core';
import { type ExperimentTimes, experimentTimes, laterTimes } from '../event-times.ts';
import { verdictUntilMs } from '../result-metrics.ts';
import { type ResultSeries, resultSeries } from './result-series.ts';
import type { SlimEngine, SlimResult } from './slim-objects.ts';

/** What is remembered of a result from one scrape to the next. */
interface Entry {
  /** When a scrape first found this verdict, in milliseconds since 1970; undefined until one has. */
  shownSinceMs: number | undefined;
  /** The verdict was there before this process. */
  isOld: boolean;
  /** Times by the Events seen so far: the API server drops Events after an hour. */
  eventTimes: ExperimentTimes;
  /** Kept when the engine has gone, so that the labels stay. */
  engine: SlimEngine | undefined;
  /** The result and times that `series` was made of. */
  made: SlimResult | undefined;
  times: ExperimentTimes;
  series: ResultSeries | undefined;
}

const UNKNOWN: ExperimentTimes = { start: 0, injected: 0, end: 0 };

/** Gives a scrape the other objects of a result. */
interface Surroundings {
  readonly engineOf: (result: SlimResult) => SlimEngine | undefined;
  /** Events on an object, by its uid. */
  readonly eventsOn: (uid: string) => readonly CoreEvent[];
}

/**
 * The present results, with what has to be remembered of them. An entry is deleted with its result, so none outlives the result that it
 * is about.
 */
export class ResultBook {
  readonly #entries = new Map<string, Entry>();
  readonly #intervalMs: number;

  /** @param intervalMs how long a verdict is shown as 1 */
  constructor(intervalMs: number) {
    this.#intervalMs = intervalMs;
  }

  get size(): number {
    return this.#entries.size;
  }

  /**
   * A result is there. The verdict of one that was there before this process counts from the end of its run: the exporter before this
   * one has shown it, and a restart must not show it again.
   */
  added(result: SlimResult, isInitial: boolean): void {
    this.#entries.set(keyOf(result), {
      shownSinceMs: undefined,
      isOld: isInitial,
      eventTimes: UNKNOWN,
      engine: undefined,
      made: undefined,
      times: UNKNOWN,
      series: undefined,
    });
  }

  /** Shows a verdict anew that has changed, also to the same one by way of another. */
  updated(result: SlimResult, old: SlimResult): void {
    const entry = this.#entries.get(keyOf(result));
    if (entry === undefined || result.verdict === old.verdict) return;
    entry.shownSinceMs = undefined;
    entry.isOld = false;
  }

  deleted(result: SlimResult): void {
    this.#entries.delete(keyOf(result));
  }

  /** The series of a result as of a scrape. */
  seriesOf(result: SlimResult, { engineOf, eventsOn }: Surroundings, nowMs: number): ResultSeries {
    const entry = this.#entryOf(result);
    const engine = engineOf(result) ?? entry.engine;
    const times = timesIn(entry, result, engine, eventsOn);
    const shownSinceMs = entry.shownSinceMs ?? (entry.isOld ? times.end * 1000 : nowMs);
    // Where the clock was set back, or a node's clock is ahead, this time lies in the future, maybe by hours.
    const sinceMs = Math.min(shownSinceMs, nowMs);
    const isSame =
      entry.shownSinceMs === sinceMs &&
      entry.made === result &&
      entry.engine === engine &&
      equalTimes(entry.times, times);
    entry.shownSinceMs = sinceMs;
    if (isSame && entry.series !== undefined) return entry.series;
    const untilMs = verdictUntilMs(result.verdict, sinceMs, this.#intervalMs);
    const series = resultSeries({ result, engine, times, verdictUntilMs: untilMs });
    Object.assign(entry, { engine, made: result, times, series });
    return series;
  }

  /** The step times of a result's run, for readers other than a scrape: nothing counts as shown by it. */
  timesOf(result: SlimResult, { engineOf, eventsOn }: Surroundings): ExperimentTimes {
    const entry = this.#entryOf(result);
    return timesIn(entry, result, engineOf(result) ?? entry.engine, eventsOn);
  }

  #entryOf(result: SlimResult): Entry {
    const known = this.#entries.get(keyOf(result));
    if (known !== undefined) return known;
    this.added(result, false);
    return this.#entryOf(result);
  }
}

/** The timeline of a result says more exactly, and for longer, what Events say too; upstream's results have none. */
function timesIn(
  entry: Entry,
  { times, experiment }: SlimResult,
  engine: SlimEngine | undefined,
  eventsOn: Surroundings['eventsOn'],
): ExperimentTimes {
  const events = engine === undefined ? [] : eventsOn(engine.metadata.uid ?? '');
  if (engine !== undefined && events.length > 0) {
    entry.eventTimes = laterTimes(entry.eventTimes, experimentTimes(engine, experiment, events));
  }
  const { eventTimes } = entry;
  return {
    start: times.start || eventTimes.start,
    injected: times.injected || eventTimes.injected,
    end: times.end || eventTimes.end,
  };
}

function keyOf({ metadata }: SlimResult): string {
  return `${metadata.namespace}/${metadata.name}`;
}

function equalTimes(a: ExperimentTimes, b: ExperimentTimes): boolean {
  return a.start === b.start && a.injected === b.injected && a.end === b.end;
}
