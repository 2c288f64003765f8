import type { Container, ContainerStatus, Pod, PodStatus } from '@turnsole/kube/kinds/core';
import { metaTime } from '@turnsole/kube/text/time';
import { shownResources } from './allocation.ts';
import { type PodCondition, podConditions } from './conditions.ts';
import { restartAtMs } from './crash-backoff.ts';
import { ERR_IMAGE_PULL_SHOWN_MS } from './decide.ts';
import {
  hasInitialized,
  isInitialized,
  isOfInit,
  isStartedAgain,
  type ObservedContainer,
  type ObservedPod,
  outcomeOf,
  type Termination,
} from './observed.ts';

/** Scheme of container ids in the status. */
export const CONTAINER_ID_SCHEME = 'turnsole://';

type ContainerStateStatus = NonNullable<ContainerStatus['state']>;

/**
 * The pod's status as kubelet would write it; pure. `present` are the conditions the object has: ours keep the
 * time of their last transition, and those named by readiness gates are looked up there.
 */
export function podStatus(
  pod: ObservedPod,
  hostIP: string,
  present: readonly PodCondition[],
): PodStatus & { conditions: PodCondition[] } {
  const phase = phaseOf(pod);
  const of = (container: ObservedContainer): ContainerStatus => containerStatus(pod, container);
  const init = pod.containers.filter((container) => isOfInit(container.role)).map(of);
  const ephemeral = pod.containers.filter((container) => container.role === 'ephemeral').map(of);
  // By name, as kubelet has them; init containers stay in their order.
  const apps = pod.containers
    .filter((container) => container.role === 'app')
    .map(of)
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  const ip = 'ip' in pod.sandbox ? pod.sandbox.ip : undefined;
  return {
    ...(pod.generation === undefined ? {} : { observedGeneration: pod.generation }),
    phase,
    ...(pod.failure !== undefined &&
      phase === 'Failed' && { reason: pod.failure.reason, message: pod.failure.message }),
    conditions: [...podConditions({ pod, phase, init, apps, present }), ...(pod.resizing ?? [])],
    hostIP,
    hostIPs: [{ ip: hostIP }],
    ...(ip === undefined ? {} : { podIP: ip, podIPs: [{ ip }] }),
    startTime: metaTime(pod.startedAtMs),
    ...(init.length === 0 ? {} : { initContainerStatuses: init }),
    containerStatuses: apps,
    ...(ephemeral.length === 0 ? {} : { ephemeralContainerStatuses: ephemeral }),
  };
}

/** `status.phase` (kubelet's getPhase); pure. */
function phaseOf(pod: ObservedPod): string {
  // Containers of a pod whose time is up are stopped first: only when all have ended is it said that the pod has failed.
  const isFailing = pod.failure !== undefined && pod.containers.some(isUp);
  if (pod.failure !== undefined && !isFailing) return 'Failed';
  const outcome = isFailing ? undefined : outcomeOf(pod);
  const live = pod.containers.some(
    (container) => container.state.phase === 'running' && container.role !== 'init',
  );
  // Sidecars still have to be stopped: the pod counts as running until then.
  if (outcome !== undefined) return live ? 'Running' : outcome;
  const apps = pod.containers.filter((container) => container.role === 'app');
  const ended = apps.filter((app) => app.state.phase === 'exited').length;
  if (pod.deletion !== undefined && ended > 0 && !pod.containers.some(isUp)) {
    const succeeded = apps.every(({ state }) => state.phase === 'exited' && state.termination.exitCode === 0);
    return succeeded ? 'Succeeded' : 'Failed';
  }
  if (!hasInitialized(pod)) return 'Pending';
  return apps.every((app) => hasRun(app)) ? 'Running' : 'Pending';
}

function isUp(container: ObservedContainer): boolean {
  return container.state.phase === 'running' || container.state.phase === 'starting';
}

function hasRun({ state, last }: ObservedContainer): boolean {
  return (
    state.phase === 'running' ||
    state.phase === 'exited' ||
    last !== undefined ||
    (state.phase === 'starting' && state.previous !== undefined)
  );
}

function containerStatus(pod: ObservedPod, container: ObservedContainer): ContainerStatus {
  const { spec, state, restarts, imageID } = container;
  const shown = shownState(pod, container);
  const id = shown.id === undefined ? {} : { containerID: `${CONTAINER_ID_SCHEME}${shown.id}` };
  const started = state.phase === 'running' && state.started;
  return {
    name: spec.name,
    state: shown.state,
    lastState: shown.last === undefined ? {} : { terminated: terminated(shown.last) },
    ready: isReady(container),
    restartCount: restarts,
    image: spec.image ?? '',
    imageID: imageID ?? '',
    ...id,
    started,
    ...mountsShown(spec),
    ...((shown.id ?? shown.last) === undefined ? {} : shownResources(container)),
  };
}

