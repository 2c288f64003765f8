/** The controller runtime: following objects, working on them, leader election, Events. See ../README.md. */
export { type Clock, type Random, systemClock } from '../base/clock.ts';
export { createLogger, type LogFields, type Logger, silentLogger } from '../base/log.ts';
export {
  Controller,
  fromMapped,
  fromObjects,
  fromOwned,
  type Reconcile,
  type ReconcileRequest,
  type ReconcileResult,
  type Source,
} from './controller.ts';
export { EventRecorder } from './event-recorder.ts';
export { dropManagedFields, Informer, type InformerHandler } from './informer.ts';
export { controllerOf, ownerReference, refersTo } from './owner-references.ts';
export { compareResourceVersions, newerResourceVersion } from './resource-version.ts';
export { retryOnConflict } from './retry-on-conflict.ts';
export { type IndexFunction, indexByNamespace } from './store.ts';
export { WaitTimeoutError, waitForList, waitForObject } from './wait.ts';
