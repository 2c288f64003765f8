/**
 * What Kubernetes 1.36, whose behaviour the embedded cluster has, adds to or words differently than the recorded 1.20.
 * Each rule takes out one field or brings one text to its earlier form; whole objects are never hidden.
 */

import type { KubeObject } from '@turnsole/kube/kinds/core';

type Record_ = Readonly<Record<string, unknown>>;

/** Whether a field is one that 1.20 does not have. `path` is the way to it, `/`-separated, lists without positions. */
export function isLaterField(path: string, value: unknown, parent: Record_): boolean {
  return LATER_FIELDS.some(([pattern, test]) => pattern.test(path) && test(value, parent));
}

/** Reasons of pods that kubelet did not take. */
const REFUSED = /^(?:OutOf\w+|NodeAffinity|NodePorts|TaintToleration)$/;

const always = (): boolean => true;

const LATER_FIELDS: readonly (readonly [RegExp, (value: unknown, parent: Record_) => boolean])[] = [
  [/^Pod\/status\/hostIPs$/, always], // 1.29
  [/^Pod\/status\/initContainerStatuses\/started$/, always], // 1.28, with sidecars
  [/^Pod\/status\/(?:init)?[cC]ontainerStatuses\/(?:volumeMounts|resources|allocatedResources)$/, always], // 1.32
  [/^Pod\/(?:metadata\/generation|status\/(?:conditions\/)?observedGeneration)$/, always], // 1.33, 1.34
  [/^Pod\/status\/qosClass$/, (_value, { reason }) => REFUSED.test(String(reason))], // kept by kubelet since 1.26
  [/^Job\/status\/(?:ready|terminating|uncountedTerminatedPods)$/, always], // 1.23, 1.28
  [
    /^Job\/status\/failed$/,
    (_value, { conditions }) => JSON.stringify(conditions)?.includes('"DeadlineExceeded"'),
  ], // 1.23: pods stopped at the deadline count
  [/\/spec\/(?:completionMode|podReplacementPolicy|manualSelector)$/, always], // 1.22, 1.29, 1.27
  [/Job\/spec(?:\/jobTemplate\/spec)?\/suspend$/, (value, parent) => value === false && 'template' in parent], // 1.22
  [/^(?:Cron)?Job\/metadata\/generation$/, always], // 1.22
  [/^Job\/spec\/selector\/matchLabels\/controller-uid$/, always], // batch.kubernetes.io/controller-uid since 1.27
  [/^Job\/status\/conditions\/(?:reason|message)$/, (_value, parent) => parent.type === 'Complete'], // 1.31
  [/^CronJob\/status\/lastSuccessfulTime$/, always], // 1.22
  [/\/labels\/(?:batch\.kubernetes\.io\/.*|apps\.kubernetes\.io\/pod-index)$/, always], // 1.27, 1.28
  [/\/matchLabels\/batch\.kubernetes\.io\/.*$/, always], // 1.27
  [/\/annotations\/batch\.kubernetes\.io\/.*$/, always], // 1.24, 1.32
  [
    /^Pod\/metadata\/finalizers$/,
    (value) => JSON.stringify(value) === '["batch.kubernetes.io/job-tracking"]',
  ], // 1.26
  [/^StatefulSet\/spec\/persistentVolumeClaimRetentionPolicy$/, always], // 1.27
  [
    /^(?:StatefulSet|ReplicaSet|Deployment)\/status\/(?:availableReplicas|terminatingReplicas)$/,
    (value) => value === 0,
  ], // 1.22
  [/^StatefulSet\/status\/availableReplicas$/, always], // 1.22
  [/^DaemonSet\/spec\/updateStrategy\/rollingUpdate\/maxSurge$/, always], // 1.22
  [/^Service\/spec\/(?:ipFamilies|ipFamilyPolicy|internalTrafficPolicy|clusterIPs)$/, always], // 1.20 to 1.23
  [/^PodDisruptionBudget\/status\/(?:conditions|observedGeneration)$/, (value) => Array.isArray(value)], // 1.23
  [/^Endpoints\/metadata\/labels\/endpoints\.kubernetes\.io\/managed-by$/, always], // 1.33
  [/^Namespace\/metadata\/labels$/, always], // 1.21
  [/^EndpointSlice\/endpoints\/conditions\/(?:serving|terminating)$/, always], // 1.22
  [/^EndpointSlice\/endpoints\/(?:nodeName|topology|zone)$/, always], // v1 has nodeName, v1beta1 a topology
];

