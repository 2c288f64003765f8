import { ApiError, isNotFound } from '@turnsole/kube/client/errors';
import type { KubeClient } from '@turnsole/kube/client/types';
import type { Pod } from '@turnsole/kube/kinds/core';
import { PODS } from '@turnsole/kube/kinds/resources';
import { waitForList } from '@turnsole/kube/runtime/wait';
import { parseTime } from '@turnsole/kube/text/time';

/** How much of the logs of pods, and where the lines go. */
export interface LogOptions {
  readonly client: KubeClient;
  readonly timestamps: boolean;
  readonly tailLines?: number;
  readonly sinceTime?: string;
  readonly signal?: AbortSignal;
  readonly onLine: (pod: string, line: string) => void;
  /** Of a pod that has not printed anything yet, and why: it waits for its image or for a node. Logs that are followed wait as well. */
  readonly onWaiting?: (pod: string, reason: string) => void;
}

/** Which pods, and which container of each. */
export interface LogPods {
  readonly namespace: string;
  readonly labelSelector: string;
  readonly isMeant: (pod: Pod) => boolean;
  readonly containerOf: (pod: Pod) => string | undefined;
}

const LONGEST_MS = 7 * 24 * 3_600_000;

/**
 * Passes on the output of the present pods, one after the other in the order of their starts.
 *
 * @returns how many pods there were
 * @throws ApiError when pods may not be listed or a log may not be read · the signal's reason
 */
export async function presentLogs(pods: LogPods, options: LogOptions): Promise<number> {
  const { items } = await options.client.list<Pod>(PODS, placeOf(pods, options));
  const meant = items.filter(pods.isMeant).toSorted(byStart);
  for (const pod of meant) await readLog(pod, false, pods, options);
  return meant.length;
}

/**
 * Passes on the output of all pods as it comes, those that are yet to come too.
 *
 * @param end resolves when no further pod is to be expected; it is given a signal that ends it
 * @returns how many pods there were
 * @throws as {@link presentLogs}, and what `end` throws
 */
export async function followedLogs(
  pods: LogPods,
  end: () => Promise<unknown>,
  options: LogOptions,
): Promise<number> {
  const { client } = options;
  const ended = new AbortController();
  const signals = [ended.signal, ...(options.signal === undefined ? [] : [options.signal])];
  const followed = new Map<string, Promise<void>>();
  const take = (found: readonly Pod[]): boolean => {
    for (const pod of found) {
      const { uid = '' } = pod.metadata;
      if (!pods.isMeant(pod) || !hasStarted(pod) || followed.has(uid)) continue;
      const reading = readLog(pod, true, pods, options);
      // It is awaited below; until then a rejection must not count as unhandled.
      reading.catch(() => {});
      followed.set(uid, reading);
    }
    return false;
  };
  const place = placeOf(pods, options);
  const watching = waitForList<Pod>(client, PODS, take, {
    ...place,
    timeoutMs: LONGEST_MS,
    signal: AbortSignal.any(signals),
  });
  try {
    await Promise.race([end(), watching]);
    // The last pod may not have reached the watch yet.
    take((await client.list<Pod>(PODS, place)).items);
  } finally {
    ended.abort();
    await Promise.allSettled([watching]);
  }
  await Promise.all(followed.values());
  return followed.size;
}

function placeOf({ namespace, labelSelector }: LogPods, { signal }: LogOptions) {
  return { namespace, labelSelector, signal };
}

function byStart(a: Pod, b: Pod): number {
  const startOf = ({ status, metadata }: Pod): number =>
    parseTime(status?.startTime ?? metadata.creationTimestamp) ?? 0;
  return startOf(a) - startOf(b) || (a.metadata.name < b.metadata.name ? -1 : 1);
}

function hasStarted({ status }: Pod): boolean {
  const { phase = 'Pending', containerStatuses = [] } = status ?? {};
  return phase !== 'Pending' && containerStatuses.some(({ state }) => state?.waiting === undefined);
}

async function readLog(pod: Pod, follow: boolean, pods: LogPods, options: LogOptions): Promise<void> {
  const { name, namespace = '' } = pod.metadata;
  const { client, timestamps, tailLines, sinceTime, signal, onLine, onWaiting } = options;
  try {
    const lines = client.logLines(name, {
      namespace,
      container: pods.containerOf(pod),
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
    // It was removed meanwhile.
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
