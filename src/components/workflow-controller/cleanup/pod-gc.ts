import type { LabelSelector, Pod } from '@turnsole/kube/kinds/core';
import { DurationError, parseDuration } from '@turnsole/kube/text/duration';
import { isObject } from '@turnsole/kube/text/json';
import { matchesSelector } from '@turnsole/kube/text/label-selector';
import { parseTime } from '@turnsole/kube/text/time';
import { isCompleted } from '@turnsole/workflows/kinds/completed';
import type { PodGc, Workflow } from '@turnsole/workflows/kinds/workflow';
import { ANNOTATION_POD_GC } from '@turnsole/workflows/pods/pod-metadata';
import { cleanupSpecOf } from './completed.ts';

/** `<strategy>/<delay>`, as the annotation of a pod has it. */
interface PodGcOrder {
  readonly strategy: string;
  readonly delayMs: number;
}

/** What a pod's annotation says of its end. Undefined where it says nothing, or nothing that can be read. Pure. */
export function podGcOrderOf({ metadata }: Pod): PodGcOrder | undefined {
  const [strategy = '', delay = ''] = (metadata.annotations?.[ANNOTATION_POD_GC] ?? '').split('/');
  if (strategy === '') return undefined;
  try {
    return { strategy, delayMs: delay === '' ? 0 : parseDuration(delay) };
  } catch (error) {
    if (error instanceof DurationError) return undefined;
    throw error;
  }
}

/** Whether the pods of a workflow wait for its end. Pure. */
export function waitsForWorkflow({ strategy = '' }: PodGc = {}): boolean {
  return strategy === 'OnWorkflowCompletion' || strategy === 'OnWorkflowSuccess';
}

/**
 * When a pod whose node is recorded is to be deleted, in milliseconds since 1970; undefined for not, or not yet known. Pure.
 *
 * @param now stands in for the end of a pod that does not say when it ended
 */
export function podGcTime(pod: Pod, workflow: Workflow, now: number): number | undefined {
  const order = podGcOrderOf(pod);
  if (order === undefined || !isSelected(cleanupSpecOf(workflow).podGC, pod)) return undefined;
  const endedAt = endOf(order.strategy, pod, workflow, now);
  return endedAt === undefined ? undefined : endedAt + order.delayMs;
}

/** The end that the strategy asks for; undefined where it has not come, or was not such an end. */
function endOf(strategy: string, pod: Pod, { metadata, status }: Workflow, now: number): number | undefined {
  const succeeded = strategy.endsWith('Success');
  switch (strategy) {
    case 'OnPodCompletion':
    case 'OnPodSuccess':
      return succeeded && pod.status?.phase !== 'Succeeded' ? undefined : (lastEndOf(pod) ?? now);
    case 'OnWorkflowCompletion':
    case 'OnWorkflowSuccess':
      if (!isCompleted({ metadata }) || (succeeded && status?.phase !== 'Succeeded')) return undefined;
      return parseTime(status?.finishedAt) ?? now;
    default:
      return undefined;
  }
}

function lastEndOf({ status }: Pod): number | undefined {
  const ends = (status?.containerStatuses ?? []).map(({ state }) => parseTime(state?.terminated?.finishedAt));
  const known = ends.filter((end) => end !== undefined);
  return known.length === 0 ? undefined : Math.max(...known);
}

/** Without a selector all pods are meant. */
function isSelected(gc: PodGc | undefined, { metadata }: Pod): boolean {
  const selector = gc?.labelSelector;
  return !isObject(selector) || matchesSelector(selector as LabelSelector, metadata.labels);
}
