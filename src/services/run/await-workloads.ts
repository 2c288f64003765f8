import type { KubeClient } from '@turnsole/kube/client/types';
import { type KubeObject, objectKey, type Pod } from '@turnsole/kube/kinds/core';
import { PODS } from '@turnsole/kube/kinds/resources';
import { WaitTimeoutError, waitForList, waitForObject } from '@turnsole/kube/runtime/wait';
import { podStartProblem, START_PATIENCE_MS } from '../../chaos/pod-start.ts';
import { CommandError } from '../errors.ts';
import type { AppliedObject } from '../manifests/apply.ts';
import { readinessOf, WORKLOAD_KINDS } from './readiness.ts';
import { whyNotReady } from './why-not-ready.ts';

/** What waiting for workloads needs. */
interface AwaitWorkloadsOptions {
  readonly client: KubeClient;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** Causes that may go away by themselves (a registry's bad minute) are waited out; an embedded cluster has none. */
  readonly patient: boolean;
  /** Whether pods have networks of their own; undefined where that is not known. */
  readonly isIsolated?: boolean;
  /** Called when a workload has become ready. */
  readonly onReady: (workload: string, state: string) => void;
}

type Applied = Pick<AppliedObject, 'resource' | 'object'>;

/** A workload that is waited for. */
interface Awaited {
  readonly title: string;
  readonly applied: Applied;
  state: string;
  isReady: boolean;
}

/**
 * Waits until every applied workload is ready, side by side.
 *
 * @throws CommandError (could not run) as soon as a pod cannot start by itself, or when time is up.
 */
export async function awaitWorkloads(
  applied: readonly Applied[],
  options: AwaitWorkloadsOptions,
): Promise<void> {
  const workloads = applied
    .filter(({ resource }) => WORKLOAD_KINDS.includes(resource.kind))
    .map((one): Awaited => {
      const title = `${one.resource.kind} ${objectKey(one.object)}`;
      return { title, applied: one, state: 'not seen yet', isReady: false };
    });
  if (workloads.length === 0) return;
  const done = new AbortController();
  const signal = AbortSignal.any([options.signal, done.signal]);
  const namespaces = new Set(workloads.map(({ applied: { object } }) => object.metadata.namespace ?? ''));
  const hopeless = [...namespaces].map((namespace) => failOnHopelessPod(namespace, options, signal));
  const all = Promise.all(workloads.map((workload) => awaitWorkload(workload, options, signal)));
  try {
    await Promise.race([all, ...hopeless]);
  } catch (error) {
    if (!(error instanceof WaitTimeoutError)) throw error;
    if (workloads.some(({ isReady }) => !isReady)) throw await tooLate(workloads, options, error);
  } finally {
    done.abort();
    // The losers of the race end by the abort; their rejections are expected.
    await Promise.allSettled([all, ...hopeless]);
  }
}

/** All waits have the same limit: whichever ends first, every workload that is not ready is named, with what is known of its pods. */
async function tooLate(
  workloads: readonly Awaited[],
  options: AwaitWorkloadsOptions,
  cause: WaitTimeoutError,
): Promise<CommandError> {
  const late = workloads.filter(({ isReady }) => !isReady);
  const names = late.map(({ title, state }) => `${title} (${state})`);
  const why = await Promise.all(late.map(({ applied }) => whyNotReady(withKind(applied), options)));
  const message = `${names.join(', ')} did not become ready within ${options.timeoutMs / 1000} s`;
  return new CommandError([message, ...why.flat()].join('\n'), 'WORKLOAD_NOT_READY', { cause });
}

/** A stored object names its kind in lists only. */
function withKind({ resource, object }: Applied): KubeObject {
  return { ...object, kind: resource.kind };
}

async function awaitWorkload(
  workload: Awaited,
  { client, timeoutMs, onReady }: AwaitWorkloadsOptions,
  signal: AbortSignal,
): Promise<void> {
  const { resource, object } = workload.applied;
  const { name, namespace } = object.metadata;
  await waitForObject<KubeObject>(
    client,
    resource,
    name,
    (found) => {
      const readiness = found === undefined ? undefined : readinessOf({ ...found, kind: resource.kind });
      workload.state = readiness?.state ?? 'deleted';
      workload.isReady = readiness?.ready ?? false;
      return workload.isReady;
    },
    { namespace, timeoutMs, signal },
  );
  onReady(workload.title, workload.state);
}

/** Never resolves; rejects when a pod of the namespace is found that waiting does not help. */
async function failOnHopelessPod(
  namespace: string,
  options: AwaitWorkloadsOptions,
  signal: AbortSignal,
): Promise<never> {
  let reason: string | undefined;
  await waitForList<Pod>(
    options.client,
    PODS,
    (pods) => {
      reason = pods.map((pod) => hopelessReason(pod, options.patient)).find((found) => found !== undefined);
      return reason !== undefined;
    },
    { namespace, timeoutMs: options.timeoutMs, signal },
  );
  throw new CommandError(`a workload cannot start: ${reason}`, 'WORKLOAD_NOT_READY');
}

/** Why a pod will not start however long one waits; undefined while it may. Pure. */
export function hopelessReason(pod: Pod, patient: boolean): string | undefined {
  const problem = podStartProblem(pod);
  if (problem === undefined || (patient && START_PATIENCE_MS[problem.reason] > 0)) return undefined;
  return problem.message;
}
