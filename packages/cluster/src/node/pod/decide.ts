import { restartAtMs } from './crash-backoff.ts';
import {
  hasInitialized,
  isInitialized,
  isLive,
  isOfInit,
  isStartedAgain,
  type ObservedContainer,
  type ObservedPod,
  outcomeOf,
} from './observed.ts';

/** One thing to do for a pod. */
export type PodAction =
  /** Make folders, address and volumes. */
  | { readonly type: 'make-sandbox' }
  | { readonly type: 'start'; readonly container: string }
  /** Stop it so that it is gone by the deadline; again with an earlier deadline when the time was shortened. */
  | { readonly type: 'stop'; readonly container: string; readonly deadlineMs: number }
  /** A restart has to wait; said once per run that ended. */
  | { readonly type: 'back-off'; readonly container: string; readonly delayMs: number }
  /** The image could not be pulled and is tried again later; reported once per attempt. */
  | { readonly type: 'image-back-off'; readonly container: string }
  /** The pod failed as a whole. */
  | { readonly type: 'fail'; readonly reason: string; readonly message: string }
  | { readonly type: 'remove-sandbox' }
  /** Everything is dead: remove the object. */
  | { readonly type: 'delete-object' }
  /** Nothing of the pod is left: forget it. */
  | { readonly type: 'forget' }
  /** Decide again at this time, if nothing happens before. */
  | { readonly type: 'wake'; readonly atMs: number };

const DEFAULT_GRACE_SECONDS = 30;
/** A sidecar gets at least this long after the others have used up the time (kubelet's minimum grace period). */
const MIN_SIDECAR_GRACE_MS = 2_000;

/** Gives when containers have to be dead if stopping begins now; pure. */
export function stopDeadlineMs(pod: Pick<ObservedPod, 'spec' | 'nowMs'>): number {
  return pod.nowMs + (pod.spec.terminationGracePeriodSeconds ?? DEFAULT_GRACE_SECONDS) * 1000;
}

/**
 * Decides the next actions for a pod; pure and level-based: the same observation gives the same actions, and an action that is
 * under way shows in the observation and is not repeated.
 *
 * A pod that is being deleted, has failed or has run to its end is wound down: containers first, sidecars after them in
 * reverse order, then sandbox, then object. Any other pod is brought up: sandbox, init containers one after the other,
 * then all app containers; each that ended is restarted as its policy and back-off demand.
 */
export function decidePod(pod: ObservedPod): PodAction[] {
  const outcome = outcomeOf(pod);
  if (pod.deletion !== undefined) return windDown(pod, pod.deletion.deadlineMs);
  if (pod.failure !== undefined) return windDown(pod, pod.failure.deadlineMs);
  if (outcome !== undefined) return windDown(pod, stopDeadlineMs(pod));
  return bringUp(pod);
}

function windDown(pod: ObservedPod, deadlineMs: number): PodAction[] {
  const live = pod.containers.filter(isLive);
  const main = live.filter((container) => container.role !== 'sidecar');
  if (main.length > 0) return main.flatMap((container) => stop(container, deadlineMs));
  const sidecar = live.at(-1);
  if (sidecar !== undefined) {
    return stopByOf(sidecar) === undefined
      ? stop(sidecar, Math.max(deadlineMs, pod.nowMs + MIN_SIDECAR_GRACE_MS))
      : [];
  }
  switch (pod.sandbox.phase) {
    case 'making':
    case 'removing':
      return [];
    case 'ready':
      return [{ type: 'remove-sandbox' }];
    case 'none':
    case 'removed':
      break;
  }
  if (pod.deletion === undefined) return [];
  if (pod.deletion.objectGone) return [{ type: 'forget' }];
  return pod.deletion.requested ? [] : [{ type: 'delete-object' }];
}

function stopByOf({ state }: ObservedContainer): number | undefined {
  return state.phase === 'starting' || state.phase === 'running' ? state.stopByMs : undefined;
}

function stop(container: ObservedContainer, deadlineMs: number): PodAction[] {
  const stopByMs = stopByOf(container);
  if (stopByMs !== undefined && stopByMs <= deadlineMs) return [];
  return [{ type: 'stop', container: container.spec.name, deadlineMs }];
}

function bringUp(pod: ObservedPod): PodAction[] {
  const { activeDeadlineSeconds } = pod.spec;
  const actions: PodAction[] = [];
  if (activeDeadlineSeconds !== undefined) {
    const atMs = pod.startedAtMs + activeDeadlineSeconds * 1000;
    if (pod.nowMs >= atMs) {
      const message = 'Pod was active on the node longer than the specified deadline';
      return [{ type: 'fail', reason: 'DeadlineExceeded', message }];
    }
    actions.push({ type: 'wake', atMs });
  }
  if (pod.sandbox.phase !== 'ready') {
    if (pod.sandbox.phase !== 'none') return actions;
    const { retryAtMs = pod.nowMs } = pod.sandbox;
    actions.push(retryAtMs <= pod.nowMs ? { type: 'make-sandbox' } : { type: 'wake', atMs: retryAtMs });
    return actions;
  }
  const initialized = hasInitialized(pod);
  for (const container of pod.containers) {
    // Before the pod is initialised, init containers go one by one; afterwards only sidecars are kept up.
    if (initialized && container.role === 'init') continue;
    if (!initialized && !isOfInit(container.role)) break;
    actions.push(...keepUp(pod, container));
    if (!initialized && !isInitialized(container)) break;
  }
  // They are there to look into a pod that does not come up, too.
  const ephemeral = initialized ? [] : pod.containers.filter(({ role }) => role === 'ephemeral');
  return [...actions, ...ephemeral.flatMap((container) => keepUp(pod, container))];
}

function keepUp(pod: ObservedPod, container: ObservedContainer): PodAction[] {
  const { state, spec, problem, backoff, mustRestart } = container;
  const start: PodAction = { type: 'start', container: spec.name };
  if (isLive(container)) return [];
  const retryAtMs = problem?.retryAtMs ?? 0;
  // Before the problem: the clock was set back since, and waiting for it would take as long.
  if (retryAtMs > pod.nowMs && (problem?.atMs ?? 0) <= pod.nowMs) {
    const turn = (problem?.atMs ?? 0) + ERR_IMAGE_PULL_SHOWN_MS;
    const isShown = problem?.reason === 'ErrImagePull' && turn > pod.nowMs;
    const wake: PodAction = { type: 'wake', atMs: Math.min(isShown ? turn : retryAtMs, retryAtMs) };
    const isBackOffDue = problem?.reason === 'ErrImagePull' && !isShown;
    return isBackOffDue ? [{ type: 'image-back-off', container: spec.name }, wake] : [wake];
  }
  if (state.phase !== 'exited') return [start];
  if (!isStartedAgain(pod.spec.restartPolicy, container, state.termination)) return [];
  if (mustRestart === true) return [start];
  const atMs = restartAtMs(backoff, state.termination.finishedAtMs);
  if (atMs <= pod.nowMs || pod.nowMs < state.termination.finishedAtMs) return [start];
  const delayMs = atMs - state.termination.finishedAtMs;
  return [
    { type: 'back-off', container: spec.name, delayMs },
    { type: 'wake', atMs },
  ];
}

/** After a failed pull the status says ErrImagePull for this long, then ImagePullBackOff until the next attempt. */
export const ERR_IMAGE_PULL_SHOWN_MS = 1_000;
