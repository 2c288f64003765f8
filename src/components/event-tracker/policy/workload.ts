import { findCondition } from '../../../api/conditions.ts';
import {
  ANNOTATION_EXPERIMENT_ID,
  ANNOTATION_TRACKED,
  type DaemonSet,
  type Deployment,
  type KubeObject,
  type StatefulSet,
} from '../../../api/index.ts';
import { messageOf } from '../../../text/error-message.ts';
import { type CompiledPolicy, digestOf } from './compile-policy.ts';

/** Kinds that are watched. */
export const WORKLOAD_KINDS = ['Deployment', 'StatefulSet', 'DaemonSet'] as const;
type WorkloadKind = (typeof WORKLOAD_KINDS)[number];

/** A workload as a policy sees it. */
export interface SeenWorkload {
  /** `Kind/namespace/name`. */
  readonly key: string;
  readonly kind: WorkloadKind;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly generation: number;
  readonly isRollingOut: boolean;
  readonly experimentID: string;
  /** Values of the conditions' keys, in their order; null for a missing value, undefined when the key could not be evaluated. */
  readonly values: readonly unknown[];
  /** Digests of the values. */
  readonly digests: readonly (string | undefined)[];
  /** Keys that could not be evaluated, with the reason. */
  readonly problems: readonly string[];
}

/** Whether a workload asks to be watched. */
export function isTracked({ metadata }: KubeObject): boolean {
  return metadata.annotations?.[ANNOTATION_TRACKED] === 'true';
}

/** Whether a change of this workload could start anything under a policy. */
export function canTrigger(object: KubeObject, { spec }: CompiledPolicy): boolean {
  return isTracked(object) && (spec.start !== undefined || experimentOf(object) !== '');
}

function experimentOf({ metadata }: KubeObject): string {
  return metadata.annotations?.[ANNOTATION_EXPERIMENT_ID]?.trim() ?? '';
}

/** Evaluates a policy's keys on a workload. Pure. */
export function seeWorkload(kind: WorkloadKind, object: KubeObject, policy: CompiledPolicy): SeenWorkload {
  const { namespace = '', name, uid = '', generation = 0 } = object.metadata;
  const whole = { ...object, kind, apiVersion: 'apps/v1' };
  const problems: string[] = [];
  const values = policy.keys.map((read, index) => {
    try {
      return read(whole);
    } catch (error) {
      problems.push(`spec.conditions[${index}].key: ${messageOf(error)}`);
      return undefined;
    }
  });
  return {
    key: `${kind}/${namespace}/${name}`,
    ...{ kind, namespace, name, uid, generation, values, problems },
    isRollingOut: isRollingOut(kind, object),
    experimentID: experimentOf(object),
    digests: values.map((value) => (value === undefined ? undefined : digestOf(value))),
  };
}

/** Whether a workload is on its way to what its spec says: a rollout, a change of scale, or pods that are not ready. Pure. */
export function isRollingOut(kind: WorkloadKind, object: KubeObject): boolean {
  switch (kind) {
    case 'Deployment':
      return isDeploymentRolling(object as Deployment);
    case 'StatefulSet':
      return isStatefulSetRolling(object as StatefulSet);
    case 'DaemonSet':
      return isDaemonSetRolling(object as DaemonSet);
  }
}

function isDeploymentRolling({ metadata, spec, status }: Deployment): boolean {
  if ((status?.observedGeneration ?? 0) < (metadata.generation ?? 0)) return true;
  // A rollout that was given up is over.
  if (findCondition(status?.conditions, 'Progressing')?.reason === 'ProgressDeadlineExceeded') return false;
  const wanted = spec?.replicas ?? 1;
  const { replicas = 0, updatedReplicas = 0, availableReplicas = 0 } = status ?? {};
  return updatedReplicas < wanted || replicas !== wanted || availableReplicas < wanted;
}

function isStatefulSetRolling({ metadata, spec, status }: StatefulSet): boolean {
  if ((status?.observedGeneration ?? 0) < (metadata.generation ?? 0)) return true;
  const wanted = spec?.replicas ?? 1;
  const {
    replicas = 0,
    readyReplicas = 0,
    updatedReplicas = 0,
    currentRevision,
    updateRevision,
  } = status ?? {};
  if (replicas !== wanted || readyReplicas < wanted) return true;
  const { type, rollingUpdate } = spec?.updateStrategy ?? {};
  if (type === 'OnDelete' || currentRevision === updateRevision) return false;
  return updatedReplicas < wanted - (rollingUpdate?.partition ?? 0);
}

function isDaemonSetRolling({ metadata, spec, status }: DaemonSet): boolean {
  if ((status?.observedGeneration ?? 0) < (metadata.generation ?? 0)) return true;
  const { desiredNumberScheduled = 0, updatedNumberScheduled = 0, numberReady = 0 } = status ?? {};
  if (numberReady < desiredNumberScheduled) return true;
  return spec?.updateStrategy?.type !== 'OnDelete' && updatedNumberScheduled < desiredNumberScheduled;
}
