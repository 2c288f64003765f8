import type { Clock } from '@turnsole/kube/base/clock';
import type { Pod } from '@turnsole/kube/kinds/core';
import { messageOf } from '@turnsole/kube/text/error-message';
import { metaTime } from '@turnsole/kube/text/time';
import type { Refusal } from '../admission.ts';
import { askedContainers, hasSameAmounts, resizeMessage, resizeStep } from './allocation.ts';
import type { PodCondition } from './conditions.ts';
import type { ObservedContainer } from './observed.ts';
import type { PodEvent } from './worker-context.ts';

/** What a resize works on. */
interface ResizeHost {
  /** As its object is now. */
  pod(): Pod;
  readonly containers: ReadonlyMap<string, ObservedContainer>;
  readonly clock: Clock;
  /** Grants the pod what its specification asks for, or says why the node cannot. */
  grant(pod: Pod): Refusal | undefined;
  patch(name: string, change: Partial<ObservedContainer>): void;
  /** Gives a run other limits. Throws what keeps it from them. */
  update(container: ObservedContainer): void;
  /** Stops a container so that it is started again with what it was granted. */
  restart(container: ObservedContainer): void;
  event(event: PodEvent): void;
}

interface Shown {
  readonly reason?: string;
  readonly message?: string;
  readonly generation: number | undefined;
  readonly sinceMs: number;
}

/** What a run does not take is tried again this often: kubelet's pause after a failed synchronisation. */
const RETRY_MS = 10_000;

/**
 * Brings the containers of one pod to the resources that its specification asks for now: first the node grants them, then each container
 * gets them, by a change of its limits or by a restart. Conditions and Events are kubelet's.
 */
export class PodResizing {
  readonly #host: ResizeHost;
  #isDue = true;
  #pending: Shown | undefined;
  #progress: Shown | undefined;
  #retryAtMs: number | undefined;

  constructor(host: ResizeHost) {
    this.#host = host;
    // Of what an agent before this one has told, nobody is told again.
    const told: (PodCondition & { readonly observedGeneration?: number }) | undefined = host
      .pod()
      .status?.conditions?.find(({ type }) => type === 'PodResizePending');
    if (told === undefined) return;
    const { reason, message, observedGeneration } = told;
    const sinceMs = Date.parse(told.lastTransitionTime ?? '') || host.clock.now();
    this.#pending = {
      ...(reason === undefined ? {} : { reason }),
      ...(message === undefined ? {} : { message }),
      generation: observedGeneration,
      sinceMs,
    };
  }

  /** The specification, or what the node has room for, has changed. */
  markDue(): void {
    this.#isDue = true;
  }

  /** When to step again if nothing happens before. */
  get retryAtMs(): number | undefined {
    return this.#retryAtMs;
  }

  get conditions(): PodCondition[] {
    return [
      ...(this.#pending === undefined ? [] : [condition('PodResizePending', this.#pending)]),
      ...(this.#progress === undefined ? [] : [condition('PodResizeInProgress', this.#progress)]),
    ];
  }

  /** Does what can be done now. */
  step(): void {
    if (this.#isDue) this.#ask();
    this.#carryOut();
  }

  #ask(): void {
    this.#isDue = false;
    const { containers, clock } = this.#host;
    const pod = this.#host.pod();
    const { generation } = pod.metadata;
    const asked = askedContainers(pod.spec);
    const others = [...containers.values()].filter(
      ({ role, spec }) =>
        role !== 'ephemeral' && !hasSameAmounts(spec.resources, asked.get(spec.name)?.resources),
    );
    if (others.length === 0) {
      this.#pending = undefined;
      return;
    }
    const refusal = this.#host.grant(pod);
    if (refusal !== undefined) {
      this.#defer(refusal.message);
      return;
    }
    this.#pending = undefined;
    this.#progress = { generation, sinceMs: clock.now() };
    this.#retryAtMs = undefined;
    for (const { spec } of others) {
      this.#host.patch(spec.name, { spec: { ...spec, resources: asked.get(spec.name)?.resources } });
    }
    const message = resizeMessage('started', pod.spec, generation);
    this.#host.event({ type: 'Normal', reason: 'ResizeStarted', message });
  }

  #defer(message: string): void {
    const { clock } = this.#host;
    const pod = this.#host.pod();
    const { generation } = pod.metadata;
    const before = this.#pending;
    this.#pending = {
      reason: 'Deferred',
      message,
      generation,
      sinceMs: before?.reason === 'Deferred' ? before.sinceMs : clock.now(),
    };
    if (before?.reason === 'Deferred' && before.generation === generation) return;
    this.#host.event({
      type: 'Warning',
      reason: 'ResizeDeferred',
      message: resizeMessage('Deferred', pod.spec, generation, message),
    });
  }

  #carryOut(): void {
    const { containers, clock } = this.#host;
    const unequal = [...containers.values()].flatMap((container) => {
      const step = resizeStep(container);
      return step === undefined ? [] : [{ container, step }];
    });
    if (unequal.length > 0 && clock.now() < (this.#retryAtMs ?? 0)) return;
    this.#retryAtMs = undefined;
    const errors: string[] = [];
    for (const { container, step } of unequal) {
      if (step === 'restart') this.#host.restart(container);
      else this.#tryUpdate(container, errors);
    }
    if (errors.length > 0) this.#fail(errors.length === 1 ? (errors[0] ?? '') : `[${errors.join(', ')}]`);
    else if (!unequal.some(({ step }) => step === 'restart')) this.#complete();
  }

  #tryUpdate(container: ObservedContainer, errors: string[]): void {
    const { state, spec } = container;
    if (state.phase !== 'running') return;
    try {
      this.#host.update(container);
      this.#host.patch(spec.name, { state: { ...state, resources: spec.resources } });
    } catch (error) {
      errors.push(messageOf(error));
    }
  }

  #fail(message: string): void {
    const { clock } = this.#host;
    const pod = this.#host.pod();
    const nowMs = clock.now();
    this.#retryAtMs = nowMs + RETRY_MS;
    const before = this.#progress;
    const generation = before?.generation ?? pod.metadata.generation;
    const sinceMs = before?.reason === 'Error' ? before.sinceMs : nowMs;
    this.#progress = { reason: 'Error', message, generation, sinceMs };
    if (before?.reason === 'Error' && before.message === message) return;
    this.#host.event({
      type: 'Warning',
      reason: 'ResizeError',
      message: resizeMessage('error', pod.spec, generation, message),
    });
  }

  #complete(): void {
    const { containers } = this.#host;
    const pod = this.#host.pod();
    const isStopping = ({ state }: ObservedContainer): boolean =>
      state.phase === 'running' && state.stopByMs !== undefined;
    const progress = this.#progress;
    if (progress === undefined || [...containers.values()].some((one) => one.mustRestart && isStopping(one)))
      return;
    this.#progress = undefined;
    const message = resizeMessage('completed', pod.spec, progress.generation);
    this.#host.event({ type: 'Normal', reason: 'ResizeCompleted', message });
  }
}

function condition(type: string, { reason, message, generation, sinceMs }: Shown): PodCondition {
  return {
    type,
    status: 'True',
    ...(reason === undefined ? {} : { reason }),
    ...(message === undefined ? {} : { message }),
    ...(generation === undefined ? {} : { observedGeneration: generation }),
    lastProbeTime: metaTime(sinceMs),
    lastTransitionTime: metaTime(sinceMs),
  };
}
