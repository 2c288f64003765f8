/** Objects that a fault puts up beside the application: load generators, clients that bear witness, their services. */
import { createHash } from 'node:crypto';
import { createOnce } from '@turnsole/kube/apply/create-once';
import { createPod } from '@turnsole/kube/apply/create-pod';
import { isForbidden, isNotFound, unless } from '@turnsole/kube/client/errors';
import type { NewObject } from '@turnsole/kube/client/types';
import type { Container, KubeObject, OwnerReference, Pod } from '@turnsole/kube/kinds/core';
import { PODS, type Resource } from '@turnsole/kube/kinds/resources';
import { WaitTimeoutError, waitForObject } from '@turnsole/kube/runtime/wait';
import { LABEL_CHAOS_UID, LABEL_RUN_ID } from '../../api/index.ts';
import { podHasEnded } from '../../chaos/pod-end.ts';
import { podStartProblem, START_PATIENCE_MS } from '../../chaos/pod-start.ts';
import { describeError, StatusCheckError } from '../../experiment/injection/errors.ts';
import type { FaultContext } from '../../experiment/injection/fault.ts';
import type { CommonTunables } from '../../experiment/injection/settings/common-tunables.ts';
import type { Tunables } from '../../experiment/injection/tunables.ts';

/** The settings that identify a run. */
export type RunSettings = Tunables<CommonTunables>;

/** The settings of the run. Faults by the API always have them. */
export function runSettings({ tunables }: FaultContext): RunSettings {
  if (tunables === undefined) throw new TypeError('a companion needs the settings of its run');
  return tunables;
}

/** The run that an injection belongs to: ids begin with it. Pure. */
export function runOf({ id }: { readonly id: string }): string {
  return id.split('.')[0] ?? id;
}

/** Six characters that stand for a run in names of objects, as upstream's have. Pure. */
export function shortId(runId: string): string {
  return createHash('sha256').update(runId).digest('hex').slice(0, 6);
}

/** The experiment's own pod, as far as it can be read. */
export async function ownPod(context: FaultContext): Promise<Pod | undefined> {
  const { POD_NAME, CHAOS_NAMESPACE } = runSettings(context);
  if (POD_NAME === '') return undefined;
  return unless(
    isForbidden,
    context.client.find<Pod>(PODS, POD_NAME, {
      namespace: CHAOS_NAMESPACE,
      signal: context.signal,
    }),
  );
}

/** The parts of a companion's name. */
interface CompanionName {
  readonly name: string;
  readonly namespace: string;
  /** Run it belongs to. */
  readonly run: string;
  /** Value of its label `app`. */
  readonly app: string;
}

/**
 * Metadata of a companion. It carries the engine's label, so that an abort removes it and no fault chooses it as a target, and
 * belongs to the experiment's pod where that is in the same namespace: owners elsewhere do not count. Pure.
 */
export function companionMetadata(
  { name, namespace, run, app }: CompanionName,
  own: Pod | undefined,
  { CHAOS_UID }: Pick<RunSettings, 'CHAOS_UID'>,
): NewObject<KubeObject>['metadata'] {
  const owners = ownersIn(namespace, own);
  return {
    name,
    namespace,
    labels: {
      app,
      [LABEL_RUN_ID]: labelValue(run),
      ...(CHAOS_UID === '' ? {} : { [LABEL_CHAOS_UID]: CHAOS_UID }),
    },
    ...(owners.length === 0 ? {} : { ownerReferences: owners }),
  };
}

function ownersIn(namespace: string, own: Pod | undefined): OwnerReference[] {
  const { uid, name, namespace: home } = own?.metadata ?? {};
  if (uid === undefined || name === undefined || home !== namespace) return [];
  return [{ apiVersion: 'v1', kind: 'Pod', name, uid }];
}

/** As much of a text as a label's value may hold. */
function labelValue(text: string): string {
  return text.slice(0, 63).replace(/[^A-Za-z0-9]+$/, '');
}

/** The fields of the experiment's pod that companions take over with SET_HELPER_DATA, as helpers do. Pure. */
export function inherited(
  own: Pod | undefined,
  { SET_HELPER_DATA, EXPERIMENT_NAME }: Pick<RunSettings, 'SET_HELPER_DATA' | 'EXPERIMENT_NAME'>,
): {
  readonly annotations?: Readonly<Record<string, string>>;
  readonly spec: Pick<NonNullable<Pod['spec']>, 'imagePullSecrets' | 'tolerations' | 'nodeSelector'>;
  readonly resources: Pick<Container, 'resources'>;
} {
  if (own === undefined || !SET_HELPER_DATA) return { spec: {}, resources: {} };
  const { annotations } = own.metadata;
  const { imagePullSecrets, tolerations, nodeSelector, containers = [] } = own.spec ?? {};
  const resources = (containers.find(({ name }) => name === EXPERIMENT_NAME) ?? containers[0])?.resources;
  return {
    annotations,
    spec: { imagePullSecrets, tolerations, nodeSelector },
    resources: resources === undefined ? {} : { resources },
  };
}

