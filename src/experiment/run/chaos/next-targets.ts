import type { InjectionTarget } from '../../../api/index.ts';
import { containerStatus, runningId } from '../../targets/container-status.ts';
import type { PodCandidate } from '../../targets/select-pods.ts';

/** What is known when it is decided which pods are hit next. */
export interface FollowState {
  /** Pods that the user's choice means now. */
  readonly candidates: readonly PodCandidate[];
  /** Uids of the pods that are hit, or are about to be. */
  readonly hit: ReadonlySet<string>;
  /** Uids of pods that are left alone: another step's, or one that could not be hit a moment ago. */
  readonly left: ReadonlySet<string>;
  /** Uids of pods that were hit in an earlier step: hit once more only where no other pod is there or coming. @default none */
  readonly earlier?: ReadonlySet<string>;
  /** Workloads whose pods have gone, by uid. */
  readonly bereft: ReadonlySet<string>;
  /** How many of the candidates are to be hit. */
  readonly wanted: (candidates: number) => number;
}

/**
 * The pods to hit next, so that as many are hit as the user's choice means: those that are missing to it. Only pods that run can be hit;
 * those of workloads that have lost a hit pod come first, and of these the newest, which are the ones that have taken its place. Pure.
 */
export function nextTargets({
  candidates,
  hit,
  left,
  earlier = new Set(),
  bereft,
  wanted,
}: FollowState): readonly PodCandidate[] {
  const isOf =
    (uids: ReadonlySet<string>) =>
    ({ pod }: PodCandidate): boolean =>
      uids.has(pod.metadata.uid ?? '');
  const isHit = isOf(hit);
  const missing = wanted(candidates.length) - candidates.filter(isHit).length;
  if (missing <= 0) return [];
  const rank = ({ targets: [first] }: PodCandidate): number => (bereft.has(first?.owner?.uid ?? '') ? 0 : 1);
  const free = candidates.filter((candidate) => !isHit(candidate) && !isOf(left)(candidate));
  const fresh = free.filter((candidate) => !isOf(earlier)(candidate));
  return (fresh.length > 0 ? fresh : free)
    .filter(runs)
    .sort((a, b) => rank(a) - rank(b) || createdAt(b) - createdAt(a))
    .slice(0, missing);
}

/** Whether all that would be hit in it runs, on a node. */
function runs({ pod, targets }: PodCandidate): boolean {
  const isRunning = (target: InjectionTarget): boolean =>
    target.container === undefined
      ? pod.status?.phase === 'Running'
      : runningId(containerStatus(pod, target)) !== undefined;
  return pod.spec?.nodeName !== undefined && targets.length > 0 && targets.every(isRunning);
}

function createdAt({ pod }: PodCandidate): number {
  const ms = Date.parse(String(pod.metadata.creationTimestamp ?? ''));
  return Number.isNaN(ms) ? 0 : ms;
}
