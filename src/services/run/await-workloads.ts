import { type KubeObject, objectKey, PODS, type Pod } from '../../api/index.ts';
import { podStartProblem, START_PATIENCE_MS } from '../../chaos/pod-start.ts';
import type { KubeClient } from '../../kube/client/types.ts';
import { waitForList, waitForObject } from '../../kube/runtime/wait.ts';
import { CommandError } from '../errors.ts';
import type { AppliedObject } from '../manifests/apply.ts';
import { readinessOf, WORKLOAD_KINDS } from './readiness.ts';

/** What waiting for workloads needs. */
interface AwaitWorkloadsOptions {
  readonly client: KubeClient;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** Causes that may go away by themselves (a registry's bad minute) are waited out; an embedded cluster has none. */
  readonly patient: boolean;
  /** Called when a workload has become ready. */
  readonly onReady: (workload: string, state: string) => void;
}

/**
 * Waits until every applied workload is ready, side by side.
 *
 * @throws CommandError (could not run) as soon as a pod cannot start by itself, or when time is up.
 */
export async function awaitWorkloads(
  applied: readonly AppliedObject[],
  options: AwaitWorkloadsOptions,
): Promise<void> {
  const workloads = applied.filter(({ resource }) => WORKLOAD_KINDS.includes(resource.kind));
  if (workloads.length === 0) return;
  const done = new AbortController();
  const signal = AbortSignal.any([options.signal, done.signal]);
  const namespaces = new Set(workloads.map(({ object }) => object.metadata.namespace ?? ''));
  const hopeless = [...namespaces].map((namespace) => failOnHopelessPod(namespace, options, signal));
  const all = Promise.all(workloads.map((workload) => awaitWorkload(workload, options, signal)));
  try {
    await Promise.race([all, ...hopeless]);
  } finally {
    done.abort();
    // The losers of the race end by the abort; their rejections are expected.
    await Promise.allSettled([all, ...hopeless]);
  }
}

async function awaitWorkload(
  { resource, object }: AppliedObject,
  options: AwaitWorkloadsOptions,
  signal: AbortSignal,
): Promise<void> {
  const { name, namespace } = object.metadata;
  const title = `${resource.kind} ${objectKey(object)}`;
  let state = 'not seen yet';
  try {
    await waitForObject<KubeObject>(
      options.client,
      resource,
      name,
      (found) => {
        const readiness = found === undefined ? undefined : readinessOf({ ...found, kind: resource.kind });
        state = readiness?.state ?? 'deleted';
        return readiness?.ready ?? false;
      },
      { namespace, timeoutMs: options.timeoutMs, signal },
    );
  } catch (error) {
    if (signal.aborted) throw error;
    const message = `${title} did not become ready within ${options.timeoutMs / 1000} s (${state}): ${(error as Error).message}`;
    throw new CommandError(message, 'WORKLOAD_NOT_READY', { cause: error });
  }
  options.onReady(title, state);
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
