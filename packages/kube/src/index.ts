/**
 * Kubernetes for TypeScript: one import for programs that do not count the milliseconds of their start. What must start fast imports the
 * files that it needs (`@turnsole/kube/client/client`). See the README.
 */
export { applyObject, outcomeOf } from './apply/apply-object.ts';
export { ApplyError, applyObjects } from './apply/apply-objects.ts';
export { findKind } from './apply/find-kind.ts';
export { ManifestError, parseManifest } from './apply/parse-manifest.ts';
export { parseManifests, type TypedObject } from './apply/parse-manifests.ts';
export { type Clock, type Random, systemClock } from './base/clock.ts';
export { createLogger, type Logger, silentLogger } from './base/log.ts';
export { type ClientOptions, createClient } from './client/client.ts';
export { type KubeconfigOptions, loadKubeconfig } from './client/config/kubeconfig.ts';
export { loadConfig } from './client/config/load-config.ts';
export {
  ApiError,
  ConnectionError,
  ExecError,
  isAlreadyExists,
  isConflict,
  isExpired,
  isForbidden,
  isGone,
  isNotFound,
} from './client/errors.ts';
export type * from './client/types.ts';
export { type Condition, findCondition, isConditionTrue, setConditionAt } from './kinds/conditions.ts';
export type * from './kinds/core.ts';
export { objectKey } from './kinds/core.ts';
export * from './kinds/resources.ts';
export {
  Controller,
  type ControllerOptions,
  fromMapped,
  fromObjects,
  fromOwned,
  type Reconcile,
  type ReconcileRequest,
  type ReconcileResult,
  type Source,
  TerminalError,
} from './runtime/controller.ts';
export { EventRecorder } from './runtime/event-recorder.ts';
export { hasFinalizer, isBeingDeleted, removeFinalizer, withFinalizer } from './runtime/finalizers.ts';
export { Informer, type InformerHandler, type InformerOptions } from './runtime/informer.ts';
export {
  LeaderElection,
  type LeaderElectionOptions,
  LeadershipLostError,
} from './runtime/leader-election.ts';
export { controllerOf, isOwnedBy, ownerReference } from './runtime/owner-references.ts';
export { retryOnConflict } from './runtime/retry-on-conflict.ts';
export {
  type IndexFunction,
  indexByLabel,
  indexByNamespace,
  indexByOwnerUid,
  type Lister,
} from './runtime/store.ts';
export { WaitTimeoutError, waitForList, waitForObject } from './runtime/wait.ts';
export { WorkQueue } from './runtime/work-queue.ts';
export { applyDefaults } from './schema/defaults.ts';
export {
  type CustomResourceDefinition,
  customResourceDefinition,
  type PrinterColumn,
} from './schema/definition.ts';
export { type FieldError, formatFieldError } from './schema/field-error.ts';
export { prune } from './schema/prune.ts';
export type { StructuralSchema } from './schema/schema.ts';
export { validate } from './schema/structural.ts';
export { findUnknownFields } from './schema/unknown-fields.ts';
