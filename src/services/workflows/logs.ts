import { ApiError, isNotFound } from '@turnsole/kube/client/errors';
import type { KubeClient } from '@turnsole/kube/client/types';
import type { Pod } from '@turnsole/kube/kinds/core';
import { PODS } from '@turnsole/kube/kinds/resources';
import { waitForList } from '@turnsole/kube/runtime/wait';
import { parseTime } from '@turnsole/kube/text/time';
import { LABEL_WORKFLOW } from '../../workflows/kinds/labels.ts';
import type { Workflow } from '../../workflows/kinds/workflow.ts';
import { followWorkflow } from './follow.ts';

/** Which logs, and how much of them. */
interface WorkflowLogOptions {
  readonly client: KubeClient;
  /** Only this pod. */
  readonly pod?: string;
  /** @default `main`, or in pods that have none what their annotation names */
  readonly container?: string;
  /** Until the workflow has ended. */
  readonly follow: boolean;
  readonly timestamps: boolean;
  readonly tailLines?: number;
  readonly sinceTime?: string;
  readonly labelSelector?: string;
  readonly signal?: AbortSignal;
  readonly onLine: (pod: string, line: string) => void;
  /** Of a pod that has not printed anything yet, and why: it waits for its image or for a node. Logs that are followed wait as well. */
  readonly onWaiting?: (pod: string, reason: string) => void;
}

const LONGEST_MS = 7 * 24 * 3_600_000;
const DEFAULT_CONTAINER = 'kubectl.kubernetes.io/default-container';
/** The containers of Argo's own executor. */
const HELPERS = ['wait', 'init', 'supervisor'];

/** Passes on the output of a workflow's pods: of the present ones one after the other, or of all as it comes. */
export async function workflowLogs(workflow: Workflow, options: WorkflowLogOptions): Promise<void> {
  if (options.follow) {
    await followLogs(workflow, options);
    return;
  }
  const { items } = await options.client.list<Pod>(PODS, placeOf(workflow, options));
  for (const pod of items.filter((found) => isMeant(found, options)).toSorted(byStart)) {
    await readLog(pod, options);
  }
}

function placeOf({ metadata }: Workflow, { labelSelector, signal }: WorkflowLogOptions) {
  const own = `${LABEL_WORKFLOW}=${metadata.name}`;
  return {
    namespace: metadata.namespace ?? '',
    labelSelector: labelSelector === undefined ? own : `${own},${labelSelector}`,
    signal,
  };
}

function isMeant({ metadata }: Pod, { pod }: WorkflowLogOptions): boolean {
  return pod === undefined || metadata.name === pod;
}

function byStart(a: Pod, b: Pod): number {
  const startOf = ({ status, metadata }: Pod): number =>
    parseTime(status?.startTime ?? metadata.creationTimestamp) ?? 0;
  return startOf(a) - startOf(b) || (a.metadata.name < b.metadata.name ? -1 : 1);
}

async function followLogs(workflow: Workflow, options: WorkflowLogOptions): Promise<void> {
  const { client } = options;
  const ended = new AbortController();
  const signals = [ended.signal, ...(options.signal === undefined ? [] : [options.signal])];
  const followed = new Map<string, Promise<void>>();
  const take = (pods: readonly Pod[]): boolean => {
    for (const pod of pods) {
      const { uid = '' } = pod.metadata;
      if (!isMeant(pod, options) || !hasStarted(pod) || followed.has(uid)) continue;
      const reading = readLog(pod, options);
      // It is awaited below; until then a rejection must not count as unhandled.
      reading.catch(() => {});
      followed.set(uid, reading);
    }
    return false;
  };
  const place = placeOf(workflow, options);
  const watching = waitForList<Pod>(client, PODS, take, {
    ...place,
    timeoutMs: LONGEST_MS,
    signal: AbortSignal.any(signals),
  });
  try {
    await Promise.race([followWorkflow(workflow, options), watching]);
    // The last pod may not have reached the watch yet.
    take((await client.list<Pod>(PODS, place)).items);
  } finally {
    ended.abort();
    await Promise.allSettled([watching]);
  }
  await Promise.all(followed.values());
}

function hasStarted({ status }: Pod): boolean {
  const { phase = 'Pending', containerStatuses = [] } = status ?? {};
  return phase !== 'Pending' && containerStatuses.some(({ state }) => state?.waiting === undefined);
}

async function readLog(pod: Pod, options: WorkflowLogOptions): Promise<void> {
  const { name, namespace = '' } = pod.metadata;
  const { client, follow, timestamps, tailLines, sinceTime, signal, onLine, onWaiting } = options;
  try {
    const lines = client.logLines(name, {
      namespace,
      container: containerOf(pod, options.container),
      follow,
      timestamps,
      tailLines,
      sinceTime,
      signal,
    });
    for await (const line of lines) onLine(name, line);
  } catch (error) {
    const waiting = error instanceof ApiError && error.code === 400 ? waitingReason(pod) : undefined;
    if (waiting !== undefined) onWaiting?.(name, waiting);
    // Its pod GC was quicker.
    else if (!isNotFound(error)) throw error;
  }
}

/** Why a pod has not begun; undefined for one whose containers run or are over. Pure. */
export function waitingReason({ status }: Pick<Pod, 'status'>): string | undefined {
  const { conditions = [], initContainerStatuses = [], containerStatuses = [] } = status ?? {};
  const waiting = [...initContainerStatuses, ...containerStatuses].find(({ state }) => state?.waiting)?.state
    ?.waiting;
  const unscheduled = conditions.find(({ type, status: is }) => type === 'PodScheduled' && is === 'False');
  const known = waiting ?? unscheduled;
  if (known === undefined)
    return (status?.phase ?? 'Pending') === 'Pending' ? 'it has not been started' : undefined;
  const { reason = '', message = '' } = known;
  return [reason, message].filter((part) => part !== '').join(': ') || 'it has not been started';
}

/** The container whose log is wanted: the given one, else that of the step. Pure. */
function containerOf({ metadata, spec }: Pod, asked: string | undefined): string | undefined {
  const names = (spec?.containers ?? []).map(({ name }) => name);
  if (asked !== undefined) return asked;
  if (names.includes('main')) return 'main';
  const marked = metadata.annotations?.[DEFAULT_CONTAINER];
  return marked !== undefined && names.includes(marked)
    ? marked
    : names.find((name) => !HELPERS.includes(name));
}
