import type { Container, PodSpec, PodStatus, ResourceRequirements } from '@turnsole/kube/kinds/core';
import type { CrashBackoff } from './crash-backoff.ts';

/**
 * Everything about one pod that its next actions and its status follow from. The worker (worker.ts) keeps it; the pure
 * functions decidePod (decide.ts) and podStatus (status.ts) read it.
 */
export interface ObservedPod {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  /** `metadata.generation` of the specification that is acted on. */
  readonly generation?: number | undefined;
  readonly spec: PodSpec;
  readonly nowMs: number;
  /** When the agent first saw the pod: `status.startTime`. */
  readonly startedAtMs: number;
  /** Set when the pod is to go. */
  readonly deletion?: PodDeletion;
  /** Set when the pod failed as a whole; its containers are stopped. */
  readonly failure?: PodFailure;
  readonly sandbox: SandboxState;
  /** Conditions of a change of resources that is not through. */
  readonly resizing?: readonly NonNullable<PodStatus['conditions']>[number][] | undefined;
  /** Init containers first, then those of the application, then ephemeral ones, each in the order of the spec. */
  readonly containers: readonly ObservedContainer[];
}

export interface PodDeletion {
  /** When the containers are killed at the latest. */
  readonly deadlineMs: number;
  /** The object is gone already (grace period 0): only the processes are left. */
  readonly objectGone: boolean;
  /** The request that removes the object was sent. */
  readonly requested: boolean;
}

export interface PodFailure {
  readonly reason: string;
  readonly message: string;
  readonly deadlineMs: number;
}

/** Address, folders and volumes of the pod. */
export type SandboxState =
  | { readonly phase: 'none'; readonly retryAtMs?: number }
  | { readonly phase: 'making' }
  | { readonly phase: 'ready'; readonly ip: string }
  | { readonly phase: 'removing'; readonly ip: string }
  | { readonly phase: 'removed'; readonly ip: string };

/**
 * `init` runs to its end before the next; `sidecar` is an init container that stays (restartPolicy Always); `ephemeral` was added
 * to a pod that runs, and nothing of the pod depends on it.
 */
export type ContainerRole = 'init' | 'sidecar' | 'app' | 'ephemeral';

/** Whether a container is one of `spec.initContainers`. */
export function isOfInit(role: ContainerRole): boolean {
  return role === 'init' || role === 'sidecar';
}

export interface ObservedContainer {
  readonly role: ContainerRole;
  /** As it was specified when it was first seen, with the resources that the node has granted since. */
  readonly spec: Container;
  readonly state: ContainerState;
  /** Why the last attempt to start it did not get as far as running anything. */
  readonly problem?: StartProblem;
  /** How the run before the current one ended. */
  readonly last?: Termination;
  readonly restarts: number;
  readonly backoff?: CrashBackoff;
  /** Known once its image was resolved. */
  readonly imageID?: string;
  /** It is stopped to be started again with other resources, whatever its policy says. */
  readonly mustRestart?: boolean;
}

export type ContainerState =
  | { readonly phase: 'idle' }
  /** References, mounts, process and postStart hook are under way. `previous` is shown until it runs. */
  | { readonly phase: 'starting'; readonly previous?: Termination; readonly stopByMs?: number }
  | {
      readonly phase: 'running';
      readonly id: string;
      readonly startedAtMs: number;
      /** The startup probe has succeeded, or the container has none. */
      readonly started: boolean;
      /** The readiness probe has succeeded, or the container has none. */
      readonly ready: boolean;
      /** What this run has. */
      readonly resources?: ResourceRequirements | undefined;
      /** Set once it is being stopped: when it is killed. */
      readonly stopByMs?: number;
    }
  | { readonly phase: 'exited'; readonly termination: Termination };

/** How one run of a container ended. */
export interface Termination {
  readonly id: string;
  readonly exitCode: number;
  readonly signal?: number;
  /** Completed, Error, OOMKilled, StartError. */
  readonly reason: string;
  readonly message?: string;
  readonly startedAtMs: number;
  readonly finishedAtMs: number;
}

/** What keeps a container from being started. */
export interface StartProblem {
  readonly kind: 'image' | 'config';
  /** ErrImagePull, ErrImageNeverPull, InvalidImageName, CreateContainerConfigError, CreateContainerError. */
  readonly reason: string;
  readonly message: string;
  readonly atMs: number;
  readonly retryAtMs: number;
}

/** Whether the container has a process, or is about to. */
export function isLive(container: ObservedContainer): boolean {
  return container.state.phase === 'starting' || container.state.phase === 'running';
}

/** Whether a container that ended is started again while the pod lives on; pure (API reference: restartPolicy). */
export function restartsAfter(
  policy: string | undefined,
  role: ContainerRole,
  termination: Pick<Termination, 'exitCode'>,
): boolean {
  if (role === 'sidecar') return true;
  if (role === 'ephemeral') return false;
  const succeeded = termination.exitCode === 0;
  if (role === 'init') return !succeeded && policy !== 'Never';
  switch (policy ?? 'Always') {
    case 'Never':
      return false;
    case 'OnFailure':
      return !succeeded;
    default:
      return true;
  }
}

/** Whether a container that ended so is started again: as its policy says, or because it was stopped for that. Pure. */
export function isStartedAgain(
  policy: string | undefined,
  { role, mustRestart }: Pick<ObservedContainer, 'role' | 'mustRestart'>,
  termination: Pick<Termination, 'exitCode'>,
): boolean {
  return mustRestart === true || restartsAfter(policy, role, termination);
}

/** Whether an init container's part is done: it ended well, or, for a sidecar, is up. */
export function isInitialized(container: ObservedContainer): boolean {
  const { role, state } = container;
  if (!isOfInit(role)) return true;
  if (role === 'sidecar') return state.phase === 'running' && state.started;
  return state.phase === 'exited' && state.termination.exitCode === 0;
}

/** Whether the pod's init containers have all run, now or before: once an app container was started, they have. */
export function hasInitialized(pod: Pick<ObservedPod, 'containers'>): boolean {
  const apps = pod.containers.filter((container) => container.role === 'app');
  return apps.some((app) => app.state.phase !== 'idle') || pod.containers.every(isInitialized);
}

/** How the pod as a whole has ended, or undefined while it has not; sidecars may still run. */
export function outcomeOf(
  pod: Pick<ObservedPod, 'spec' | 'containers' | 'failure'>,
): 'Succeeded' | 'Failed' | undefined {
  if (pod.failure !== undefined) return 'Failed';
  const policy = pod.spec.restartPolicy;
  let failed = false;
  for (const container of pod.containers) {
    const { role, state } = container;
    if (role === 'sidecar' || role === 'ephemeral') continue;
    if (role === 'init') {
      const isOver = state.phase === 'exited' && state.termination.exitCode !== 0 && policy === 'Never';
      if (isOver) return 'Failed';
      continue;
    }
    if (state.phase !== 'exited' || isStartedAgain(policy, container, state.termination)) return undefined;
    if (state.termination.exitCode !== 0) failed = true;
  }
  return failed ? 'Failed' : 'Succeeded';
}
