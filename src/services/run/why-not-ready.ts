import { ApiError } from '@turnsole/kube/client/errors';
import type { KubeClient } from '@turnsole/kube/client/types';
import type { CoreEvent, Deployment, KubeObject, Pod } from '@turnsole/kube/kinds/core';
import { EVENTS, PODS, type Resource } from '@turnsole/kube/kinds/resources';
import { matchesSelector } from '@turnsole/kube/text/label-selector';
import { describePod, type PodFacts, warningsAbout } from './describe-pod.ts';

/** Pods of one workload that are described; the others mostly have the same reason. */
const SHOWN_PODS = 3;
/** Lines of a log that are shown. */
const LOG_LINES = 8;

/** Where and how to look. */
interface LookOptions {
  readonly client: KubeClient;
  readonly signal: AbortSignal;
  /** Whether pods have networks of their own; undefined where that is not known. */
  readonly isIsolated?: boolean;
}

/**
 * Why a workload is not ready: for each of its pods that is not, the states of its containers, its last Warnings, the end of its log, and what
 * to do. What may not be read is left out; never rejects for that.
 */
export async function whyNotReady(workload: KubeObject, options: LookOptions): Promise<string[]> {
  const { namespace = '' } = workload.metadata;
  const [pods, events] = await Promise.all([
    list<Pod>(options, PODS, namespace),
    list<CoreEvent>(options, EVENTS, namespace),
  ]);
  const own = pods.filter((pod) => isPodOf(pod, workload)).filter((pod) => !isReady(pod));
  if (own.length === 0) return warningsAbout(workload, events).map((line) => `  ${line}`);
  const lines = await Promise.all(
    own.slice(0, SHOWN_PODS).map(async (pod) => describePod(await factsOf(pod, events, options))),
  );
  const more = own.length > SHOWN_PODS ? [`  and ${own.length - SHOWN_PODS} more of its pods`] : [];
  return [...lines.flat(), ...more];
}

async function list<T extends KubeObject>(
  { client, signal }: LookOptions,
  resource: Resource,
  namespace: string,
): Promise<readonly T[]> {
  try {
    return (await client.list<T>(resource, { namespace, signal })).items;
  } catch (error) {
    if (error instanceof ApiError) return [];
    throw error;
  }
}

function isPodOf(pod: Pod, workload: KubeObject): boolean {
  if (workload.kind === 'Pod') return pod.metadata.name === workload.metadata.name;
  // Workloads of all kinds select their pods so.
  const { selector } = (workload as Partial<Deployment>).spec ?? {};
  return matchesSelector(selector, pod.metadata.labels ?? {});
}

function isReady({ status }: Pod): boolean {
  return status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True') === true;
}

async function factsOf(pod: Pod, events: readonly CoreEvent[], options: LookOptions): Promise<PodFacts> {
  const statuses = [...(pod.status?.initContainerStatuses ?? []), ...(pod.status?.containerStatuses ?? [])];
  const bad = statuses.filter(({ ready, state }) => !ready && state?.terminated?.exitCode !== 0);
  const logs = await Promise.all(
    bad.map(async ({ name, restartCount, state }) => {
      // A container that waits to be started again has said why in its last run.
      const previous = restartCount > 0 && state?.running === undefined;
      return [name, await lastLines(pod, name, previous, options)] as const;
    }),
  );
  const { isIsolated } = options;
  return { pod, events, logs: new Map(logs), ...(isIsolated !== undefined && { isIsolated }) };
}

async function lastLines(
  { metadata }: Pod,
  container: string,
  previous: boolean,
  { client, signal }: LookOptions,
): Promise<readonly string[]> {
  const lines: string[] = [];
  try {
    const { name, namespace = '' } = metadata;
    const wanted = { namespace, container, tailLines: LOG_LINES, previous, signal };
    for await (const line of client.logLines(name, wanted)) lines.push(line);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
  }
  return lines.slice(-LOG_LINES);
}
