import type { ScalingRules } from './types.ts';

/** How long the highest of recent recommendations holds, unless the behavior says otherwise. */
const SCALE_DOWN_STABILIZATION_S = 300;

/** The rules of the documentation, which hold where a behavior says nothing. */
const DEFAULT_UP: ScalingRules = {
  stabilizationWindowSeconds: 0,
  selectPolicy: 'Max',
  policies: [
    { type: 'Pods', value: 4, periodSeconds: 15 },
    { type: 'Percent', value: 100, periodSeconds: 15 },
  ],
};
const DEFAULT_DOWN: ScalingRules = {
  stabilizationWindowSeconds: SCALE_DOWN_STABILIZATION_S,
  selectPolicy: 'Max',
  policies: [{ type: 'Percent', value: 100, periodSeconds: 15 }],
};

/** The past of an autoscaler, as far as it is remembered; it is lost with the process, as in Kubernetes. */
export interface ScalingHistory {
  /** What the metrics asked for, and when. */
  readonly recommendations: readonly { readonly atMs: number; readonly replicas: number }[];
  /** By how many pods the target was scaled, up (positive) and down (negative). */
  readonly changes: readonly { readonly atMs: number; readonly by: number }[];
}

interface Behavior {
  readonly up: ScalingRules;
  readonly down: ScalingRules;
}

/** The rules in force: those given, completed by the defaults. Pure. */
export function behaviorOf(
  given: { scaleUp?: ScalingRules; scaleDown?: ScalingRules } | undefined,
): Behavior {
  return { up: { ...DEFAULT_UP, ...given?.scaleUp }, down: { ...DEFAULT_DOWN, ...given?.scaleDown } };
}

const MESSAGES = {
  ReadyForNewScale: 'recommended size matches current size',
  ScaleUpStabilized:
    'recent recommendations were lower than current one, applying the lowest recent recommendation',
  ScaleDownStabilized:
    'recent recommendations were higher than current one, applying the highest recent recommendation',
  DesiredWithinRange: 'the desired count is within the acceptable range',
  TooManyReplicas: 'the desired replica count is more than the maximum replica count',
  TooFewReplicas: 'the desired replica count is less than the minimum replica count',
  ScaleUpLimit: 'the desired replica count is increasing faster than the maximum scale rate',
  ScaleDownLimit: 'the desired replica count is decreasing faster than the maximum scale rate',
} as const;

/** What a wish comes to, and how a condition says why. */
interface Outcome {
  readonly replicas: number;
  readonly reason: keyof typeof MESSAGES;
  readonly message: string;
}

function outcome(replicas: number, reason: Outcome['reason']): Outcome {
  return { replicas, reason, message: MESSAGES[reason] };
}

/** Goes up no further than the lowest, and down no further than the highest recommendation of the window. Pure. */
export function stabilize(
  { up, down }: Behavior,
  { recommendations }: Pick<ScalingHistory, 'recommendations'>,
  { current, wanted, nowMs }: { readonly current: number; readonly wanted: number; readonly nowMs: number },
): Outcome {
  const within = (seconds: number | undefined): number[] =>
    recommendations
      .filter(({ atMs }) => atMs > nowMs - (seconds ?? 0) * 1000)
      .map(({ replicas }) => replicas);
  const lowest = Math.min(wanted, ...within(up.stabilizationWindowSeconds));
  const highest = Math.max(wanted, ...within(down.stabilizationWindowSeconds));
  const replicas = Math.min(Math.max(current, lowest), highest);
  if (replicas === wanted) return outcome(replicas, 'ReadyForNewScale');
  return outcome(replicas, wanted >= current ? 'ScaleUpStabilized' : 'ScaleDownStabilized');
}

/** Keeps a wish between the lowest and the highest number, and to the pace that the policies allow. Pure. */
export function limit(
  behavior: Behavior,
  { changes }: Pick<ScalingHistory, 'changes'>,
  wish: {
    readonly current: number;
    readonly wanted: number;
    readonly min: number;
    readonly max: number;
    readonly nowMs: number;
  },
): Outcome {
  const { current, wanted, min, max, nowMs } = wish;
  if (wanted > current) {
    const pace = Math.max(current, policyLimit(behavior.up, changes, current, nowMs, 1));
    if (wanted > Math.min(max, pace)) {
      return max > pace ? outcome(pace, 'ScaleUpLimit') : outcome(max, 'TooManyReplicas');
    }
  } else if (wanted < current) {
    const pace = Math.min(current, policyLimit(behavior.down, changes, current, nowMs, -1));
    if (wanted < Math.max(min, pace)) {
      return min < pace ? outcome(pace, 'ScaleDownLimit') : outcome(min, 'TooFewReplicas');
    }
  }
  // What the metrics ask for may also be beyond the range while the number stays at its edge.
  return outcome(wanted, 'DesiredWithinRange');
}

/** How far the policies let the number go in a direction: each counts from what there was at the beginning of its period. */
function policyLimit(
  { policies = [], selectPolicy }: ScalingRules,
  changes: ScalingHistory['changes'],
  current: number,
  nowMs: number,
  direction: 1 | -1,
): number {
  if (selectPolicy === 'Disabled') return current;
  const limits = policies.map(({ type, value, periodSeconds }) => {
    const moved = changes
      .filter(({ atMs }) => atMs > nowMs - periodSeconds * 1000)
      .reduce((total, { by }) => total + by, 0);
    const before = current - moved;
    if (type === 'Pods') return before + direction * value;
    const share = (before * (100 + direction * value)) / 100;
    return direction > 0 ? Math.ceil(share) : Math.trunc(share);
  });
  if (limits.length === 0) return current;
  const isFurthest = selectPolicy !== 'Min';
  return direction > 0 === isFurthest ? Math.max(...limits) : Math.min(...limits);
}

/** The history without what no rule looks at any more. Pure. */
export function prune({ up, down }: Behavior, history: ScalingHistory, nowMs: number): ScalingHistory {
  const windowS = Math.max(up.stabilizationWindowSeconds ?? 0, down.stabilizationWindowSeconds ?? 0);
  const periods = [...(up.policies ?? []), ...(down.policies ?? [])].map(
    ({ periodSeconds }) => periodSeconds,
  );
  const periodS = Math.max(0, ...periods);
  return {
    recommendations: history.recommendations.filter(({ atMs }) => atMs > nowMs - windowS * 1000),
    changes: history.changes.filter(({ atMs }) => atMs > nowMs - periodS * 1000),
  };
}
