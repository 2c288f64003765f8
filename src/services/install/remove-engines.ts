import type { RequestOptions } from '@turnsole/kube/client/types';
import { type KubeObject, objectKey } from '@turnsole/kube/kinds/core';
import { JOBS, PODS } from '@turnsole/kube/kinds/resources';
import { hasFinalizer, removeFinalizer } from '@turnsole/kube/runtime/finalizers';
import { WaitTimeoutError, waitForList } from '@turnsole/kube/runtime/wait';
import {
  CHAOS_ENGINES,
  CHAOS_SCHEDULES,
  type ChaosEngine,
  type ChaosSchedule,
  ENGINE_FINALIZER,
  LABEL_CHAOS_UID,
} from '../../api/index.ts';
import { endPods } from '../end-pods.ts';
import type { StopChaosOptions } from '../halt/stop-chaos.ts';
import { stopChaos } from '../halt/stop-chaos.ts';
import { deleteOne, listOrNone, patchSpec } from '../objects.ts';
import { isRunning } from './uninstall-plan.ts';

/** What {@link removeEngines} works with. */
interface RemoveEnginesInput
  extends Pick<StopChaosOptions, 'client' | 'clock' | 'timeoutMs' | 'patienceMs' | 'signal' | 'say'> {
  /** Undefined means all namespaces. */
  readonly namespace: string | undefined;
  /** Leave engines and schedules there, stopped. */
  readonly keep: boolean;
  /** Whether an operator runs that closes engines. */
  readonly operatorIsReady: boolean;
}

/**
 * Ends all that engines and schedules do: schedules first, so that none starts another engine; then every run is stopped and
 * reverted, as by `turnsole halt`; then engines go, unless they are kept. Finalizers that no component would remove are removed, and what
 * that leaves is for the caller to say.
 *
 * @returns engines that were let go without their operator
 */
export async function removeEngines(input: RemoveEnginesInput): Promise<string[]> {
  const { client, clock, keep, operatorIsReady, namespace: scope, timeoutMs, signal, say } = input;
  const endsMs = clock.monotonic() + timeoutMs;
  const place = placeOf(input);
  for (const schedule of await listOrNone<ChaosSchedule>(client, CHAOS_SCHEDULES, place)) {
    if (!keep) await deleteOne(client, CHAOS_SCHEDULES, schedule, signal);
    else if (!isOver(schedule))
      await patchSpec(client, CHAOS_SCHEDULES, schedule, { scheduleState: 'halt' }, signal);
  }
  // Also engines that have not begun: nothing may begin any more.
  for (const engine of (await listOrNone<ChaosEngine>(client, CHAOS_ENGINES, place)).filter(isRunning)) {
    await patchSpec(client, CHAOS_ENGINES, engine, { engineState: 'stop' }, signal);
  }
  const inForce = await stopChaos({ ...input, scope });
  for (const one of inForce) say(`not reverted in time: ${one}`);
  if (!keep) {
    for (const engine of await listOrNone<ChaosEngine>(client, CHAOS_ENGINES, place))
      await deleteOne(client, CHAOS_ENGINES, engine, signal);
  }
  if (operatorIsReady) await awaitReleased(input, Math.max(endsMs - clock.monotonic(), 1));
  const left = await listOrNone<ChaosEngine>(client, CHAOS_ENGINES, place);
  for (const engine of left) {
    // No component would be there to remove it, and the engine could never be deleted.
    await removeFinalizer(client, CHAOS_ENGINES, engine, ENGINE_FINALIZER, { signal });
  }
  // Jobs that their engines retain are the user's where engines are kept.
  if (!keep || left.some(isRunning)) await removePods(input);
  return left.filter(isRunning).map(objectKey);
}

function isOver({ spec }: ChaosSchedule): boolean {
  return spec.scheduleState === 'complete' || spec.scheduleState === 'stop';
}

/** Waits for the operator: until no engine is there, or where they are kept, until the pods of those that were stopped are gone. */
async function awaitReleased(
  { client, say, keep, ...rest }: RemoveEnginesInput,
  timeoutMs: number,
): Promise<void> {
  const isHeld = (engine: ChaosEngine): boolean =>
    !keep || (engine.status?.engineStatus === 'stopped' && hasFinalizer(engine, ENGINE_FINALIZER));
  try {
    const isNone = (engines: readonly ChaosEngine[]): boolean => !engines.some(isHeld);
    const limits = { ...placeOf(rest), timeoutMs };
    if (isNone(await listOrNone(client, CHAOS_ENGINES, placeOf(rest)))) return;
    await waitForList<ChaosEngine>(client, CHAOS_ENGINES, isNone, limits);
  } catch (error) {
    if (!(error instanceof WaitTimeoutError)) throw error;
    say('the operator has not let all engines go in time');
  }
}

/** Removes Jobs and pods of engines that no owner takes along; the pods, which may still revert, have ended then. */
async function removePods({ client, timeoutMs, signal, ...rest }: RemoveEnginesInput): Promise<void> {
  const place = { ...placeOf({ ...rest, signal }), labelSelector: LABEL_CHAOS_UID };
  for (const resource of [JOBS, PODS]) {
    for (const object of await listOrNone<KubeObject>(client, resource, place)) {
      await deleteOne(client, resource, object, signal);
    }
  }
  await endPods(client, { ...place, timeoutMs });
}

function placeOf({ namespace, signal }: Pick<RemoveEnginesInput, 'namespace' | 'signal'>): RequestOptions {
  return namespace === undefined ? { signal } : { namespace, signal };
}
