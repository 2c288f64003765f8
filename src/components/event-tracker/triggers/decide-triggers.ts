import { metaTime, parseTime } from '@turnsole/kube/text/time';
import type { EventTrackerPolicyStatus, PolicyTrigger, TrackedWorkload } from '../../../api/index.ts';
import type { CompiledPolicy } from '../policy/compile-policy.ts';
import { judge } from '../policy/judge.ts';
import type { SeenWorkload } from '../policy/workload.ts';
import { triggerId } from './trigger-id.ts';
import { isPending, withoutOldTriggers } from './trigger-list.ts';

/** So many triggers of a policy may wait; with them further changes wait as the workloads themselves, which are compared later. */
export const MAX_PENDING = 100;
/** So many workloads of a policy are known: an object holds a megabyte and a half. */
export const MAX_TRACKED = 1_000;

/** Input of the decision. */
interface PolicyState {
  /** uid of the policy. */
  readonly uid: string;
  readonly policy: CompiledPolicy;
  readonly status: EventTrackerPolicyStatus;
  /** All that could trigger, in a steady order. */
  readonly workloads: readonly SeenWorkload[];
  readonly nowMs: number;
}

/** What becomes of the status. */
interface TriggerDecision {
  readonly status: EventTrackerPolicyStatus;
  readonly triggered: readonly PolicyTrigger[];
  /** Workloads for which there is no room. */
  readonly untracked: number;
}

/**
 * Compares each workload with its known state, and gives the status with the new states and the triggers: one write stores both, so
 * that a change is either judged anew or its trigger is stored. Pure.
 */
export function decideTriggers({ uid, policy, status, workloads, nowMs }: PolicyState): TriggerDecision {
  const known = status.tracked ?? {};
  // Known workloads stay known.
  const ordered = [...workloads].sort((a, b) => Number(b.key in known) - Number(a.key in known));
  const tracked: Record<string, TrackedWorkload> = {};
  const triggered: PolicyTrigger[] = [];
  const present = status.triggers ?? [];
  const waiting = present.filter(isPending).length;
  let count = status.count ?? 0;
  for (const seen of ordered.slice(0, MAX_TRACKED)) {
    const hasRoom = waiting + triggered.length < MAX_PENDING;
    const { next, reason } = step(known[seen.key], seen, policy, { hasRoom, nowMs });
    tracked[seen.key] = next;
    if (reason === undefined) continue;
    count += 1;
    // A policy counts its triggers; the time keeps ids unique when a user has removed the policy's status.
    triggered.push(triggerOf(`${uid}/${seen.uid}/${count}/${nowMs}`, seen, policy, reason, nowMs));
  }
  return {
    status: {
      ...status,
      tracked,
      ...(triggered.length === 0 ? {} : { count, triggers: withoutOldTriggers([...present, ...triggered]) }),
    },
    triggered,
    untracked: Math.max(0, ordered.length - MAX_TRACKED),
  };
}

/** In the place of a digest: the key has never been evaluated, so there is nothing to compare with. */
const UNKNOWN = '';

interface Step {
  readonly next: TrackedWorkload;
  /** Why this is a trigger. */
  readonly reason?: string | undefined;
}

function step(
  before: TrackedWorkload | undefined,
  seen: SeenWorkload,
  policy: CompiledPolicy,
  { hasRoom, nowMs }: { readonly hasRoom: boolean; readonly nowMs: number },
): Step {
  const { rollout: mode = 'once', cooldownSeconds } = policy.spec;
  const digests = seen.digests.map((digest, index) => digest ?? before?.values[index] ?? UNKNOWN);
  const now: TrackedWorkload = { uid: seen.uid, conditions: policy.digest, values: digests };
  // Seen for the first time, or by other keys: nothing to compare with.
  if (before === undefined || before.uid !== seen.uid || before.conditions !== policy.digest)
    return { next: now };
  if (mode === 'settled' && seen.isRollingOut) return { next: before };
  const isInRollout = mode === 'once' && before.rollout === seen.generation;
  const isCooling = isWithin(cooldownSeconds, before.triggered, nowMs);
  const kept = isCooling ? { ...now, triggered: before.triggered } : now;
  const still = isInRollout && seen.isRollingOut ? { ...kept, rollout: seen.generation } : kept;
  const values = seen.values.map((value, index) => ({
    value,
    hasChanged: before.values[index] !== UNKNOWN && before.values[index] !== digests[index],
  }));
  const reason = isInRollout || isCooling ? undefined : judge(policy.spec, values);
  if (reason === undefined) return { next: still };
  // The old state stays, so that the change is found again when the status has room.
  if (!hasRoom) return { next: before };
  const isFollowed = mode === 'once' && seen.isRollingOut;
  const rolling = isFollowed ? { ...now, rollout: seen.generation } : now;
  return {
    next: cooldownSeconds === undefined ? rolling : { ...rolling, triggered: metaTime(nowMs) },
    reason,
  };
}

/** Whether a cool-down goes on. A clock that was set far back, by which its start is still to come, must not make it last. */
function isWithin(seconds: number | undefined, since: string | undefined, nowMs: number): since is string {
  const sinceMs = parseTime(since);
  return seconds !== undefined && sinceMs !== undefined && Math.abs(nowMs - sinceMs) < seconds * 1_000;
}

function triggerOf(
  identity: string,
  { kind, namespace, name, experimentID }: SeenWorkload,
  { spec }: CompiledPolicy,
  reason: string,
  nowMs: number,
): PolicyTrigger {
  return {
    id: triggerId(identity),
    time: metaTime(nowMs),
    ...{ resource: kind, namespace, name },
    ...(spec.start === undefined ? { experimentID } : {}),
    reason,
    state: 'Pending',
  };
}