/** Creates an object of a run, once: names follow from the run. */
export async function createCompanion<T extends KubeObject>(
  resource: Resource,
  object: NewObject<T>,
  { client, signal }: FaultContext,
): Promise<void> {
  const namespace = object.metadata.namespace ?? '';
  await createOnce((options) => client.create<T>(resource, object, options), { namespace, signal });
}

/** The same of a pod, which is restricted where Pod Security demands it. */
export async function createCompanionPod(
  pod: NewObject<Pod>,
  { client, signal }: FaultContext,
): Promise<void> {
  const namespace = pod.metadata.namespace ?? '';
  await createOnce((options) => createPod(client, pod, options), { namespace, signal });
}

/**
 * Resolves with a companion's pod when it is in the wanted state.
 *
 * @throws StatusCheckError when it is gone, or not in that state within STATUS_CHECK_TIMEOUT; the timeline reports at once what keeps
 *   it from starting, and that ends the wait when its usual patience is over
 */
export async function awaitPod(
  { name, namespace }: Pick<CompanionName, 'name' | 'namespace'>,
  isWanted: (pod: Pod) => boolean,
  context: FaultContext,
  timeoutMs: number = context.recoveryTimeoutMs,
): Promise<Pod> {
  const { client, clock, signal, note } = context;
  const startedMs = clock.monotonic();
  const patience = new AbortController();
  let seen: Pod | undefined;
  let said: string | undefined;
  let stopTimer: (() => void) | undefined;
  const look = (pod: Pod | undefined): boolean => {
    seen = pod;
    if (pod === undefined || isWanted(pod)) return true;
    const problem = podStartProblem(pod);
    if (problem !== undefined && said === undefined) {
      note('HelperWaits', `pod/${namespace}/${name}`, problem.message);
      stopTimer = clock.setTimer(START_PATIENCE_MS[problem.reason], () => patience.abort());
    }
    said = problem?.message;
    if (problem === undefined) stopTimer?.();
    return false;
  };
  try {
    await waitForObject<Pod>(client, PODS, name, look, {
      namespace,
      timeoutMs,
      clock,
      signal: AbortSignal.any([signal, patience.signal]),
    });
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof WaitTimeoutError) && !patience.signal.aborted) throw error;
    const why = said ?? `it is ${seen?.status?.phase ?? 'not there'}`;
    const seconds = Math.round((clock.monotonic() - startedMs) / 1000);
    throw new StatusCheckError(
      `pod ${namespace}/${name} did not reach the state that this fault needs within ${seconds} s: ${why}; ` +
        'look at the pod (kubectl describe pod), or raise STATUS_CHECK_TIMEOUT',
      { target: `{podName: ${name}, namespace: ${namespace}}` },
    );
  } finally {
    stopTimer?.();
  }
  if (seen === undefined) {
    throw new StatusCheckError(`pod ${namespace}/${name} was deleted while it was needed`, {
      target: `{podName: ${name}, namespace: ${namespace}}`,
    });
  }
  return seen;
}

/** Deletes an object; one that is gone is fine. */
export async function removeOnce(
  resource: Resource,
  name: string,
  namespace: string,
  { client, signal }: FaultContext,
): Promise<void> {
  await unless(isNotFound, client.delete(resource, name, { namespace, signal, repeatable: true }));
}

/** How long a pod that is deleted may take to end beyond its grace period. */
const END_LIMIT_MS = 20_000;

/** Deletes a pod and waits until its processes have ended. */
export async function removePod(name: string, namespace: string, context: FaultContext): Promise<void> {
  const { client, clock, signal } = context;
  await removeOnce(PODS, name, namespace, context);
  await waitForObject<Pod>(client, PODS, name, (pod) => pod === undefined || podHasEnded(pod), {
    namespace,
    clock,
    signal,
    timeoutMs: END_LIMIT_MS,
  });
}

const LAST_LINES = 5;

/** The end of a container's log as one line, for messages. */
export async function lastLines(
  name: string,
  namespace: string,
  container: string,
  { client, signal }: FaultContext,
): Promise<string> {
  try {
    const text = await client.log(name, { namespace, container, tailLines: LAST_LINES, signal });
    return text.trim().replaceAll(/\s*\n\s*/g, ' / ') || 'nothing';
  } catch (error) {
    signal.throwIfAborted();
    return `(it cannot be read: ${describeError(error)})`;
  }
}
