import type { EventNote } from '@turnsole/kube/controllers/plan';
import { setConditionAt } from '@turnsole/kube/kinds/conditions';
import { metaTime } from '@turnsole/kube/text/time';
import { behaviorOf, limit, prune, type ScalingHistory, stabilize } from './behavior.ts';
import { decideMetric, MetricError, type MetricInput } from './decide-metric.ts';
import type {
  AutoscalerCondition,
  AutoscalerStatus,
  HorizontalPodAutoscaler,
  MetricStatus,
  Scale,
} from './types.ts';

/** What an autoscaler's step follows from. */
export interface AutoscalingInput extends Omit<MetricInput, 'currentReplicas'> {
  readonly autoscaler: HorizontalPodAutoscaler;
  readonly scale: Scale;
  /** Why the pods of the target cannot be determined; undefined when they can. */
  readonly selectorProblem?: { readonly reason: string; readonly message: string } | undefined;
  readonly history: ScalingHistory;
}

/** The step: what the target is scaled to, and what status and Events say about it. */
export interface AutoscalingDecision {
  /** Undefined: the number of replicas stays. */
  readonly rescale?: { readonly from: number; readonly to: number; readonly reason: string };
  readonly status: AutoscalerStatus;
  readonly events: readonly EventNote[];
  readonly history: ScalingHistory;
}

type NewCondition = Pick<AutoscalerCondition, 'type' | 'status'> & {
  readonly reason: string;
  readonly message: string;
};

function condition(type: string, status: 'True' | 'False', reason: string, message: string): NewCondition {
  return { type, status, reason, message };
}

function warning(reason: string, message: string): EventNote {
  return { type: 'Warning', reason, message };
}

/** A target that cannot be found or is not scalable. Pure. */
export function decideWithoutScale(
  { status }: HorizontalPodAutoscaler,
  why: string,
  nowMs: number,
): Pick<AutoscalingDecision, 'status' | 'events'> {
  const message = `the HPA controller was unable to get the target's current scale: ${why}`;
  const unable = condition('AbleToScale', 'False', 'FailedGetScale', message);
  return {
    status: withConditions(statusOf(status), [unable], nowMs),
    events: [warning('FailedGetScale', why)],
  };
}

/** One step of an autoscaler (kubernetes.io, Horizontal Pod Autoscaling). Pure. */
export function decideAutoscaling(input: AutoscalingInput): AutoscalingDecision {
  const { autoscaler, scale, nowMs } = input;
  const { minReplicas: min = 1, maxReplicas: max = 1 } = autoscaler.spec ?? {};
  const current = scale.spec?.replicas ?? 0;
  const before: AutoscalerStatus = { ...statusOf(autoscaler.status), currentReplicas: current };
  const able = "the HPA controller was able to get the target's current scale";
  const found = condition('AbleToScale', 'True', 'SucceededGetScale', able);
  const history = begun(input.history, current, nowMs);
  const end = (
    to: number,
    reason: string,
    conditions: readonly NewCondition[],
    rest: Partial<AutoscalingDecision> & { readonly currentMetrics?: readonly MetricStatus[] } = {},
  ): AutoscalingDecision => {
    const { currentMetrics, ...more } = rest;
    const status = {
      ...before,
      desiredReplicas: to,
      ...(currentMetrics === undefined ? {} : { currentMetrics: [...currentMetrics] }),
    };
    return {
      ...(to === current ? {} : { rescale: { from: current, to, reason } }),
      events: [],
      history,
      ...more,
      status: withConditions(status, [found, ...conditions], nowMs),
    };
  };
  if (current === 0 && min !== 0) {
    const message = 'scaling is disabled since the replica count of the target is zero';
    return end(0, '', [condition('ScalingActive', 'False', 'ScalingDisabled', message)]);
  }
  if (current > max) return end(max, 'Current number of replicas above Spec.MaxReplicas', []);
  if (current < min) return end(min, 'Current number of replicas below Spec.MinReplicas', []);
  const wish = wishOf(input, current);
  if (wish.replicas === undefined) {
    return {
      status: withConditions(
        { ...before, currentMetrics: [...wish.currentMetrics] },
        [found, wish.condition],
        nowMs,
      ),
      events: wish.events,
      history,
    };
  }
  const behavior = behaviorOf(autoscaler.spec?.behavior);
  const stable = stabilize(behavior, history, { current, wanted: wish.replicas, nowMs });
  const limited = limit(behavior, history, { current, wanted: stable.replicas, min, max, nowMs });
  const isLimited = limited.replicas !== stable.replicas;
  return end(
    limited.replicas,
    limited.replicas > current ? `${wish.name} above target` : 'All metrics below target',
    [
      condition('AbleToScale', 'True', stable.reason, stable.message),
      wish.condition,
      condition('ScalingLimited', isLimited ? 'True' : 'False', limited.reason, limited.message),
    ],
    {
      events: wish.events,
      currentMetrics: wish.currentMetrics,
      history: prune(
        behavior,
        {
          ...history,
          recommendations: [...history.recommendations, { atMs: nowMs, replicas: wish.replicas }],
        },
        nowMs,
      ),
    },
  );
}

