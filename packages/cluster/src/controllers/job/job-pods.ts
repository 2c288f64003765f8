import type { Job, Pod } from '@turnsole/kube/kinds/core';
import { JOBS } from '@turnsole/kube/kinds/resources';
import { hasFinalizer } from '@turnsole/kube/runtime/finalizers';
import { parseTime } from '@turnsole/kube/text/time';
import { type GeneratedPod, podOf } from '../shared/pod-of.ts';

/** Finalizer that keeps a job's pod until its outcome is counted. */
export const TRACKING_FINALIZER = 'batch.kubernetes.io/job-tracking';
/** Annotation and label with the completion index of an indexed job's pod. */
export const COMPLETION_INDEX = 'batch.kubernetes.io/job-completion-index';

/** Whether the pod still waits to be counted. */
export function isTracked(pod: Pod): boolean {
  return hasFinalizer(pod, TRACKING_FINALIZER);
}

/** Whether each completion has a number of its own. */
export function isIndexed(job: Job): boolean {
  return job.spec?.completionMode === 'Indexed';
}

/** Whether the job shall have no pods for now. */
export function isSuspended(job: Job): boolean {
  return job.spec?.suspend === true;
}

/** Wanted number of successes; `undefined` when any success completes the job. */
export function wantedCompletions(job: Job): number | undefined {
  const { completions, parallelism } = job.spec ?? {};
  return completions ?? (parallelism === undefined ? 1 : undefined);
}

/** Index of the pod if it is one the job has; else `undefined`. */
export function completionIndex(job: Job, pod: Pod): number | undefined {
  const text = pod.metadata.annotations?.[COMPLETION_INDEX];
  if (text === undefined || !/^\d+$/.test(text)) return undefined;
  const index = Number(text);
  return index < (wantedCompletions(job) ?? 0) ? index : undefined;
}

/** Labels every pod of the job carries; the API server puts them into the template too. */
export function jobLabels(job: Job): Record<string, string> {
  const { uid = '', name } = job.metadata;
  return {
    'controller-uid': uid,
    'job-name': name,
    'batch.kubernetes.io/controller-uid': uid,
    'batch.kubernetes.io/job-name': name,
  };
}

/**
 * A pod for the job; `index` for indexed jobs.
 *
 * @param noted further annotations
 */
export function newJobPod(
  job: Job,
  index: number | undefined,
  noted: Readonly<Record<string, string>> = {},
): GeneratedPod {
  const { metadata, spec, ...pod } = podOf(JOBS, job);
  const isManual = job.spec?.manualSelector === true;
  const hostname = `${job.metadata.name}-${index}`;
  const indexed: Record<string, string> = index === undefined ? {} : { [COMPLETION_INDEX]: String(index) };
  return {
    ...pod,
    metadata: {
      ...metadata,
      generateName: index === undefined ? metadata.generateName : `${hostname}-`,
      labels: { ...metadata.labels, ...(isManual ? {} : jobLabels(job)), ...indexed },
      annotations: { ...metadata.annotations, ...indexed, ...noted },
      finalizers: [...new Set([...(metadata.finalizers ?? []), TRACKING_FINALIZER])],
    },
    spec: index === undefined ? spec : spec && withIndex(spec, hostname, String(index)),
  };
}

type PodSpec = NonNullable<Pod['spec']>;

function withIndex(spec: PodSpec, hostname: string, index: string): PodSpec {
  const variable = { name: 'JOB_COMPLETION_INDEX', value: index };
  const addVariable = (container: PodSpec['containers'][number]) =>
    container.env?.some(({ name }) => name === variable.name) === true
      ? container
      : { ...container, env: [...(container.env ?? []), variable] };
  return {
    ...spec,
    hostname,
    containers: spec.containers.map(addVariable),
    ...(spec.initContainers === undefined ? {} : { initContainers: spec.initContainers.map(addVariable) }),
  };
}

/** Whether the pod counts as failed: it did, or it is going without having succeeded and shall be replaced at once. */
export function isFailed(job: Job, pod: Pod): boolean {
  if (pod.status?.phase === 'Failed') return true;
  if (waitsForTermination(job)) return false;
  return pod.metadata.deletionTimestamp !== undefined && pod.status?.phase !== 'Succeeded';
}

/** Whether a replacement waits until the former pod has ended. */
export function waitsForTermination(job: Job): boolean {
  const { podReplacementPolicy, podFailurePolicy } = job.spec ?? {};
  return (
    podReplacementPolicy === 'Failed' ||
    (podReplacementPolicy === undefined && podFailurePolicy !== undefined)
  );
}

/**
 * When the pod ended: its last container, else since it is not ready, else when its deletion was asked for, else its
 * creation.
 */
export function finishedAtMs(pod: Pod): number {
  const ends = (pod.status?.containerStatuses ?? []).map((status) =>
    parseTime(status.state?.terminated?.finishedAt),
  );
  if (ends.length > 0 && ends.every((end) => end !== undefined))
    return Math.max(...ends.map((end) => end ?? 0));
  const ready = pod.status?.conditions?.find((condition) => condition.type === 'Ready');
  const notReadySince = ready?.status === 'False' ? parseTime(ready.lastTransitionTime) : undefined;
  if (notReadySince !== undefined) return notReadySince;
  const deadline = parseTime(pod.metadata.deletionTimestamp);
  if (deadline !== undefined) return deadline - (pod.metadata.deletionGracePeriodSeconds ?? 0) * 1000;
  return parseTime(pod.metadata.creationTimestamp) ?? 0;
}
