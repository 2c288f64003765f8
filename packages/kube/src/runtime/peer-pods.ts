import type { Pod } from '../kinds/core.ts';
import { isFinished } from '../kinds/pod-phase.ts';

/**
 * How long a pod that runs and is not ready is taken to work all the same: it may have begun before its readiness is asked, or answer late
 * on a busy machine.
 */
export const UNREADY_MS = 30_000;

/** Whether the program in a pod works, and until when that holds unless the pod changes. */
type PeerLife = { readonly works: false } | { readonly works: true; readonly untilMs?: number };

/** Judges a pod by its containers and its readiness: one that cannot start, has ended, or is not ready for long does not work. Pure. */
export function peerLife(pod: Pick<Pod, 'status'>, nowMs: number): PeerLife {
  const { containerStatuses = [], conditions = [] } = pod.status ?? {};
  const running = containerStatuses.flatMap(({ state }) =>
    state?.running === undefined ? [] : [state.running],
  );
  if (isFinished(pod) || running.length === 0) return { works: false };
  const ready = conditions.find(({ type }) => type === 'Ready');
  if (ready?.status === 'True') return { works: true };
  const times = [ready?.lastTransitionTime, ...running.map(({ startedAt }) => startedAt)].map((time) =>
    Date.parse(time ?? ''),
  );
  const untilMs = Math.max(...times.filter((time) => !Number.isNaN(time))) + UNREADY_MS;
  return untilMs > nowMs ? { works: true, untilMs } : { works: false };
}
