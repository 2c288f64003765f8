import type { WritingLevel } from '@turnsole/kube/base/log';
import type { AnsweredCall } from '@turnsole/kube/client/api-call';
import type { KubeObject, Pod } from '@turnsole/kube/kinds/core';
import type { BasicsWithRandom } from '@turnsole/kube/runtime/basics';
import type { ControllerMetrics } from '@turnsole/kube/runtime/controller';
import type { Informer, Random } from '@turnsole/kube/runtime/index';
import { parseTime } from '@turnsole/kube/text/time';
import { isCompleted } from '@turnsole/workflows/kinds/completed';
import type { CronWorkflow } from '@turnsole/workflows/kinds/cron-workflow';
import type { NodeStatus } from '@turnsole/workflows/kinds/status';
import type { Workflow } from '@turnsole/workflows/kinds/workflow';
import type { Metrics } from '../../../process/metrics.ts';
import { packageVersion } from '../../../process/version.ts';
import type { CronObserver } from '../cron/cron-reconciler.ts';
import { parseLockName } from '../locks/lock-name.ts';
import type { LockUse } from '../locks/lock-table.ts';
import type { StoredChange, StoredObserver, WorkObserver } from '../ports.ts';
import { CustomMetrics } from './custom-metrics.ts';
import { deprecatedInCron, deprecatedInWorkflow } from './deprecated-features.ts';
import { LegacyMetrics } from './legacy-metrics.ts';
import { isRealtime, MetricError, measure } from './measure.ts';
import { MetricsErrors } from './metrics-error.ts';
import { type MetricUse, metricUses } from './metrics-of.ts';
import { defineMetrics, type OwnMetrics } from './own-metrics.ts';
import { countPresent } from './present.ts';
import { Queues } from './queues.ts';

/** What the metrics follow, once a controller runs. */
interface Followed extends BasicsWithRandom {
  readonly workflows: Informer<Workflow>;
  readonly pods: Informer<Pod>;
  /** How locks are in use now. */
  readonly locks: () => readonly LockUse[];
}

/** A pod that is gone so soon after the start of its node was recently started. */
const RECENTLY_MS = 10_000;
/** Architectures that Go calls otherwise than Node. */
const GO_ARCHITECTURES: Readonly<Record<string, string>> = { x64: 'amd64', ia32: '386' };

/** The metrics of the workflow controller, under the names of Argo's. Those of a controller that no longer leads stay as they are. */
export class WorkflowMetrics implements CronObserver, WorkObserver {
  readonly #own: OwnMetrics;
  readonly #queues: Queues;
  readonly #custom: CustomMetrics;
  readonly #metrics: Metrics;
  #legacy: LegacyMetrics | undefined;
  #followed: Followed | undefined;

  /** A custom metric that no workflow sets for so long is no longer shown; undefined for never. */
  ttlMs: number | undefined;

