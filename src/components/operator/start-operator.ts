import { type Clock, type Random, systemClock } from '@turnsole/kube/base/clock';
import { type Logger, silentLogger } from '@turnsole/kube/base/log';
import type { KubeClient } from '@turnsole/kube/client/types';
import { type Job, objectKey, type Pod } from '@turnsole/kube/kinds/core';
import { JOBS, PODS } from '@turnsole/kube/kinds/resources';
import {
  Controller,
  type ControllerMetrics,
  fromMapped,
  fromObjects,
} from '@turnsole/kube/runtime/controller';
import { EventRecorder } from '@turnsole/kube/runtime/event-recorder';
import { Informer } from '@turnsole/kube/runtime/informer';
import { ownerKeys } from '@turnsole/kube/runtime/owner-references';
import { indexByLabel, indexByOwnerUid } from '@turnsole/kube/runtime/store';
import { WorkQueue } from '@turnsole/kube/runtime/work-queue';
import {
  CHAOS_ENGINES,
  CHAOS_RESULTS,
  type ChaosEngine,
  type ChaosResult,
  LABEL_CHAOS_UID,
  OPERATOR_EVENT_SOURCE,
} from '../../api/index.ts';
import { DEFAULT_RUNNER_IMAGE, type OwnImage } from '../../chaos/own-image.ts';
import type { TraceSender } from '../../process/traces/trace-sender.ts';
import { EngineExecutor } from './engine/engine-executor.ts';
import { EngineReconciler } from './engine/engine-reconciler.ts';
import { BY_CHAOS_UID } from './engine/engine-world.ts';
import { slimEngine } from './engine/resting-engine.ts';
import { slimJob, slimPod } from './engine/slim-objects.ts';
import { Halts } from './halt/halts.ts';
import { BY_OWNER, ScheduleController } from './schedule/schedule-controller.ts';

/** The same for the pods that serve metrics. */
const DEFAULT_MONITOR_IMAGE = 'litmuschaos/chaos-exporter:latest';
/** Engines worked on at the same time; a pass waits only for its own few requests. */
const DEFAULT_WORKERS = 16;
/** Events of many engines at once; each is a small object that waits for its turn. */
const MAX_PENDING_EVENTS = 50_000;
const BY_UID = 'uid';
/** After an outage of the API server an abort must not wait for a minute's back-off to run out. */
const RETRY_BACKOFF = { baseMs: 20, maxMs: 5_000, jitter: 'equal' } as const;

/** How an operator is started. */
export interface OperatorOptions {
  readonly client: KubeClient;
  /** Namespace it watches; empty means all. @default '' */
  readonly namespace?: string;
  /** Runner image of engines that name none. @default that of `ownImage`, else {@link DEFAULT_RUNNER_IMAGE} */
  readonly runnerImage?: string;
  /** Image of the monitor pods of engines that name none. @default that of `ownImage`, else {@link DEFAULT_MONITOR_IMAGE} */
  readonly monitorImage?: string;
  /** Our image on a real cluster; stands in for upstream's runner and experiment images. */
  readonly ownImage?: OwnImage;
  /** Images known to keep what Turnsole promises, beside `ownImage` (src/chaos/known-images.ts). @default none */
  readonly knownImages?: readonly string[];
  /** Settings of OpenTelemetry (`OTEL_…`), handed on to runners. @default none */
  readonly otel?: Readonly<Record<string, string>> | undefined;
  /** Sends traces of the runs that end; its owner closes it, not the operator. @default none are sent */
  readonly traces?: TraceSender | undefined;
  /** Handed on to experiments as PROTECTED_NAMESPACES: namespaces separated by commas. @default theirs: kube-system */
  readonly protectedNamespaces?: string;
  /** Annotation by which applications agree to chaos under `annotationCheck: "true"`. @default litmuschaos.io/chaos */
  readonly annotationKey?: string;
  /** @default 16 */
  readonly workers?: number;
  readonly logger?: Logger;
  /** @default the machine's clock */
  readonly clock?: Clock;
  readonly random?: Random;
  readonly metrics?: ControllerMetrics;
  /** Stops the operator as `stop` does. */
  readonly signal?: AbortSignal;
}

/** A running operator. */
export interface Operator {
  /** Engines by `status.engineStatus`, as the local copy has them; `''` for those that never began. */
  countEngines(): ReadonlyMap<string, number>;
  /** Throws with the reason when its view of the cluster is not current. */
  checkReady(): void;
  /** Lets the passes under way end; after it another may work. Events still wait to be written. Idempotent. */
  stopWork(): Promise<void>;
  /** The same, and writes the Events that wait. Idempotent. */
  stop(): Promise<void>;
}

/**
 * Starts reconciling ChaosEngines and ChaosSchedules, and resolves when it works on a complete view. Runs in a pod as well as in the process of
 * `turnsole run`; all it needs is a client.
 *
 * @throws ApiError when the kinds may not be listed · the signal's reason
 */
