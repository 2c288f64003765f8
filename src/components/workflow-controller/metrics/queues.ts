import type { ControllerMetrics } from '@turnsole/kube/runtime/controller';
import type { QueueState } from '@turnsole/kube/runtime/work-queue';
import type { Metrics } from '../../../process/metrics.ts';
import { PREFIX } from './measure.ts';

/** The queue of workflows, under the name that Argo's has. */
export const WORKFLOW_QUEUE = 'workflow_queue';

type Defined = ReturnType<typeof defineQueueMetrics>;

function defineQueueMetrics({ counter, gauge, histogram }: Metrics) {
  const named = (name: string): string => `${PREFIX}${name}`;
  const queue = ['queue_name'];
  return {
    adds: counter(named('queue_adds_count'), 'Keys that became ready.', queue),
    depth: gauge(named('queue_depth_gauge'), 'Keys that are ready for a worker.', queue),
    latency: histogram(named('queue_latency'), 'Seconds that keys were ready.', queue),
    duration: histogram(named('queue_duration'), 'Seconds that workers had keys.', queue),
    retries: counter(named('queue_retries'), 'Keys that were put back after a failure.', queue),
    longest: gauge(
      named('queue_longest_running'),
      'Seconds that a worker has had the key that it has now, at most.',
      queue,
    ),
    unfinished: gauge(
      named('queue_unfinished_work'),
      'Seconds that workers have had the keys that they have now, together.',
      queue,
    ),
    busy: gauge(named('workers_busy_count'), 'Workers that have a key.', ['worker_type']),
    operations: histogram(named('operation_duration_seconds'), 'Duration of a pass of a workflow.'),
  };
}

/** The metrics of the controller's queues, under Argo's names. */
export class Queues {
  readonly #metrics: Defined;
  readonly #states = new Map<string, () => QueueState>();

  constructor(metrics: Metrics) {
    this.#metrics = defineQueueMetrics(metrics);
  }

  /** Queue and passes of one of the controllers, under `queue_name`. */
  metricsOf(name: string): ControllerMetrics {
    const { adds, latency, duration, retries, operations } = this.#metrics;
    const queue = { queue_name: name };
    return {
      opened: (read) => void this.#states.set(name, read),
      added: () => adds.inc(queue),
      waited: (seconds) => latency.observe(seconds, queue),
      worked: (seconds) => duration.observe(seconds, queue),
      retried: () => retries.inc(queue),
      reconciled: (_, seconds) => {
        if (name === WORKFLOW_QUEUE) operations.observe(seconds);
      },
    };
  }

  /** What the queues hold now, by name. */
  states(): [name: string, state: QueueState][] {
    return [...this.#states].map(([name, read]) => [name, read()]);
  }

  /** Shows what the queues hold. */
  show(states: readonly (readonly [name: string, state: QueueState])[]): void {
    const { depth, longest, unfinished, busy } = this.#metrics;
    for (const [name, { ready, taken, unfinishedSeconds, longestSeconds }] of states) {
      const queue = { queue_name: name };
      depth.set(ready, queue);
      longest.set(longestSeconds, queue);
      unfinished.set(unfinishedSeconds, queue);
      busy.set(taken, { worker_type: name });
    }
  }
}
