import type { Pod } from '../../../api/core.ts';
import { LabelSelectorError, matchesLabels, parseLabelSelector } from '../../../api/label-selector.ts';
import { HORIZONTAL_POD_AUTOSCALERS, POD_METRICS, PODS, type Resource } from '../../../api/resources.ts';
import { isNotFound } from '../../../kube/client/errors.ts';
import { type Controller, fromObjects } from '../../../kube/runtime/index.ts';
import { type ControllerContext, explain } from '../shared/context.ts';
import { createController } from '../shared/controller.ts';
import { equalJson } from '../shared/equal.ts';
import { BY_NAMESPACE } from '../shared/informers.ts';
import type { EventNote } from '../shared/plan.ts';
import { readOnly } from '../shared/sources.ts';
import type { ScalingHistory } from './behavior.ts';
import {
  type AutoscalingDecision,
  type AutoscalingInput,
  decideAutoscaling,
  decideWithoutScale,
  notRescaled,
  rescaled,
} from './decide-autoscaling.ts';
import { ScaleClient } from './scale-client.ts';
import type { AutoscalerStatus, HorizontalPodAutoscaler, PodMetrics, Scale } from './types.ts';

const NO_HISTORY: ScalingHistory = { recommendations: [], changes: [] };

/** What is remembered of an autoscaler between its steps. */
interface Memory {
  readonly history: ScalingHistory;
  /** The specification that the last step was for, and when the next is due unless it changes. */
  readonly spec: HorizontalPodAutoscaler['spec'];
  readonly dueAtMs: number;
  /** Pods of its target. */
  readonly selector: string;
}

/** Scales what autoscalers refer to by what its pods use: a step each period, and at once when its specification changes. */
export function horizontalPodAutoscalerController(context: ControllerContext): Controller {
  const { informers, writer, clock, client, options } = context;
  const autoscalers = informers.view<HorizontalPodAutoscaler>(HORIZONTAL_POD_AUTOSCALERS);
  const pods = informers.view<Pod>(PODS);
  const scales = new ScaleClient(client);
  const events = context.eventsOf('horizontal-pod-autoscaler');
  const memories = new Map<string, Memory>();

  async function podMetrics(
    namespace: string,
    labelSelector: string,
    signal: AbortSignal,
  ): Promise<readonly PodMetrics[] | Error> {
    try {
      return (await client.list<PodMetrics>(POD_METRICS, { namespace, labelSelector, signal })).items;
    } catch (error) {
      signal.throwIfAborted();
      const why = isNotFound(error)
        ? 'the server could not find the requested resource (get pods.metrics.k8s.io)'
        : explain(error);
      return new Error(`unable to fetch metrics from resource metrics API: ${why}`, { cause: error });
    }
  }

  /** Pods of the target; or why they cannot be told. */
  function selected(
    key: string,
    namespace: string,
    selector: string,
  ): Pick<AutoscalingInput, 'pods' | 'selectorProblem'> {
    if (selector === '') {
      const message = 'selector is required';
      return {
        pods: [],
        selectorProblem: {
          reason: 'InvalidSelector',
          message: `the HPA target's scale is missing a selector: ${message}`,
        },
      };
    }
    const select = (text: string): Pod[] => {
      const parsed = parseLabelSelector(text);
      return pods
        .byIndex(BY_NAMESPACE, namespace)
        .filter(({ metadata }) => matchesLabels(parsed, metadata.labels ?? {}));
    };
    try {
      const own = select(selector);
      const names = new Set(own.map(({ metadata }) => metadata.name));
      const rivals = [...memories]
        .filter(([other, memory]) => {
          if (other === key || memory.selector === '' || !other.startsWith(`${namespace}/`)) return false;
          return select(memory.selector).some(({ metadata }) => names.has(metadata.name));
        })
        .map(([other]) => other);
      if (rivals.length === 0) return { pods: own };
      const all = [key, ...rivals].toSorted().join(' ');
      const message = `pods by selector: ${selector} are controlled by multiple HPAs: [${all}]`;
      return { pods: own, selectorProblem: { reason: 'AmbiguousSelector', message } };
    } catch (error) {
      if (!(error instanceof LabelSelectorError)) throw error;
      const message = `couldn't convert selector into a corresponding internal selector object: ${error.message}`;
      return { pods: [], selectorProblem: { reason: 'InvalidSelector', message } };
    }
  }

  async function tell(
    autoscaler: HorizontalPodAutoscaler,
    status: AutoscalerStatus,
    notes: readonly EventNote[],
    signal: AbortSignal,
  ): Promise<void> {
    for (const note of notes) events.record(HORIZONTAL_POD_AUTOSCALERS, autoscaler, note);
    if (equalJson(status, autoscaler.status)) return;
    await writer.updateStatus(HORIZONTAL_POD_AUTOSCALERS, { ...autoscaler, status }, signal);
  }

  async function step(
    autoscaler: HorizontalPodAutoscaler,
    found: { readonly resource: Resource; readonly scale: Scale },
    before: { readonly key: string; readonly history: ScalingHistory },
    signal: AbortSignal,
  ): Promise<Pick<AutoscalingDecision, 'status' | 'events' | 'history'>> {
    const { namespace = '' } = autoscaler.metadata;
    const { resource, scale } = found;
    const selector = scale.status?.selector ?? '';
    const chosen = selected(before.key, namespace, selector);
    const metrics = selector === '' ? [] : await podMetrics(namespace, selector, signal);
    const { history } = before;
    const decision = decideAutoscaling({
      ...{ autoscaler, scale, metrics, history, ...chosen },
      nowMs: clock.now(),
    });
    if (decision.rescale === undefined) return decision;
    try {
      await scales.set(resource, scale, decision.rescale.to, signal);
    } catch (error) {
      signal.throwIfAborted();
      const failed = notRescaled(decision, explain(error), clock.now());
      return { ...failed, events: [...decision.events, ...failed.events], history: decision.history };
    }
    const done = rescaled(decision, clock.now());
    return { ...done, events: [...decision.events, ...done.events] };
  }

  return createController(context, {
    name: 'horizontalpodautoscaling',
    sources: [fromObjects(autoscalers.informer), readOnly(pods)],
    reconcile: async ({ key, namespace = '' }, signal) => {
      const autoscaler = autoscalers.get(key);
      if (autoscaler === undefined || autoscaler.metadata.deletionTimestamp !== undefined) {
        memories.delete(key);
        return undefined;
      }
      const { spec } = autoscaler;
      const memory = memories.get(key);
      // Its own status comes back by the watch, and is no reason for a step.
      const leftMs = (memory?.dueAtMs ?? 0) - clock.now();
      if (leftMs > 0 && equalJson(memory?.spec, spec)) return { requeueAfterMs: leftMs };
      const dueAtMs = clock.now() + options.autoscalerPeriodMs;
      const history = memory?.history ?? NO_HISTORY;
      const remember = (selector: string, after = history): void => {
        memories.set(key, { history: after, spec, dueAtMs, selector });
      };
      remember(memory?.selector ?? '');
      const found = await scales.find(spec?.scaleTargetRef, namespace, signal);
      if (typeof found === 'string') {
        const { status, events: notes } = decideWithoutScale(autoscaler, found, clock.now());
        await tell(autoscaler, status, notes, signal);
      } else {
        const selector = found.scale.status?.selector ?? '';
        remember(selector);
        const outcome = await step(autoscaler, found, { key, history }, signal);
        remember(selector, outcome.history);
        await tell(autoscaler, outcome.status, outcome.events, signal);
      }
      return { requeueAfterMs: Math.max(1, dueAtMs - clock.now()) };
    },
  });
}