/** The status after the target was scaled, and the Event. Pure. */
export function rescaled(
  { rescale, status, history }: AutoscalingDecision,
  nowMs: number,
): Pick<AutoscalingDecision, 'status' | 'events' | 'history'> {
  const { from = 0, to = 0, reason = '' } = rescale ?? {};
  const message = `the HPA controller was able to update the target scale to ${to}`;
  const able = condition('AbleToScale', 'True', 'SucceededRescale', message);
  return {
    status: { ...withConditions(status, [able], nowMs), lastScaleTime: metaTime(nowMs) },
    events: [{ type: 'Normal', reason: 'SuccessfulRescale', message: `New size: ${to}; reason: ${reason}` }],
    history: { ...history, changes: [...history.changes, { atMs: nowMs, by: to - from }] },
  };
}

/** The same when it could not be. Pure. */
export function notRescaled(
  { rescale, status }: AutoscalingDecision,
  why: string,
  nowMs: number,
): Pick<AutoscalingDecision, 'status' | 'events'> {
  const { from = 0, to = 0, reason = '' } = rescale ?? {};
  const message = `the HPA controller was unable to update the target scale: ${why}`;
  const unable = condition('AbleToScale', 'False', 'FailedUpdateScale', message);
  return {
    status: withConditions({ ...status, desiredReplicas: from }, [unable], nowMs),
    events: [warning('FailedRescale', `New size: ${to}; reason: ${reason}; error: ${why}`)],
  };
}

/** What the metrics ask for together: the highest number. */
interface Wish {
  /** Undefined when they do not allow a number: nothing is done then. */
  readonly replicas?: number;
  readonly name: string;
  readonly condition: NewCondition;
  readonly currentMetrics: readonly MetricStatus[];
  readonly events: readonly EventNote[];
}

function wishOf(input: AutoscalingInput, current: number): Wish {
  const { autoscaler, selectorProblem } = input;
  if (selectorProblem !== undefined) {
    const { reason, message } = selectorProblem;
    return {
      name: '',
      condition: condition('ScalingActive', 'False', reason, message),
      currentMetrics: [],
      events: [warning(reason, message), warning('FailedComputeMetricsReplicas', message)],
    };
  }
  const outcomes = (autoscaler.spec?.metrics ?? []).map((metric) => {
    try {
      return decideMetric(metric, { ...input, currentReplicas: current });
    } catch (error) {
      if (error instanceof MetricError) return error;
      throw error;
    }
  });
  const errors = outcomes.filter((outcome) => outcome instanceof MetricError);
  const valid = outcomes.flatMap((outcome) => (outcome instanceof MetricError ? [] : [outcome]));
  const currentMetrics = valid.map(({ status }) => status);
  const events = errors.map(({ reason, message }) => warning(reason, message));
  // The first of the highest.
  const [best] = valid.toSorted((a, b) => b.replicas - a.replicas);
  const [first] = errors;
  // With a metric missing, the others may raise the number, but not lower it: the missing one might need the replicas.
  if (first !== undefined && (best === undefined || best.replicas < current)) {
    const why = `the HPA was unable to compute the replica count: ${first.message}`;
    const message = `invalid metrics (${errors.length} invalid out of ${outcomes.length}), first error is: ${first.message}`;
    return {
      name: '',
      condition: condition('ScalingActive', 'False', first.reason, why),
      currentMetrics,
      events: [...events, warning('FailedComputeMetricsReplicas', message)],
    };
  }
  const { replicas = current, name = '' } = best ?? {};
  const message = `the HPA was able to successfully calculate a replica count from ${name}`;
  return {
    replicas,
    name,
    condition: condition('ScalingActive', 'True', 'ValidMetricFound', message),
    currentMetrics,
    events,
  };
}

/** A new autoscaler, or one whose past is lost, begins with the present number as if it had been recommended. */
function begun(history: ScalingHistory, current: number, nowMs: number): ScalingHistory {
  if (history.recommendations.length > 0) return history;
  return { ...history, recommendations: [{ atMs: nowMs, replicas: current }] };
}

function statusOf(status: AutoscalerStatus | undefined): AutoscalerStatus {
  return { currentReplicas: 0, desiredReplicas: 0, conditions: [], currentMetrics: [], ...status };
}

/** Later conditions of a type replace earlier ones, so that the transition times follow from the last alone. */
function withConditions(
  status: AutoscalerStatus,
  changes: readonly NewCondition[],
  nowMs: number,
): AutoscalerStatus {
  const last = [...new Map(changes.map((condition) => [condition.type, condition])).values()];
  let conditions: AutoscalerCondition[] = [...(status.conditions ?? [])];
  for (const condition of last) conditions = setConditionAt(conditions, condition, nowMs);
  return { ...status, conditions };
}
