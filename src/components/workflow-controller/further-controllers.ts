import type { DeleteOptions } from '@turnsole/kube/client/types';
import type { BasicsWithRandom } from '@turnsole/kube/runtime/basics';
import type { Logger } from '@turnsole/kube/runtime/index';
import { ArtifactGarbage } from './cleanup/artifact-garbage.ts';
import { CompletedWorkflows } from './cleanup/completed-workflows.ts';
import { PodGarbage } from './cleanup/pod-garbage.ts';
import { ObjectsPreparer } from './cleanup/preparer.ts';
import { Retention } from './cleanup/retention.ts';
import type { ClusterViewOptions } from './cluster-view.ts';
import { type ClusterView, instanceSelector } from './cluster-view.ts';
import type { WorkerCounts } from './component-settings.ts';
import { CronController } from './cron/cron-controller.ts';
import { EventPublisher } from './events/event-publisher.ts';
import { factsOf, libraryOf } from './facts.ts';
import type { LockUse } from './locks/lock-table.ts';
import type { WorkflowMetrics } from './metrics/workflow-metrics.ts';
import { PodSpecLog } from './pod-spec-log.ts';
import type { StoredObserver } from './ports.ts';
import type { Repositories } from './repositories.ts';
import type { WorkflowSettings } from './settings.ts';

interface SurroundingsOptions extends BasicsWithRandom, Pick<ClusterViewOptions, 'namespace' | 'instanceId'> {
  readonly view: ClusterView;
  readonly settings: () => WorkflowSettings;
  readonly repositories: Repositories;
  readonly workers: WorkerCounts;
  readonly propagationPolicy: DeleteOptions['propagationPolicy'];
  /** @default nothing is counted */
  readonly metrics: WorkflowMetrics | undefined;
  /** How locks are in use now. */
  readonly locks: () => readonly LockUse[];
}

/** What works beside the runs of workflows: CronWorkflows, the clean-up after workflows, Events. */
export class Surroundings {
  readonly preparer: ObjectsPreparer;
  readonly observers: readonly StoredObserver[];
  readonly #events: EventPublisher;
  readonly #retention: Retention;
  readonly #followed: ReturnType<WorkflowMetrics['follow']> | undefined;
  readonly #controllers: readonly { start(signal?: AbortSignal): Promise<void>; stop(): Promise<void> }[];
  readonly #logger: Logger;
  #isStopping = false;

  constructor(options: SurroundingsOptions) {
    const { client, clock, random, logger, namespace, instanceId, view, settings, metrics } = options;
    const { workflows, pods } = view;
    const { workers, propagationPolicy, locks } = options;
    const common = { client, clock, random, logger, namespace, workflows };
    this.#retention = new Retention({ ...common, policy: () => settings().retention, propagationPolicy });
    this.#logger = logger;
    this.#events = new EventPublisher({ client, clock, logger }, () => settings().events ?? {});
    this.preparer = new ObjectsPreparer(client);
    this.#followed = metrics?.follow({ ...common, pods, locks });
    this.observers = [this.#events, ...(this.#followed === undefined ? [] : [this.#followed.observer])];
    this.#controllers = [
      new CronController({
        ...common,
        labelSelector: instanceSelector(instanceId),
        libraryOf: (place) => libraryOf(factsOf(view, place)),
        observer: metrics,
        workers: workers.crons,
        metrics: metrics?.queue('cron_wf_queue'),
      }),
      new CompletedWorkflows({
        ...common,
        propagationPolicy,
        workers: workers.ttl,
        metrics: metrics?.queue('workflow_ttl_queue'),
      }),
      new ArtifactGarbage({
        ...common,
        repositories: options.repositories,
        pods: () => settings().pods,
      }),
      this.#retention,
      new PodGarbage({
        ...common,
        pods,
        gracePeriodSeconds: () => settings().podGcGraceSeconds,
        workers: workers.pods,
        metrics: metrics?.queue('pod_cleanup_queue'),
      }),
      new PodSpecLog({ client, pods, logger, strategy: () => settings().podSpecLog ?? {} }),
    ];
  }

  /** Begins in the background: a role that may not list CronWorkflows delays no workflow. */
  start(): void {
    for (const controller of this.#controllers) {
      controller.start().catch((err: unknown) => {
        if (!this.#isStopping) this.#logger.warn({ err }, 'a part of the workflow controller does not work');
      });
    }
  }

  settingsChanged(): void {
    this.#retention.look();
  }

  /** Lets work under way end, and Events be written. Idempotent. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    await Promise.all(this.#controllers.map((controller) => controller.stop()));
    await Promise.all([this.#events.flush(), this.#followed?.stop()]);
  }
}
