import { type Clock, type Random, systemClock } from '@turnsole/kube/base/clock';
import { type Logger, silentLogger } from '@turnsole/kube/base/log';
import type { DeleteOptions, KubeClient } from '@turnsole/kube/client/types';
import {
  Controller,
  type ControllerMetrics,
  fromMapped,
  fromObjects,
  type Source,
} from '@turnsole/kube/runtime/controller';
import { WorkQueue } from '@turnsole/kube/runtime/work-queue';
import { isCompleted, isOverPhase } from '@turnsole/workflows/kinds/completed';
import type { TraceSender } from '../../process/traces/trace-sender.ts';
import { HttpAndPluginTasks } from '../workflow-helper/tasks/task-runner.ts';
import { Admission } from './admission.ts';
import { ClusterView } from './cluster-view.ts';
import type { WorkerCounts } from './component-settings.ts';
import { Estimator } from './estimates/estimator.ts';
import { Executor } from './executor.ts';
import { Surroundings } from './further-controllers.ts';
import { LiveRuns } from './live-runs.ts';
import { Locks } from './locks/locks.ts';
import { SemaphoreLimits } from './locks/semaphore-limits.ts';
import { MemoCache } from './memo-cache.ts';
import type { WorkflowMetrics } from './metrics/workflow-metrics.ts';
import { Opener } from './opener.ts';
import { PodActions } from './pod-actions.ts';
import { fromPods, workflowKey } from './pod-source.ts';
import type { StoredObserver, WorkObserver } from './ports.ts';
import { WorkflowReconciler } from './reconciler.ts';
import { Repositories } from './repositories.ts';
import type { NamedSettings, WorkflowSettings } from './settings.ts';
import { reportOf } from './task-results.ts';
import { workflowSpans } from './workflow-spans.ts';
import { WorkflowStore } from './workflow-store.ts';

/** Workflows worked on at the same time; a pass waits for its one write alone. */
const DEFAULT_WORKERS = 32;
const RETRY_BACKOFF = { baseMs: 20, maxMs: 5_000, jitter: 'equal' } as const;

/** How a workflow controller is started. */
export interface WorkflowControllerOptions {
  readonly client: KubeClient;
  /** Namespace whose workflows it runs; empty means all. @default '' */
  readonly namespace?: string;
  /** Namespace of its own objects, such as caches; empty: beside each workflow. @default '' */
  readonly ownNamespace?: string;
  /** Runs the workflows with this instance id; empty: those without one. @default '' */
  readonly instanceId?: string;
  /** Its settings; read anew at each pass. */
  readonly settings: () => WorkflowSettings;
  /** Keys worked on at the same time. @default 32 workflows; 8 CronWorkflows; of the clean-up 4 workflows and 4 pods */
  readonly workers?: WorkerCounts;
  /** How objects that a workflow owns are deleted with it. @default the server's: in the background */
  readonly propagationPolicy?: DeleteOptions['propagationPolicy'];
  readonly logger?: Logger;
  /** @default the machine's clock */
  readonly clock?: Clock;
  readonly random?: Random;
  readonly metrics?: ControllerMetrics;
  /** Counts workflows, and shows the metrics that they define. @default none */
  readonly workflowMetrics?: WorkflowMetrics;
  /** Sends traces of the workflows that end; its owner closes it, not the controller. @default none are sent */
  readonly traces?: TraceSender | undefined;
  /** Stops it as `stop` does. */
  readonly signal?: AbortSignal;
}

/** A running workflow controller. */
export interface WorkflowController {
  /** Workflows that are worked on now. */
  readonly open: number;
  /** Throws with the reason when its view of the cluster is not current. */
  checkReady(): void;
  /** To be called after the settings have changed: new limits may let workflows begin, or ask for the deletion of old ones. */
  settingsChanged(): void;
  /** Lets the passes under way end; after it another may work. Idempotent. */
  stop(): Promise<void>;
}

/**
 * Starts running workflows, and resolves when it works on a complete view. Runs in a pod as well as in the process of `turnsole up`; all
 * it needs is a client.
 *
 * @throws ApiError when the kinds may not be listed · the signal's reason
 */
