/** The controller runtime: following objects, working on them, leading, telling. See ../README.md. */
export { Backoff, type BackoffOptions, backoffDelayMs } from './backoff.ts';
export { type Clock, type Random, systemClock } from './clock.ts';
export {
  Controller,
  type ControllerMetrics,
  type ControllerOptions,
  fromLabel,
  fromMapped,
  fromObjects,
  fromOwned,
  ownerKeys,
  type Reconcile,
  type ReconcileRequest,
  type ReconcileResult,
  requestOf,
  type Source,
  TerminalError,
} from './controller.ts';
export { eventNames } from './event-names.ts';
export {
  EventRecorder,
  type EventRecorderOptions,
  type EventTarget,
  type EventText,
  referenceTo,
} from './event-recorder.ts';
export {
  addFinalizer,
  addFinalizerPatch,
  hasFinalizer,
  isBeingDeleted,
  removeFinalizer,
  removeFinalizerPatch,
} from './finalizers.ts';
export {
  type HealthCheck,
  type HealthPage,
  type HealthServer,
  type HealthServerOptions,
  startHealthServer,
} from './health.ts';
export {
  dropManagedFields,
  Informer,
  type InformerHandler,
  type InformerOptions,
  type InformerState,
} from './informer.ts';
export { LeaderElection, type LeaderElectionOptions, LeadershipLostError } from './leader-election.ts';
export {
  createLogger,
  LOG_LEVELS,
  type LogContext,
  type LogFields,
  type Logger,
  type LoggerOptions,
  type LogLevel,
  levelOf,
  silentLogger,
} from './log.ts';
// Types only: prom-client is loaded by whoever imports metrics.ts itself.
export type { CounterMetric, GaugeMetric, HistogramMetric, Metrics } from './metrics.ts';
export {
  AlreadyOwnedError,
  controllerOf,
  isOwnedBy,
  type Owner,
  ownerReference,
  withController,
} from './owner-references.ts';
export { compareResourceVersions, newerResourceVersion } from './resource-version.ts';
export { type RetryOptions, retryOnConflict } from './retry-on-conflict.ts';
export {
  type IndexFunction,
  indexByLabel,
  indexByNamespace,
  indexByOwnerUid,
  type Lister,
  Store,
} from './store.ts';
export {
  pollDelayMs,
  type WaitListOptions,
  type WaitOptions,
  WaitTimeoutError,
  waitForList,
  waitForObject,
} from './wait.ts';
export { type QueueMetrics, WorkQueue, type WorkQueueOptions } from './work-queue.ts';
