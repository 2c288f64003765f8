import type { Metrics } from '../../../process/metrics.ts';
import { FINAL_VERDICTS, isFinalVerdict } from './ended-run.ts';
import { residueChange } from './residue.ts';
import type { SlimResult } from './slim-objects.ts';

/** The labels of the counters: the namespace of a result and its fault, but not the result itself, as results come and go. */
interface Labels {
  readonly chaosresult_namespace: string;
  readonly fault_name: string;
}

/** Buckets of what an API server, a helper or a node take to act: milliseconds to minutes. */
const LATENCY_BUCKETS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300];

const PROBE_VERDICTS = ['Passed', 'Failed', 'N/A'] as const;

/** Series whose results are gone stay for this long, so that a last count is scraped, and not for ever: namespaces come and go. */
const KEPT_MS = 3_600_000;

/** What is known of one pair of namespace and fault. */
interface Pair {
  readonly labels: Labels;
  readonly probeTypes: Set<string>;
  results: number;
  /** Since when it has no result any more. */
  emptySinceMs: number;
}

/**
 * Counts what happens while this process looks on: ended runs, probes, latencies, residue. Its counters begin at 0 with the process and
 * only go up, as Prometheus expects of counters; what a history adds up to stands in the gauges.
 */
export class Tally {
  readonly #metrics: ReturnType<typeof define>;
  readonly #pairs = new Map<string, Pair>();

  constructor(metrics: Metrics) {
    this.#metrics = define(metrics);
  }

  /** A result is there. What a result already held when this exporter started was counted by the exporter before it. */
  added(result: SlimResult, isInitial: boolean): void {
    const pair = this.#pairOf(result);
    pair.results += 1;
    for (const type of result.probeTypes) this.#begin(type, pair.labels, pair.probeTypes);
    if (!isInitial) this.#count(undefined, result, pair);
    result.ended = undefined;
  }

  /** A result has changed. */
  updated(result: SlimResult, old: SlimResult): void {
    if (keyOf(result) !== keyOf(old)) {
      this.#pairOf(result).results += 1;
      this.#left(old);
    }
    const pair = this.#pairOf(result);
    for (const type of result.probeTypes) this.#begin(type, pair.labels, pair.probeTypes);
    this.#count(old, result, pair);
    result.ended = undefined;
  }

  /** A result was deleted; its runs have been counted. */
  deleted(result: SlimResult): void {
    this.#left(result);
  }

  /** Drops the series of pairs that have had no result for an hour. @param nowMs milliseconds since 1970 */
  forget(nowMs: number): void {
    for (const [key, pair] of this.#pairs) {
      if (pair.results > 0) continue;
      if (pair.emptySinceMs === Number.POSITIVE_INFINITY) pair.emptySinceMs = nowMs;
      if (nowMs - pair.emptySinceMs < KEPT_MS) continue;
      this.#pairs.delete(key);
      this.#drop(pair);
    }
  }

  #count(before: SlimResult | undefined, now: SlimResult, { labels, probeTypes }: Pair): void {
    const { runs, probes, injections, reverts, found, closed } = this.#metrics;
    const change = residueChange(before?.residue ?? [], now.residue);
    if (change.found > 0) found.inc({ ...labels }, change.found);
    if (change.closed > 0) closed.inc({ ...labels }, change.closed);
    if (now.ended === undefined || !hasEnded(before, now)) return;
    runs.inc({ ...labels, verdict: now.ended.verdict });
    for (const { type, verdict } of now.ended.probes) {
      this.#begin(type, labels, probeTypes);
      probes.inc({ ...labels, type, verdict });
    }
    for (const seconds of now.ended.injections) injections.observe(seconds, { ...labels });
    for (const seconds of now.ended.reverts) reverts.observe(seconds, { ...labels });
  }

  /** Series begin at 0 with the first result, mostly before its run ends: a counter that begins at 1 has not risen for Prometheus. */
  #pairOf(result: SlimResult): Pair {
    const key = keyOf(result);
    const known = this.#pairs.get(key);
    if (known !== undefined) {
      known.emptySinceMs = Number.POSITIVE_INFINITY;
      return known;
    }
    const labels = {
      chaosresult_namespace: result.metadata.namespace ?? '',
      fault_name: result.experiment,
    };
    const { runs, injections, reverts, found, closed } = this.#metrics;
    for (const verdict of FINAL_VERDICTS) runs.inc({ ...labels, verdict }, 0);
    for (const counter of [found, closed]) counter.inc({ ...labels }, 0);
    for (const histogram of [injections, reverts]) histogram.begin({ ...labels });
    const pair: Pair = {
      labels,
      probeTypes: new Set(),
      results: 0,
      emptySinceMs: Number.POSITIVE_INFINITY,
    };
    this.#pairs.set(key, pair);
    return pair;
  }

  #begin(type: string, labels: Labels, known: Set<string>): void {
    if (known.has(type)) return;
    known.add(type);
    for (const verdict of PROBE_VERDICTS) this.#metrics.probes.inc({ ...labels, type, verdict }, 0);
  }

  #left(result: SlimResult): void {
    const pair = this.#pairs.get(keyOf(result));
    if (pair !== undefined) pair.results -= 1;
  }

  #drop({ labels, probeTypes }: Pair): void {
    const { runs, probes, injections, reverts, found, closed } = this.#metrics;
    for (const verdict of FINAL_VERDICTS) runs.remove({ ...labels, verdict });
    for (const type of probeTypes) {
      for (const verdict of PROBE_VERDICTS) probes.remove({ ...labels, type, verdict });
    }
    for (const metric of [injections, reverts, found, closed]) metric.remove({ ...labels });
  }
}

function keyOf({ metadata, experiment }: SlimResult): string {
  return `${metadata.namespace}/${experiment}`;
}

function define(metrics: Metrics) {
  const names = ['chaosresult_namespace', 'fault_name'];
  return {
    runs: metrics.counter('turnsole_runs_total', 'Runs of experiments that have ended, by verdict.', [
      ...names,
      'verdict',
    ]),
    probes: metrics.counter(
      'turnsole_probes_total',
      'Probes of runs that have ended, by type and verdict; N/A: never judged.',
      [...names, 'type', 'verdict'],
    ),
    injections: metrics.histogram(
      'turnsole_injection_latency_seconds',
      'From the stored plan of an injection until it was in force.',
      names,
      LATENCY_BUCKETS,
    ),
    reverts: metrics.histogram(
      'turnsole_revert_latency_seconds',
      'From the end of the time of an injection, or the abort of its run, until it was reverted.',
      names,
      LATENCY_BUCKETS,
    ),
    found: metrics.counter(
      'turnsole_residue_found_total',
      'Injections that were still in force when their run was over.',
      names,
    ),
    closed: metrics.counter(
      'turnsole_residue_reverted_total',
      'Of these, those that were reverted afterwards.',
      names,
    ),
  };
}

/**
 * Whether a run has ended between two looks at a result. A final verdict counts once; where both looks show one, the history says
 * whether another run took place between them. Pure.
 *
 * @param before undefined where the result was not there
 */
export function hasEnded(before: SlimResult | undefined, now: SlimResult): boolean {
  if (!isFinalVerdict(now.verdict)) return false;
  if (before === undefined || !isFinalVerdict(before.verdict)) return true;
  return COUNTERS.some((counter) => now[counter] > before[counter]);
}

const COUNTERS = ['passedRuns', 'failedRuns', 'stoppedRuns'] as const;
