import { findCondition } from '@turnsole/kube/kinds/conditions';
import type { Deployment, KubeObject } from '@turnsole/kube/kinds/core';
import { isObserved, isRollingOut } from '@turnsole/kube/kinds/rollout';
import { messageOf } from '@turnsole/kube/text/error-message';
import { ANNOTATION_EXPERIMENT_ID, ANNOTATION_TRACKED } from '../../../api/index.ts';
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
    isRollingOut: isRollingOut(kind, object) && !isGivenUp(kind, object),
    experimentID: experimentOf(object),
    digests: values.map((value) => (value === undefined ? undefined : digestOf(value))),
  };
}

/** Whether the rollout of a Deployment has exceeded its deadline: then nothing more is expected of it. Pure. */
function isGivenUp(kind: WorkloadKind, object: KubeObject): boolean {
  if (kind !== 'Deployment') return false;
  const deployment = object as Deployment;
  const progressing = findCondition(deployment.status?.conditions, 'Progressing');
  return isObserved(deployment) && progressing?.reason === 'ProgressDeadlineExceeded';
}