/** The mounts of a container, of which none is read-only for what is mounted below it. */
function mountsShown({ volumeMounts = [] }: Container): Pick<ContainerStatus, 'volumeMounts'> {
  if (volumeMounts.length === 0) return {};
  return {
    volumeMounts: volumeMounts.map(({ name, mountPath, readOnly }) => ({
      name,
      mountPath,
      ...(readOnly === true && { readOnly, recursiveReadOnly: 'Disabled' }),
    })),
  };
}

/** An ephemeral container is never ready: nothing waits for it. */
function isReady(container: ObservedContainer): boolean {
  const { role, state } = container;
  if (role === 'init') return isInitialized(container);
  return role !== 'ephemeral' && state.phase === 'running' && state.started && state.ready;
}

interface ShownState {
  readonly state: ContainerStateStatus;
  readonly id?: string | undefined;
  readonly last?: Termination | undefined;
}

function shownState(pod: ObservedPod, container: ObservedContainer): ShownState {
  const { state, last, problem } = container;
  switch (state.phase) {
    case 'running':
      return { state: { running: { startedAt: metaTime(state.startedAtMs) } }, id: state.id, last };
    case 'exited':
      return shownExit(pod, container, state.termination);
    case 'starting':
      if (state.previous !== undefined) return shownExit(pod, container, state.previous);
      return { state: { waiting: { reason: waitingReason(pod) } }, last };
    case 'idle':
      return {
        state: {
          waiting:
            problem === undefined ? { reason: waitingReason(pod) } : problemShown(pod, container, problem),
        },
        last,
      };
  }
}

function shownExit(pod: ObservedPod, container: ObservedContainer, exit: Termination): ShownState {
  const { backoff, last, problem, spec, mustRestart } = container;
  const willRestart =
    pod.deletion === undefined &&
    outcomeOf(pod) === undefined &&
    isStartedAgain(pod.spec.restartPolicy, container, exit);
  if (willRestart && problem !== undefined) {
    return { state: { waiting: problemShown(pod, container, problem) }, id: exit.id, last: exit };
  }
  const atMs = restartAtMs(backoff, exit.finishedAtMs);
  const isBackingOff = container.state.phase === 'exited' && mustRestart !== true && atMs > pod.nowMs;
  if (willRestart && isBackingOff) {
    const message = backOffMessage(atMs - exit.finishedAtMs, spec.name, pod);
    return {
      state: { waiting: { reason: 'CrashLoopBackOff', message } },
      id: exit.id,
      last: exit,
    };
  }
  return { state: { terminated: terminated(exit) }, id: exit.id, last };
}

/** `back-off 20s restarting failed container=web pod=web-0_default(uid)`; durations as Go prints them. */
function backOffMessage(
  delayMs: number,
  container: string,
  pod: Pick<ObservedPod, 'name' | 'namespace' | 'uid'>,
): string {
  const seconds = Math.round(delayMs / 1000);
  const minutes = Math.floor(seconds / 60);
  const delay = minutes === 0 ? `${seconds}s` : `${minutes}m${seconds % 60}s`;
  return `back-off ${delay} restarting failed container=${container} pod=${pod.name}_${pod.namespace}(${pod.uid})`;
}

/** Message of the Event BackOff. */
export function backOffEvent(container: string, { metadata }: Pick<Pod, 'metadata'>): string {
  const { name, namespace, uid } = metadata;
  return `Back-off restarting failed container ${container} in pod ${name}_${namespace}(${uid})`;
}

function waitingReason(pod: ObservedPod): string {
  return pod.containers.some((container) => isOfInit(container.role))
    ? 'PodInitializing'
    : 'ContainerCreating';
}

function problemShown(
  pod: ObservedPod,
  { spec }: ObservedContainer,
  problem: NonNullable<ObservedContainer['problem']>,
): { reason: string; message: string } {
  const { reason, message, kind, atMs } = problem;
  if (kind !== 'image' || reason !== 'ErrImagePull' || pod.nowMs < atMs + ERR_IMAGE_PULL_SHOWN_MS) {
    return { reason, message };
  }
  return {
    reason: 'ImagePullBackOff',
    message: `Back-off pulling image ${JSON.stringify(spec.image ?? '')}: ${reason}: ${message}`,
  };
}

function terminated(exit: Termination): NonNullable<ContainerStateStatus['terminated']> {
  return {
    exitCode: exit.exitCode,
    reason: exit.reason,
    message: exit.message,
    startedAt: metaTime(exit.startedAtMs),
    finishedAt: metaTime(exit.finishedAtMs),
    containerID: `${CONTAINER_ID_SCHEME}${exit.id}`,
  };
}
