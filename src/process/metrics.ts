import type { AnsweredCall } from '@turnsole/kube/client/api-call';
import type { ControllerMetrics } from '@turnsole/kube/runtime/controller';
import type { QueueState } from '@turnsole/kube/runtime/work-queue';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

/** A metric with values by labels. */
interface Labelled {
  /** Drops the value of these labels. */
  remove(labels: Readonly<Record<string, string>>): void;
}

/** Counts up. */
interface CounterMetric extends Labelled {
  inc(labels?: Readonly<Record<string, string>>, value?: number): void;
  /** Drops all values: for figures that are counted elsewhere, and read for each page. */
  reset(): void;
}

/** Shows a value that goes up and down. */
interface GaugeMetric extends Labelled {
  set(value: number, labels?: Readonly<Record<string, string>>): void;
  add(value: number, labels?: Readonly<Record<string, string>>): void;
  /** Drops all values. */
  reset(): void;
}

/** Sorts durations into buckets. */
interface HistogramMetric extends Labelled {
  observe(seconds: number, labels?: Readonly<Record<string, string>>): void;
  /** Shows these labels before anything of them is observed: what begins at 1 has not risen for Prometheus. */
  begin(labels: Readonly<Record<string, string>>): void;
}

/** A histogram's observations with these labels. */
export interface StoredObservations {
  readonly labels: Readonly<Record<string, string>>;
  /** How many are in each bucket and in none before it; the last one is above all bounds. */
  readonly counts: readonly number[];
  readonly sum: number;
}

/** A histogram that is counted elsewhere. */
interface StoredHistogram {
  /** Shows these observations and no others. */
  set(observations: readonly StoredObservations[]): void;
}

/** The metrics of a process, behind names of our own: components depend on this and not on the library. */
export interface Metrics {
  counter(name: string, help: string, labelNames?: readonly string[]): CounterMetric;
  gauge(name: string, help: string, labelNames?: readonly string[]): GaugeMetric;
  /** @param buckets upper bounds in seconds. @default 1 ms to 60 s */
  histogram(
    name: string,
    help: string,
    labelNames?: readonly string[],
    buckets?: readonly number[],
  ): HistogramMetric;
  /** @param buckets upper bounds */
  storedHistogram(name: string, help: string, buckets: readonly number[]): StoredHistogram;
  /** Queue and pass metrics of one controller, under the names controller-runtime made usual. */
  controller(name: string): ControllerMetrics;
  /** Counts what a client asks of the API server, as `turnsole_api_requests_total`: for its option `onCall`. */
  apiCalls(): (call: AnsweredCall) => void;
  /** Whether a metric has this name. */
  has(name: string): boolean;
  /** Calls `read` before each page is made: values that it reads need not be set when they change. */
  beforePage(read: () => void): void;
  /** The page for /metrics. */
  page(): Promise<{ readonly contentType: string; readonly body: string }>;
}

const DURATION_BUCKETS = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 60];

/**
 * Metrics in a registry of their own. Loading this file costs 25 ms (prom-client), so only processes that serve them
 * import it, and late.
 *
 * @param options.withProcess memory, CPU and event loop of the process as well. @default true
 */