  constructor(metrics: Metrics) {
    this.#metrics = metrics;
    this.#own = defineMetrics(metrics);
    this.#queues = new Queues(metrics);
    this.#custom = new CustomMetrics(metrics, () => this.ttlMs);
    metrics.beforePage(() => this.#count());
    for (const level of ['info', 'warning', 'error']) this.#own.logMessages.inc({ level }, 0);
    const architecture = GO_ARCHITECTURES[process.arch] ?? process.arch;
    this.#own.version.set(1, {
      version: packageVersion(),
      platform: `${process.platform}/${architecture}`,
      compiler: `node ${process.version}`,
    });
  }

  /** Shows the names of Argo 3.3 to 3.5 as well, from now on. */
  showLegacyNames(): void {
    this.#legacy ??= new LegacyMetrics(this.#metrics);
  }

  /** Counts a request to the API server: for a client's option `onCall`. */
  readonly called = ({ verb, resource, code, seconds }: AnsweredCall): void => {
    const labels = { kind: resource, verb, status_code: String(code ?? 'none') };
    this.#own.requests.inc(labels);
    this.#own.requestDuration.observe(seconds, labels);
  };

  /** Counts a line of the log: for a logger's option `onLine`. */
  readonly logged = (level: WritingLevel): void => {
    const word = level === 'warn' ? 'warning' : level;
    this.#own.logMessages.inc({ level: word });
    this.#legacy?.logged(word);
  };

  /** Begins to follow a controller's copies. @returns the observer of its writes, and how to end */
  follow(followed: Followed): { readonly observer: StoredObserver; stop(): Promise<void> } {
    this.#followed = followed;
    const errors = new MetricsErrors(followed.client, followed.logger);
    const ends = [
      followed.pods.addHandler({
        onAdd: (pod, isInitial) => {
          if (!isInitial) this.#podChanged(pod, undefined);
        },
        onUpdate: (pod, old) => this.#podChanged(pod, old),
      }),
      followed.workflows.addHandler({
        onAdd: (workflow) => {
          if (!isCompleted(workflow)) this.#deprecated(deprecatedInWorkflow(workflow.spec), workflow);
        },
      }),
    ];
    this.#own.isLeader.set(1);
    return {
      observer: { stored: (change) => this.#stored(change, followed, errors) },
      stop: async () => {
        for (const end of ends) end();
        this.#own.isLeader.set(0);
        if (this.#followed === followed) this.#followed = undefined;
        await errors.flush();
      },
    };
  }

  /** Queue and passes of one of the controllers, under `queue_name`. */
  queue(name: string): ControllerMetrics {
    return this.#queues.metricsOf(name);
  }

  lockTaken(name: string): void {
    this.#own.locksTaken.inc(lockLabels(name));
  }

  podRateLimited(seconds: number): void {
    this.#own.podRateLimited.observe(seconds);
  }

  podMissing({ phase, startedAt }: NodeStatus): void {
    const now = this.#followed?.clock.now() ?? Number.NaN;
    const isRecent = now - (parseTime(startedAt) ?? Number.NaN) < RECENTLY_MS;
    const labels = { node_phase: phase, recently_started: String(isRecent) };
    this.#own.podsMissing.inc(labels);
    this.#legacy?.podMissing(labels);
  }

  panicked(): void {
    this.failed('OperationPanic');
  }

  seen(cron: CronWorkflow): void {
    this.#deprecated(deprecatedInCron(cron.spec), cron);
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
    return this.#metrics.page();
  }

  #count(): void {
    const { workflows, conditions, pods, locksHeld, locksPending } = this.#own;
    const queues = this.#queues.states();
    this.#queues.show(queues);
    if (this.#followed === undefined) return;
    const { clock, locks } = this.#followed;
    this.#custom.refresh(clock.now());
    const present = countPresent(this.#followed.workflows.lister.list(), this.#followed.pods.lister.list());
    this.#legacy?.show(present, queues);
    for (const [phase, number] of present.workflows) workflows.set(number, { phase });
    for (const [phase, number] of present.pods) pods.set(number, { phase });
    for (const [status, number] of present.podRunning) conditions.set(number, { type: 'PodRunning', status });
    // A lock without holder and waiter is none.
    locksHeld.reset();
    locksPending.reset();
    for (const { name, held, pending } of locks()) {
      locksHeld.set(held, lockLabels(name));
      locksPending.set(pending, lockLabels(name));
    }
  }

  #deprecated(features: readonly string[], { metadata: { namespace = '' } }: KubeObject): void {
    for (const feature of features) this.#own.deprecated.inc({ feature, namespace });
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
        errors.report(workflow, error.message);
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

function lockLabels(lock: string): Readonly<Record<string, string>> {
  const { type, name, namespace } = parseLockName(lock);
  return { type, storage: 'configmap', lock_name: name, namespace };
}

function waitingReason(status: Pod['status']): string | undefined {
  if (status?.phase !== 'Pending') return undefined;
  const states = [...(status.initContainerStatuses ?? []), ...(status.containerStatuses ?? [])];
  return states.find(({ state }) => state?.waiting?.reason !== undefined)?.state?.waiting?.reason;
}
