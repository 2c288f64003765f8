import type { Clock } from '@turnsole/kube/base/clock';
import { objectKey } from '@turnsole/kube/kinds/core';
import { createMetrics, type Metrics } from '../../../process/metrics.ts';
import type { ExperimentTimes } from '../event-times.ts';
import type { Page } from '../page.ts';
import { isAwaited } from '../result-metrics.ts';
import { type Aggregates, aggregateLines, aggregatesOf } from './aggregates.ts';
import { PieceWriter } from './exposition.ts';
import { HaltTime } from './halt-time.ts';
import { ownLines } from './own-lines.ts';
import { ResultBook } from './result-book.ts';
import { resultPieces } from './result-series.ts';
import { ScopeView, type ScopeViewOptions } from './scope-view.ts';
import type { SlimResult } from './slim-objects.ts';
import { Tally } from './tally.ts';

interface ScopeExporterOptions extends ScopeViewOptions {
  /** How long a verdict is shown as 1. */
  readonly verdictIntervalMs: number;
  /** Version of this program. */
  readonly version: string;
}

/** A result as it is now. */
export interface ResultReading {
  readonly result: SlimResult;
  readonly times: ExperimentTimes;
}

/** The metrics of a namespace or a cluster, made from local copies at each scrape: between two scrapes nothing runs. */
export class ScopeExporter {
  readonly #clock: Clock;
  readonly #namespace: string;
  readonly #version: string;
  readonly #view: ScopeView;
  readonly #book: ResultBook;
  /** Metrics of this process, and the counters. */
  readonly #metrics: Metrics = createMetrics();
  readonly #tally = new Tally(this.#metrics);
  readonly #haltTime = new HaltTime();

  constructor({ verdictIntervalMs, version, ...options }: ScopeExporterOptions) {
    this.#clock = options.clock;
    this.#namespace = options.namespace;
    this.#version = version;
    this.#view = new ScopeView(options);
    this.#book = new ResultBook(verdictIntervalMs);
    this.#subscribe();
  }

  start(): void {
    this.#view.start();
  }

  async stop(): Promise<void> {
    await this.#view.stop();
  }

  /** Throws what keeps a page from being complete. */
  checkReady(): void {
    this.#view.checkComplete();
  }

  /**
   * The page for /metrics.
   *
   * @throws Error before everything has been read once: half a page would look as if the rest had gone
   */
  async page(): Promise<Page> {
    this.#view.checkComplete();
    const nowMs = this.#clock.now();
    this.#tally.forget(nowMs);
    const { contentType, body } = await this.#metrics.page();
    const results = this.#view.results.lister.list();
    // All of them before the first piece is sent: what changes meanwhile belongs to the next page.
    const series = results.map((result) => this.#book.seriesOf(result, this.#view, nowMs));
    const rest =
      aggregateLines(aggregatesOf(results), this.#namespace) +
      ownLines({
        version: this.#version,
        following: this.#view.following(),
        levers: this.#haltTime.figures(nowMs),
        withResidue: results.filter(({ residue }) => residue.length > 0),
      }) +
      body;
    function* pieces(): Generator<Uint8Array> {
      const writer = new PieceWriter();
      yield* resultPieces(series, nowMs, writer);
      writer.put(rest);
      yield writer.take();
    }
    return { contentType, body: pieces() };
  }

  /**
   * Calls the handler with the key of each result that is created or changes. Of the results that are older than this process it gets
   * only those whose run goes on: the others have not changed.
   */
  onChange(handler: (key: string) => void): void {
    this.#view.results.addHandler({
      onAdd: (result, isInitial) => {
        if (!isInitial || isAwaited(result.verdict)) handler(objectKey(result));
      },
      onUpdate: (result) => handler(objectKey(result)),
    });
  }

  /** The figures of a result by its key; undefined when it is gone. */
  readingOf(key: string): ResultReading | undefined {
    const result = this.#view.results.lister.get(key);
    return result && { result, times: this.#book.timesOf(result, this.#view) };
  }

  /** What all results say together. */
  sums(): Aggregates {
    return aggregatesOf(this.#view.results.lister.list());
  }

  #subscribe(): void {
    const [book, tally, haltTime, clock] = [this.#book, this.#tally, this.#haltTime, this.#clock];
    this.#view.results.addHandler({
      onAdd: (result, isInitial) => {
        book.added(result, isInitial);
        tally.added(result, isInitial);
      },
      onUpdate: (result, old) => {
        book.updated(result, old);
        tally.updated(result, old);
      },
      onDelete: (result) => {
        book.deleted(result);
        tally.deleted(result);
      },
    });
    for (const informer of this.#view.halts) {
      informer.addHandler({
        onAdd: (lever) => haltTime.pulled(lever, clock.now()),
        onDelete: (lever) => haltTime.released(lever, clock.now()),
      });
    }
  }
}