export function createMetrics(options: { readonly withProcess?: boolean } = {}): Metrics {
  const registry = new Registry();
  if (options.withProcess ?? true) collectDefaultMetrics({ register: registry });

  const counter: Metrics['counter'] = (name, help, labelNames = []) => {
    const metric = new Counter({ name, help, labelNames: [...labelNames], registers: [registry] });
    return {
      inc: (labels = {}, value = 1) => metric.inc({ ...labels }, value),
      reset: () => metric.reset(),
      remove: (labels) => metric.remove({ ...labels }),
    };
  };
  const gauge: Metrics['gauge'] = (name, help, labelNames = []) => {
    const metric = new Gauge({ name, help, labelNames: [...labelNames], registers: [registry] });
    return {
      set: (value, labels = {}) => metric.set({ ...labels }, value),
      add: (value, labels = {}) => metric.inc({ ...labels }, value),
      reset: () => metric.reset(),
      remove: (labels) => metric.remove({ ...labels }),
    };
  };
  const histogram: Metrics['histogram'] = (name, help, labelNames = [], buckets = DURATION_BUCKETS) => {
    const metric = new Histogram({
      name,
      help,
      labelNames: [...labelNames],
      buckets: [...buckets],
      registers: [registry],
    });
    return {
      observe: (seconds, labels = {}) => metric.observe({ ...labels }, seconds),
      begin: (labels) => metric.zero({ ...labels }),
      remove: (labels) => metric.remove({ ...labels }),
    };
  };
  const storedHistogram: Metrics['storedHistogram'] = (name, help, buckets) => {
    let values: object[] = [];
    const get = async (): Promise<object> => ({ name, help, type: 'histogram', values, aggregator: 'sum' });
    // The library's own histogram can only observe. This is all that a registry asks of a metric.
    registry.registerMetric({ name, get } as unknown as Histogram);
    return {
      set: (observations) => {
        values = observations.flatMap((one) => samplesOf(name, buckets, one));
      },
    };
  };
  const readers: (() => void)[] = [];
  const beforePage: Metrics['beforePage'] = (read) => void readers.push(read);
  let forController: ((name: string) => ControllerMetrics) | undefined;

  return {
    counter,
    gauge,
    histogram,
    storedHistogram,
    controller: (name) => {
      forController ??= defineControllerMetrics({ counter, gauge, histogram, beforePage });
      return forController(name);
    },
    apiCalls: () => {
      const requests = counter(
        'turnsole_api_requests_total',
        'Requests to the API server, each try of them.',
        ['verb', 'resource', 'code'],
      );
      return ({ verb, resource, code }) => requests.inc({ verb, resource, code: String(code ?? 'none') });
    },
    has: (name) => registry.getSingleMetric(name) !== undefined,
    beforePage,
    page: async () => {
      for (const read of readers) read();
      return { contentType: registry.contentType, body: await registry.metrics() };
    },
  };
}

/** The samples of a histogram, whose buckets include the observations of those before them. */
function samplesOf(
  name: string,
  buckets: readonly number[],
  { labels, counts, sum }: StoredObservations,
): object[] {
  let count = 0;
  const samples = [...buckets, '+Inf'].map((le, index) => {
    count += counts[index] ?? 0;
    return { metricName: `${name}_bucket`, labels: { le, ...labels }, value: count };
  });
  return [
    ...samples,
    { metricName: `${name}_sum`, labels, value: sum },
    { metricName: `${name}_count`, labels, value: count },
  ];
}

function defineControllerMetrics(
  metrics: Pick<Metrics, 'counter' | 'gauge' | 'histogram' | 'beforePage'>,
): (name: string) => ControllerMetrics {
  const depth = metrics.gauge('workqueue_depth', 'Keys that are ready for a worker.', ['name']);
  const adds = metrics.counter('workqueue_adds_total', 'Keys that became ready.', ['name']);
  const retries = metrics.counter('workqueue_retries_total', 'Keys that were put back after a failure.', [
    'name',
  ]);
  const waits = metrics.histogram(
    'workqueue_queue_duration_seconds',
    'Time a key was ready before a worker took it.',
    ['name'],
  );
  const works = metrics.histogram('workqueue_work_duration_seconds', 'Time a worker had a key.', ['name']);
  const unfinished = metrics.gauge(
    'workqueue_unfinished_work_seconds',
    'How long workers have had the keys that they have now, together.',
    ['name'],
  );
  const longest = metrics.gauge(
    'workqueue_longest_running_processor_seconds',
    'How long a worker has had its key, at most.',
    ['name'],
  );
  const busy = metrics.gauge('controller_runtime_active_workers', 'Workers that have a key.', ['controller']);
  const passes = metrics.counter('controller_runtime_reconcile_total', 'Passes by outcome.', [
    'controller',
    'result',
  ]);
  const times = metrics.histogram('controller_runtime_reconcile_time_seconds', 'Duration of a pass.', [
    'controller',
  ]);
  const queues = new Map<string, () => QueueState>();
  metrics.beforePage(() => {
    for (const [name, read] of queues) {
      const { ready, taken, unfinishedSeconds, longestSeconds } = read();
      depth.set(ready, { name });
      unfinished.set(unfinishedSeconds, { name });
      longest.set(longestSeconds, { name });
      busy.set(taken, { controller: name });
    }
  });
  return (name) => ({
    opened: (read) => void queues.set(name, read),
    added: () => adds.inc({ name }),
    waited: (seconds) => waits.observe(seconds, { name }),
    worked: (seconds) => works.observe(seconds, { name }),
    retried: () => retries.inc({ name }),
    reconciled: (outcome, seconds) => {
      passes.inc({ controller: name, result: outcome });
      times.observe(seconds, { controller: name });
    },
  });
}