/** Conditions that 1.20 does not have. */
const LATER_CONDITIONS: Readonly<Record<string, readonly string[]>> = {
  Pod: ['PodReadyToStartContainers', 'DisruptionTarget'], // 1.29, 1.26
  Job: ['SuccessCriteriaMet', 'FailureTarget'], // 1.31
};

/** Reasons of conditions of a pod that has ended; which one depends on the version. */
const ENDED_REASONS: ReadonlySet<string> = new Set(['PodFailed', 'PodCompleted', 'ContainersNotReady']);

type SomeStatus = Record_ & { readonly phase?: string; readonly conditions?: readonly Record_[] };

/** An object with the conditions that 1.20 gives it. */
export function withEarlierConditions(kind: string, object: KubeObject): KubeObject {
  // Nothing is known of the object's kind; these fields are looked at only where they are.
  const { status } = object as { status?: SomeStatus };
  const { phase, conditions } = status ?? {};
  // What kubelet ended itself showed little but that before 1.22, and what of the rest was a matter of luck.
  if (kind === 'Pod' && phase === 'Failed' && status?.reason === 'DeadlineExceeded') {
    const {
      conditions: _none,
      containerStatuses: _last,
      hostIP: _host,
      podIP: _pod,
      podIPs: _pods,
      ...rest
    } = status;
    return Object.assign({ ...object }, { status: rest });
  }
  if (conditions === undefined) return object;
  const known = conditions.filter(({ type }) => LATER_CONDITIONS[kind]?.includes(String(type)) !== true);
  const isDeletedPod = kind === 'Pod' && object.metadata.deletionTimestamp !== undefined;
  const isFailedPod = kind === 'Pod' && (phase === 'Failed' || isDeletedPod);
  // A failed pod is not ready because of PodFailed since 1.25, before that because its containers are not.
  const worded = known.map(({ message, reason, ...rest }) =>
    isFailedPod && ENDED_REASONS.has(String(reason)) ? rest : { ...rest, message, reason },
  );
  // A deleted pod ends in a last phase since 1.27, before that it ran until it was gone.
  const last = isDeletedPod && phase !== 'Pending' ? { phase: 'Running' } : {};
  return Object.assign({ ...object }, { status: { ...status, ...last, conditions: worded } });
}

/** A text in the words of 1.20. */
export function inEarlierWords(text: string): string {
  return LATER_TEXTS.reduce((earlier, [pattern, words]) => earlier.replace(pattern, words), text);
}

const LATER_TEXTS: readonly (readonly [RegExp, string])[] = [
  [/^(Scaled (?:up|down) replica set \S+) from \d+ (to \d+)$/, '$1 $2'], // 1.24, 1.27
  [/^Created container: /, 'Created container '], // 1.32
  [/^(Back-off restarting failed container) \S+ in pod \S+$/, '$1'], // 1.26
  [/^(?:Exec|Http) lifecycle hook \(.*\) for Container .* failed - error: .*$/s, 'the hook failed'], // before 1.25
  [/^(?:PostStart|PreStop)Hook failed$/, 'the hook failed'],
  [/^(Saw completed job: \S+), condition: /, '$1, status: '], // 1.31
  [/^Pod was rejected: /, 'Pod '], // 1.28
  [/(?: no new claims to deallocate,)? preemption: .*$/, ''], // 1.35, 1.22
  [/^Create (?=\w+ \S+ .*StatefulSet )/, 'create '], // 1.33
  [/^Delete (?=\w+ \S+ .*StatefulSet )/, 'delete '], // 1.33
  [/(must specify \S+) for: \S+; (\S+) for: \S+$/, '$1,$2'], // 1.24
  [/(didn't match Pod's node affinity)\/selector/g, '$1'], // 1.22
];
