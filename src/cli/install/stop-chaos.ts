import {
  CHAOS_ENGINES,
  CHAOS_SCHEDULES,
  type ChaosEngine,
  type ChaosSchedule,
  ENGINE_FINALIZER,
  JOBS,
  type KubeObject,
  LABEL_CHAOS_UID,
  objectKey,
  PODS,
  type Resource,
} from '../../api/index.ts';
import { isNotFound } from '../../kube/client/errors.ts';
import type { KubeClient, RequestOptions } from '../../kube/client/types.ts';
import { removeFinalizer } from '../../kube/runtime/finalizers.ts';
import { WaitTimeoutError, waitForList } from '../../kube/runtime/wait.ts';
import { isRunning } from './uninstall-plan.ts';

/** What {@link stopChaos} works with. */
export interface StopChaosInput {
  readonly client: KubeClient;
  /** Undefined means all namespaces. */
  readonly namespace: string | undefined;
  /** Leave engines and schedules there, stopped. */
  readonly keep: boolean;
  /** Whether there is an operator that stops and reverts. */
  readonly operatorIsReady: boolean;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  readonly say: (line: string) => void;
}

/**
 * Stops all chaos: schedules first, so that none starts another engine; then engines, and their operator reverts. Where that
 * does not end in time, or there is no operator, the finalizers are removed, and what that leaves is for the caller to say.
 *
 * @returns engines that were let go without their operator
 */
export async function stopChaos(input: StopChaosInput): Promise<string[]> {
  const { client, signal, keep } = input;
  const place = placeOf(input);
  const schedules = await listOrNone<ChaosSchedule>(client, CHAOS_SCHEDULES, place);
  for (const schedule of schedules) {
    if (keep) await halt(client, schedule, signal);
    else await deleteOne(client, CHAOS_SCHEDULES, schedule, signal);
  }
  const engines = await listOrNone<ChaosEngine>(client, CHAOS_ENGINES, place);
  for (const engine of engines) {
    if (!keep) await deleteOne(client, CHAOS_ENGINES, engine, signal);
    else if (isRunning(engine))
      await patchSpec(client, CHAOS_ENGINES, engine, { engineState: 'stop' }, signal);
  }
  if (engines.length > 0 && input.operatorIsReady) await awaitReverted(input);
  const left = await listOrNone<ChaosEngine>(client, CHAOS_ENGINES, place);
  for (const engine of left) {
    // Nobody would be there to remove it, and the engine could never be deleted.
    await removeFinalizer(client, CHAOS_ENGINES, engine, ENGINE_FINALIZER, { signal });
  }
  // Jobs that their engines retain are the user's where engines are kept.
  if (!keep || left.some(isRunning)) await removePods(input);
  return left.filter(isRunning).map(objectKey);
}

async function awaitReverted({
  client,
  keep,
  timeoutMs,
  signal,
  say,
  ...rest
}: StopChaosInput): Promise<void> {
  say('waiting until all chaos is reverted');
  const done = (engines: readonly ChaosEngine[]): boolean =>
    keep ? !engines.some(isRunning) : engines.length === 0;
  try {
    await waitForList<ChaosEngine>(client, CHAOS_ENGINES, done, {
      ...placeOf({ ...rest, signal }),
      timeoutMs,
    });
  } catch (error) {
    if (!(error instanceof WaitTimeoutError)) throw error;
    say(`not all of it within ${timeoutMs / 1000} s`);
  }
}

/** Removes Jobs and pods of engines that no owner takes along, and waits until the pods, which may still revert, are gone. */
async function removePods({ client, timeoutMs, signal, ...rest }: StopChaosInput): Promise<void> {
  const place = { ...placeOf({ ...rest, signal }), labelSelector: LABEL_CHAOS_UID };
  for (const resource of [JOBS, PODS]) {
    for (const object of await listOrNone<KubeObject>(client, resource, place)) {
      await deleteOne(client, resource, object, signal);
    }
  }
  await waitForList(client, PODS, (pods) => pods.length === 0, { ...place, timeoutMs });
}

function placeOf({ namespace, signal }: Pick<StopChaosInput, 'namespace' | 'signal'>): RequestOptions {
  return namespace === undefined ? { signal } : { namespace, signal };
}

/** The objects of a kind; none when the cluster does not have it. */
export async function listOrNone<T extends KubeObject>(
  client: KubeClient,
  resource: Resource,
  options: RequestOptions & { readonly labelSelector?: string },
): Promise<T[]> {
  try {
    return (await client.list<T>(resource, options)).items;
  } catch (error) {
    if (isNotFound(error)) return [];
    throw error;
  }
}

/** Deletes an object with all that it owns; nothing when it is gone. */
export async function deleteOne(
  client: KubeClient,
  resource: Resource,
  { metadata }: KubeObject,
  signal: AbortSignal,
): Promise<void> {
  const { name, namespace } = metadata;
  const place = namespace === undefined ? {} : { namespace };
  try {
    await client.delete(resource, name, { ...place, signal, propagationPolicy: 'Background' });
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}

function halt(client: KubeClient, schedule: ChaosSchedule, signal: AbortSignal): Promise<void> {
  const isOver = schedule.spec.scheduleState === 'complete' || schedule.spec.scheduleState === 'stop';
  return isOver
    ? Promise.resolve()
    : patchSpec(client, CHAOS_SCHEDULES, schedule, { scheduleState: 'halt' }, signal);
}

async function patchSpec(
  client: KubeClient,
  resource: Resource,
  { metadata }: KubeObject,
  spec: Readonly<Record<string, unknown>>,
  signal: AbortSignal,
): Promise<void> {
  const { name, namespace } = metadata;
  const place = namespace === undefined ? {} : { namespace };
  await client.patch(resource, name, 'merge', { spec }, { ...place, signal });
}