export async function startOperator(options: OperatorOptions): Promise<Operator> {
  const { client, clock = systemClock, logger = silentLogger, namespace = '', signal } = options;
  const basics = { client, clock, logger, random: options.random };
  const { engines, pods, jobs } = createInformers(options);
  const informers = [engines, pods, jobs];
  const recorder = new EventRecorder({
    ...basics,
    component: OPERATOR_EVENT_SOURCE,
    maxPending: MAX_PENDING_EVENTS,
  });
  const knownImages = [
    ...(options.ownImage === undefined ? [] : [options.ownImage.name]),
    ...(options.knownImages ?? []),
  ];
  const executor = new EngineExecutor({
    ...basics,
    namespace,
    runner: {
      image: options.runnerImage || options.ownImage?.name || DEFAULT_RUNNER_IMAGE,
      knownImages,
      ownImage: options.ownImage,
      otel: options.otel,
      ...(options.protectedNamespaces ? { protectedNamespaces: options.protectedNamespaces } : {}),
      ...(options.annotationKey ? { annotationKey: options.annotationKey } : {}),
    },
    monitor: {
      image: options.monitorImage || options.ownImage?.name || DEFAULT_MONITOR_IMAGE,
      ownImage: options.ownImage,
    },
    emit: (engine, event) => recorder.recordOn(CHAOS_ENGINES, engine, event),
    onRunOver: options.traces && sendsTraces(client, options.traces),
  });
  const halts = new Halts({ ...basics, namespace });
  const listers = { engines: engines.lister, pods: pods.lister, jobs: jobs.lister };
  const keysOf = (object: Pod | Job): string[] => enginesOf(object, engines.lister);
  const controller = new Controller({
    ...basics,
    name: 'chaosengine',
    reconcile: new EngineReconciler(listers, executor, (home) => halts.why(home)).reconcile,
    sources: [
      fromObjects(engines),
      fromMapped(pods, keysOf),
      fromMapped(jobs, keysOf),
      halts.source(() => engines.lister.list().map(objectKey)),
      executor.lastWords,
    ],
    workers: options.workers ?? DEFAULT_WORKERS,
    queue: new WorkQueue({ clock, backoff: RETRY_BACKOFF, random: options.random, metrics: options.metrics }),
    metrics: options.metrics,
  });
  const forget = engines.addHandler({ onDelete: ({ metadata }) => executor.forget(metadata.uid ?? '') });
  const shown = (pod: Pod): void => {
    executor.created.shown(pod.metadata.labels?.[LABEL_CHAOS_UID] ?? '', pod);
  };
  // Before the controller's own handler, so that a pass that an event causes no longer finds what was remembered.
  const forgetShown = pods.addHandler({ onAdd: shown, onDelete: shown });

  const schedules = new ScheduleController({ ...basics, namespace, engines, halts });

  let stopping: Promise<void> | undefined;
  const stopWork = (): Promise<void> => {
    stopping ??= (async () => {
      await Promise.all([controller.stop(), schedules.stop()]);
      forget();
      forgetShown();
      await Promise.all(informers.map((informer) => informer.stop()));
      await halts.stop();
    })();
    return stopping;
  };
  const stop = async (): Promise<void> => {
    await stopWork();
    await Promise.all([recorder.flush(), schedules.flush()]);
  };
  for (const informer of informers) informer.start();
  halts.start();
  schedules.start();
  try {
    await controller.start(signal);
  } catch (error) {
    await stop();
    throw error;
  }
  signal?.addEventListener('abort', () => void stop(), { once: true });
  logger.info({ namespace: namespace === '' ? 'all' : namespace }, 'operator started');
  return {
    countEngines: () => countByStatus(engines.lister.list()),
    checkReady: () => {
      for (const informer of informers) {
        if (!informer.hasSynced)
          throw new Error(`the list of ${informer.resource.plural} is not complete yet`);
      }
    },
    stopWork,
    stop,
  };
}

/** The operator's local copies: engines, and the pods and Jobs that engines cause. */
function createInformers(options: OperatorOptions): {
  readonly engines: Informer<ChaosEngine>;
  readonly pods: Informer<Pod>;
  readonly jobs: Informer<Job>;
} {
  const { client, clock = systemClock, logger = silentLogger, namespace = '', random } = options;
  const common = { client, clock, logger, namespace, random };
  const ofEngine = {
    ...common,
    labelSelector: LABEL_CHAOS_UID,
    indexes: { [BY_CHAOS_UID]: indexByLabel(LABEL_CHAOS_UID) },
  };
  return {
    engines: new Informer<ChaosEngine>({
      ...common,
      resource: CHAOS_ENGINES,
      transform: slimEngine,
      indexes: { [BY_UID]: ({ metadata }) => [metadata.uid ?? ''], [BY_OWNER]: indexByOwnerUid },
    }),
    pods: new Informer<Pod>({ ...ofEngine, resource: PODS, transform: slimPod }),
    jobs: new Informer<Job>({ ...ofEngine, resource: JOBS, transform: slimJob }),
  };
}

/**
 * Keys of the engines that caused an object: by label, as helpers may be owned by an experiment pod; by owner too, for what an
 * engine of the same name left.
 */
function enginesOf(object: Pod | Job, engines: Informer<ChaosEngine>['lister']): string[] {
  const uid = object.metadata.labels?.[LABEL_CHAOS_UID] ?? '';
  const byUid = engines.byIndex(BY_UID, uid).map(({ metadata }) => `${metadata.namespace}/${metadata.name}`);
  return [...new Set([...byUid, ...ownerKeys(object, CHAOS_ENGINES, false)])];
}

function countByStatus(engines: readonly ChaosEngine[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { status } of engines) {
    const word = status?.engineStatus ?? '';
    counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  return counts;
}

/** Sends the trace of each run that is over: that of the whole run, as engine and results have kept it. */
function sendsTraces(client: KubeClient, sender: TraceSender): (engine: ChaosEngine) => void {
  return (engine) =>
    sender.add(async () => {
      const { runSpans } = await import('../../chaos/spans/run-spans.ts');
      const { namespace = '', uid = '' } = engine.metadata;
      const labelSelector = `${LABEL_CHAOS_UID}=${uid}`;
      const { items } = await client.list<ChaosResult>(CHAOS_RESULTS, { namespace, labelSelector });
      return runSpans(engine, items, engine.status?.runId ?? '');
    });
}
