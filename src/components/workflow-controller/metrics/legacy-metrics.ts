import type { QueueState } from '@turnsole/kube/runtime/work-queue';
import type { Metrics } from '../../../process/metrics.ts';
import { PREFIX } from './measure.ts';
import type { Present } from './present.ts';

/** Metrics under the names that they had in Argo 3.3 to 3.5, for dashboards that ask for those. */
export class LegacyMetrics {
  readonly #defined: ReturnType<typeof define>;

  constructor(metrics: Metrics) {
    this.#defined = define(metrics);
  }

  show({ workflows, pods }: Present, queues: readonly (readonly [name: string, state: QueueState])[]): void {
    const { count, podsCount, queueDepth, workersBusy } = this.#defined;
    for (const [status, number] of workflows) count.set(number, { status });
    for (const [status, number] of pods) podsCount.set(number, { status });
    for (const [name, { ready, taken }] of queues) {
      queueDepth.set(ready, { queue_name: name });
      workersBusy.set(taken, { worker_type: name });
    }
  }

  podMissing(labels: Readonly<Record<string, string>>): void {
    this.#defined.podMissing.add(1, labels);
  }

  logged(level: string): void {
    this.#defined.logMessages.inc({ level });
  }
}

function define({ counter, gauge }: Metrics) {
  const instead = (name: string): string => `The name of Argo 3 for ${PREFIX}${name}.`;
  return {
    count: gauge(`${PREFIX}count`, instead('gauge'), ['status']),
    podsCount: gauge(`${PREFIX}pods_count`, instead('pods_gauge'), ['status']),
    queueDepth: gauge(`${PREFIX}queue_depth_count`, instead('queue_depth_gauge'), ['queue_name']),
    workersBusy: gauge(`${PREFIX}workers_busy`, instead('workers_busy_count'), ['worker_type']),
    // These two had no prefix, or another one; the first was a gauge that only grew.
    podMissing: gauge('argo_pod_missing', instead('pod_missing'), ['recently_started', 'node_phase']),
    logMessages: counter('log_messages', instead('log_messages'), ['level']),
  };
}
