import type { Pod } from '../../../api/core.ts';
import type { AnsweredCall } from '../../../kube/client/api-call.ts';
import type { KubeClient } from '../../../kube/client/types.ts';
import type { ControllerMetrics } from '../../../kube/runtime/controller.ts';
import type { Clock, Informer, Logger, Random } from '../../../kube/runtime/index.ts';
import type { Metrics } from '../../../process/metrics.ts';
import { parseTime } from '../../../text/time.ts';
import type { CronWorkflow } from '../../../workflows/kinds/cron-workflow.ts';
import type { Workflow } from '../../../workflows/kinds/workflow.ts';
import { isOver } from '../cleanup/completed.ts';
import type { CronObserver } from '../cron/cron-reconciler.ts';
import type { StoredChange, StoredObserver } from '../ports.ts';
import { CustomMetrics } from './custom-metrics.ts';
import { isRealtime, MetricError, measure } from './measure.ts';
import { MetricsErrors } from './metrics-error.ts';
import { type MetricUse, metricUses } from './metrics-of.ts';
import { defineMetrics, type OwnMetrics } from './own-metrics.ts';

/** What the metrics follow, once a controller runs. */
interface Followed {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly workflows: Informer<Workflow>;
  readonly pods: Informer<Pod>;
}

const PHASES = ['Pending', 'Running', 'Succeeded', 'Failed', 'Error'] as const;
const POD_PHASES = ['Pending', 'Running', 'Succeeded', 'Failed', 'Unknown'] as const;

/** The metrics of the workflow controller, under the names of Argo's. Those of a controller that no longer leads stay as they are. */
export class WorkflowMetrics implements CronObserver {
  readonly #own: OwnMetrics;
  readonly #custom: CustomMetrics;
  readonly #metrics: Metrics;
  #followed: Followed | undefined;

  /** After which a custom metric that nobody sets is no longer shown; undefined for never. */
  ttlMs: number | undefined;

  constructor(metrics: Metrics) {
    this.#metrics = metrics;
    this.#own = defineMetrics(metrics);
    this.#custom = new CustomMetrics(metrics, () => this.ttlMs);
  }

  /** Counts a request to the API server: for a client's option `onCall`. */
  readonly called = ({ verb, resource, code }: AnsweredCall): void => {
    this.#own.requests.inc({ kind: resource, verb, status_code: String(code ?? 'none') });
  };

