import { isNotFound } from '@turnsole/kube/client/errors';
import { ControllerBase } from '@turnsole/kube/controllers/controller';
import { explain } from '@turnsole/kube/controllers/errors';
import { readOnly } from '@turnsole/kube/controllers/sources';
import type { Pod } from '@turnsole/kube/kinds/core';
import { HORIZONTAL_POD_AUTOSCALERS, POD_METRICS, PODS, type Resource } from '@turnsole/kube/kinds/resources';
import { fromObjects, type ReconcileRequest, type ReconcileResult } from '@turnsole/kube/runtime/index';
import { equivalentJson } from '@turnsole/kube/text/json';
import type { ClusterContext } from '../shared/cluster-context.ts';
import type { ScalingHistory } from './behavior.ts';
import {
  type AutoscalingDecision,
  decideAutoscaling,
  decideWithoutScale,
  notRescaled,
  rescaled,
} from './decide-autoscaling.ts';
import { ScaleClient } from './scale-client.ts';
import { targetPods } from './target-pods.ts';
import type { HorizontalPodAutoscaler, PodMetrics, Scale } from './types.ts';

const NO_HISTORY: ScalingHistory = { recommendations: [], changes: [] };

/** The memory of an autoscaler between its steps. */
interface Memory {
  readonly history: ScalingHistory;
  /** The specification that the last step was for, and when the next is due unless it changes. */
  readonly spec: HorizontalPodAutoscaler['spec'];
  readonly dueAtMs: number;
  /** Pods of its target. */
  readonly selector: string;
}

/** The outcome of a step, as far as it is reported and remembered. */
type Outcome = Pick<AutoscalingDecision, 'status' | 'events' | 'history'>;

/** Scales the targets of autoscalers by the usage of their pods: a step each period, and at once when a spec changes. */
export class HorizontalPodAutoscalerController extends ControllerBase<ClusterContext> {
  readonly name = 'horizontalpodautoscaling';
  readonly #autoscalers = this.context.informers.view<HorizontalPodAutoscaler>(HORIZONTAL_POD_AUTOSCALERS);
  readonly #pods = this.context.informers.view<Pod>(PODS);
  readonly #scales = new ScaleClient(this.context.client);
  readonly #events = this.context.eventsOf('horizontal-pod-autoscaler');
  readonly #memories = new Map<string, Memory>();
  readonly sources = [fromObjects(this.#autoscalers.informer), readOnly(this.#pods)];

  async reconcile({ key }: ReconcileRequest, signal: AbortSignal): Promise<ReconcileResult | undefined> {
    const { clock, options } = this.context;
    const autoscaler = this.#autoscalers.get(key);
    if (autoscaler === undefined || autoscaler.metadata.deletionTimestamp !== undefined) {
      this.#memories.delete(key);
      return undefined;
    }
    const memory = this.#memories.get(key);
    // The watch event of its own status write is no reason for a step.
    const leftMs = (memory?.dueAtMs ?? 0) - clock.now();
    if (leftMs > 0 && equivalentJson(memory?.spec, autoscaler.spec)) return { requeueAfterMs: leftMs };
    const dueAtMs = clock.now() + options.autoscalerPeriodMs;
    const { history, selector } = memory ?? { history: NO_HISTORY, selector: '' };
    this.#memories.set(key, { history, selector, spec: autoscaler.spec, dueAtMs });
    await this.#writeStatus(autoscaler, await this.#step(key, autoscaler, signal), signal);
    return { requeueAfterMs: Math.max(1, dueAtMs - clock.now()) };
  }

  async #step(
    key: string,
    autoscaler: HorizontalPodAutoscaler,
    signal: AbortSignal,
  ): Promise<Pick<Outcome, 'status' | 'events'>> {
    const { namespace = '' } = autoscaler.metadata;
    const found = await this.#scales.find(autoscaler.spec?.scaleTargetRef, namespace, signal);
    if (typeof found === 'string') return decideWithoutScale(autoscaler, found, this.context.clock.now());
    // Before its pods are found, so that others see which it scales.
    this.#remember(key, { selector: found.scale.status?.selector ?? '' });
    const decision = await this.#decide(key, autoscaler, found.scale, signal);
    const outcome = await this.#rescale(found, decision, signal);
    this.#remember(key, { history: outcome.history });
    return outcome;
  }

  async #decide(
    key: string,
    autoscaler: HorizontalPodAutoscaler,
    scale: Scale,
    signal: AbortSignal,
  ): Promise<AutoscalingDecision> {
    const { namespace = '' } = autoscaler.metadata;
    const selector = scale.status?.selector ?? '';
    const others = [...this.#memories].map(([other, memory]) => ({ key: other, selector: memory.selector }));
    const chosen = targetPods(this.#pods, namespace, { key, selector }, others);
    const metrics = selector === '' ? [] : await this.#podMetrics(namespace, selector, signal);
    const history = this.#memories.get(key)?.history ?? NO_HISTORY;
    return decideAutoscaling({
      autoscaler,
      scale,
      metrics,
      history,
      ...chosen,
      nowMs: this.context.clock.now(),
    });
  }

  async #podMetrics(
    namespace: string,
    labelSelector: string,
    signal: AbortSignal,
  ): Promise<readonly PodMetrics[] | Error> {
    try {
      const options = { namespace, labelSelector, signal };
      return (await this.context.client.list<PodMetrics>(POD_METRICS, options)).items;
    } catch (error) {
      signal.throwIfAborted();
      const why = isNotFound(error)
        ? 'the server could not find the requested resource (get pods.metrics.k8s.io)'
        : explain(error);
      return new Error(`unable to fetch metrics from resource metrics API: ${why}`, { cause: error });
    }
  }

  /** Sets the scale as decided. A failure is reported like an outcome. */
  async #rescale(
    { resource, scale }: { readonly resource: Resource; readonly scale: Scale },
    decision: AutoscalingDecision,
    signal: AbortSignal,
  ): Promise<Outcome> {
    const { clock } = this.context;
    if (decision.rescale === undefined) return decision;
    try {
      await this.#scales.set(resource, scale, decision.rescale.to, signal);
    } catch (error) {
      signal.throwIfAborted();
      const failed = notRescaled(decision, explain(error), clock.now());
      return { ...failed, events: [...decision.events, ...failed.events], history: decision.history };
    }
    const done = rescaled(decision, clock.now());
    return { ...done, events: [...decision.events, ...done.events] };
  }

  async #writeStatus(
    autoscaler: HorizontalPodAutoscaler,
    { status, events }: Pick<Outcome, 'status' | 'events'>,
    signal: AbortSignal,
  ): Promise<void> {
    for (const note of events) this.#events.record(HORIZONTAL_POD_AUTOSCALERS, autoscaler, note);
    await this.context.writer.setStatus(HORIZONTAL_POD_AUTOSCALERS, autoscaler, status, signal);
  }

  #remember(key: string, change: Partial<Memory>): void {
    const memory = this.#memories.get(key);
    if (memory !== undefined) this.#memories.set(key, { ...memory, ...change });
  }
}