export async function startWorkflowController(
  options: WorkflowControllerOptions,
): Promise<WorkflowController> {
  const {
    client,
    clock = systemClock,
    logger = silentLogger,
    namespace = '',
    instanceId = '',
    signal,
  } = options;
  const { random = Math.random } = options;
  // LitmusChaos gives its workflows an instance id, and finds logs and engines by pods that are named like their nodes.
  const podNames = instanceId === '' ? 'v2' : 'v1';
  const settings = (): NamedSettings => ({ podNames, ...options.settings() });
  const common = { client, clock, random, logger };
  const view = new ClusterView({ ...common, namespace, instanceId });
  const observer: WorkObserver | undefined = options.workflowMetrics;
  const repositories = new Repositories({
    client,
    view,
    ownNamespace: options.ownNamespace ?? '',
    configured: () => settings().artifactRepository,
  });
  const around = new Surroundings({
    ...common,
    namespace,
    instanceId,
    view,
    settings,
    repositories,
    workers: options.workers ?? {},
    propagationPolicy: options.propagationPolicy,
    metrics: options.workflowMetrics,
    locks: () => locks.uses(),
  });
  const runs = new LiveRuns();
  const queue = new WorkQueue({
    clock,
    random,
    backoff: RETRY_BACKOFF,
    metrics: options.metrics,
  });
  const wake = (key: string): void => queue.add(key);
  const limits = new SemaphoreLimits({
    ...common,
    changed: ({ namespace: place, name, key }, limit) =>
      locks.limitChanged(`${place}/ConfigMap/${name}/${key}`, limit),
  });
  const locks = new Locks({ runs, limits, wake, observer });
  const admission = new Admission(() => ({
    parallelism: settings().parallelism ?? 0,
    ofNamespace: (place) => view.parallelismOf(place) ?? settings().namespaceParallelism ?? 0,
  }));
  const executor = new Executor({
    ...common,
    view,
    locks,
    settings,
    observer,
    wake,
    pods: new PodActions(common),
    cache: new MemoCache({ ...common, namespace: options.ownNamespace ?? '' }),
    taskRunner: new HttpAndPluginTasks({ ...common, settings: () => settings().tasks ?? {} }),
  });
  const observers = [
    ...around.observers,
    ...(options.traces === undefined ? [] : [workflowTraces(options.traces)]),
  ];
  const store = new WorkflowStore({ ...common, runs, locks, observers });
  const estimator = new Estimator({ ...common, workflows: view.workflows, settings });
  const opener = new Opener({
    ...common,
    view,
    store,
    locks,
    settings,
    repositories,
    estimator,
    preparer: around.preparer,
    admission,
  });
  const reconciler = new WorkflowReconciler({
    ...common,
    view,
    runs,
    locks,
    admission,
    executor,
    store,
    opener,
    observer,
    wake,
  });
  const controller = new Controller({
    name: 'workflow',
    reconcile: reconciler.reconcile,
    sources: [
      fromObjects(view.workflows),
      fromPods(view.pods, (key, seen) => runs.get(key)?.touchedPods.set(seen.pod.metadata.name, seen)),
      unawaited(
        fromMapped(view.results, (result) => {
          const key = workflowKey(result);
          const live = runs.get(key);
          live?.inbox.push(reportOf(result));
          return live === undefined ? [] : [key];
        }),
      ),
    ],
    workers: options.workers?.workflows ?? DEFAULT_WORKERS,
    clock,
    logger,
    queue,
    metrics: options.metrics,
  });
  let stopping: Promise<void> | undefined;
  const stop = (): Promise<void> => {
    stopping ??= (async () => {
      await Promise.all([controller.stop(), around.stop()]);
      await executor.stop();
      await Promise.all([view.stop(), limits.stop()]);
    })();
    return stopping;
  };
  try {
    await view.start(signal);
    const open = view.workflows.lister.list().filter((workflow) => !isCompleted(workflow));
    locks.restore(open);
    for (const { metadata, status } of open)
      if (status?.phase === 'Running')
        admission.runs(`${metadata.namespace}/${metadata.name}`, metadata.namespace ?? '');
    await controller.start(signal);
    around.start();
  } catch (error) {
    await stop();
    throw error;
  }
  signal?.addEventListener('abort', () => void stop(), { once: true });
  logger.info({ namespace: namespace === '' ? 'all' : namespace }, 'workflow controller started');
  return {
    get open() {
      return runs.size;
    },
    checkReady: () => view.checkReady(),
    settingsChanged: () => {
      for (const key of admission.next()) wake(key);
      around.settingsChanged();
    },
    stop,
  };
}

/** A source that the controller does not wait for: the cluster may lack it, and the view has waited for those that are served. */
function unawaited(source: Source): Source {
  return { ...source, whenSynced: () => Promise.resolve() };
}

/** Sends the trace of each workflow when its end is stored. */
function workflowTraces(sender: TraceSender): StoredObserver {
  return {
    stored: (change) => {
      if (!isOverPhase(change.status.phase) || isOverPhase(change.phaseBefore)) return;
      // Now: its turn may come when the nodes of the run are forgotten.
      const record = workflowSpans(change);
      if (record !== undefined) sender.add(() => Promise.resolve(record));
    },
  };
}