  /** Begins to follow a controller's copies. @returns what is told of its writes, and how to end */
  follow(followed: Followed): { readonly observer: StoredObserver; stop(): Promise<void> } {
    this.#followed = followed;
    const errors = new MetricsErrors(followed.client, followed.logger);
    const unsubscribe = followed.pods.addHandler({
      onAdd: (pod, isInitial) => {
        if (!isInitial) this.#podChanged(pod, undefined);
      },
      onUpdate: (pod, old) => this.#podChanged(pod, old),
    });
    this.#own.isLeader.set(1);
    return {
      observer: { stored: (change) => this.#stored(change, followed, errors) },
      stop: async () => {
        unsubscribe();
        this.#own.isLeader.set(0);
        if (this.#followed === followed) this.#followed = undefined;
        await errors.flush();
      },
    };
  }

  /** Queue and passes of one of the controllers, under `queue_name`. */
  queue(name: string): ControllerMetrics {
    const { queueAdds, queueDepth, queueLatency, queueDuration, queueRetries, operations } = this.#own;
    const queue = { queue_name: name };
    return {
      added: () => queueAdds.inc(queue),
      depth: (keys) => queueDepth.set(keys, queue),
      waited: (seconds) => queueLatency.observe(seconds, queue),
      worked: (seconds) => queueDuration.observe(seconds, queue),
      retried: () => queueRetries.inc(queue),
      reconciled: (_, seconds) => {
        if (name === 'workflow_queue') operations.observe(seconds);
      },
    };
  }

  triggered({ metadata: { name, namespace = '' } }: CronWorkflow): void {
    this.#own.cronTriggered.inc({ name, namespace });
  }

  policyApplied({ metadata: { name, namespace = '' } }: CronWorkflow, policy: string): void {
    this.#own.cronPolicy.inc({ name, namespace, concurrency_policy: policy });
  }

  failed(cause: string): void {
    this.#own.errors.inc({ cause });
  }

  /** The page for /metrics, as of now. */
  page(): ReturnType<Metrics['page']> {
    this.#count();
    if (this.#followed !== undefined) this.#custom.refresh(this.#followed.clock.now());
    return this.#metrics.page();
  }

  #count(): void {
    const { workflows, conditions, pods } = this.#own;
    if (this.#followed === undefined) return;
    const all = this.#followed.workflows.lister.list();
    for (const phase of PHASES)
      workflows.set(all.filter(({ status }) => status?.phase === phase).length, { phase });
    const present = this.#followed.pods.lister.list();
    for (const phase of POD_PHASES)
      pods.set(present.filter(({ status }) => status?.phase === phase).length, { phase });
    for (const status of ['True', 'False'] as const) {
      const has = ({ status: { conditions: list = [] } = {} }: Workflow): boolean =>
        list.some((condition) => condition.type === 'PodRunning' && condition.status === status);
      conditions.set(all.filter((workflow) => !isOver(workflow) && has(workflow)).length, {
        type: 'PodRunning',
        status,
      });
    }
  }

  #podChanged({ metadata, status }: Pod, old: Pod | undefined): void {
    const { namespace = '' } = metadata;
    const phase = status?.phase ?? 'Pending';
    if (phase !== old?.status?.phase) this.#own.podsTotal.inc({ phase, namespace });
    const reason = waitingReason(status);
    if (reason !== undefined && reason !== waitingReason(old?.status))
      this.#own.podsPending.inc({ reason, namespace });
  }

  #stored(change: StoredChange, followed: Followed, errors: MetricsErrors): void {
    const { workflow, spec, status, phaseBefore } = change;
    const { namespace = '' } = workflow.metadata;
    if (status.phase !== phaseBefore) {
      this.#own.workflowsTotal.inc({ phase: status.phase, namespace });
      this.#ofTemplate(change, namespace);
    }
    const hasMetrics = spec.metrics !== undefined || change.changes.length > 0;
    if (!hasMetrics) return;
    const now = followed.clock.now();
    for (const use of metricUses(change, now)) {
      try {
        this.#show(use, now, followed.random);
      } catch (error) {
        if (!(error instanceof MetricError)) throw error;
        errors.tell(workflow, error.message);
      }
    }
  }

  #ofTemplate({ workflow, status }: StoredChange, namespace: string): void {
    const ref = workflow.spec.workflowTemplateRef;
    if (ref === undefined) return;
    const labels = {
      name: ref.name,
      namespace,
      cluster_scope: String(ref.clusterScope === true),
      phase: status.phase,
    };
    this.#own.templateTriggered.inc(labels);
    const [from, to] = [parseTime(status.startedAt), parseTime(status.finishedAt)];
    if (from !== undefined && to !== undefined) this.#own.templateRuntime.observe((to - from) / 1000, labels);
  }

  #show({ id, metric, names, startedAt, endedAt }: MetricUse, now: number, random: Random): void {
    if (isRealtime(metric)) {
      if (endedAt !== undefined) {
        this.#custom.end(id, endedAt, now);
        return;
      }
      const measured = measure(metric, names, { now, random });
      if (measured !== undefined) this.#custom.begin(id, measured, startedAt ?? now, now);
    } else if (endedAt !== undefined) {
      const measured = measure(metric, names, { now, random });
      if (measured !== undefined) this.#custom.show(measured, now);
    }
  }
}

function waitingReason(status: Pod['status']): string | undefined {
  if (status?.phase !== 'Pending') return undefined;
  const states = [...(status.initContainerStatuses ?? []), ...(status.containerStatuses ?? [])];
  return states.find(({ state }) => state?.waiting?.reason !== undefined)?.state?.waiting?.reason;
}
