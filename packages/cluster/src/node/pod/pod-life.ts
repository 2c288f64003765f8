import { LOOK_EVERY_MS } from '@turnsole/kube/base/time-of-day';
import type { Pod, PodStatus } from '@turnsole/kube/kinds/core';
import { grantedSpec, withResources } from './allocation.ts';
import { presentConditions } from './conditions.ts';
import { containerPath } from './container-path.ts';
import { afterRestart } from './crash-backoff.ts';
import { decidePod, type PodAction, stopDeadlineMs } from './decide.ts';
import { seenDeletion } from './deletion.ts';
import { inheritContainers, newEphemeral, timeOf } from './inherit.ts';
import type { ObservedContainer, ObservedPod, PodDeletion, PodFailure, Termination } from './observed.ts';
import type { PodEffects } from './pod-effects.ts';
import { PodResizing } from './pod-resizing.ts';
import { backOffEvent, podStatus } from './status.ts';
import type { PodEvent, WorkerContext } from './worker-context.ts';

type LifeContext = Pick<WorkerContext, 'clock' | 'node' | 'event' | 'grant'>;

/** Decisions in a row without anything happening in between; more would be a circle. */
const MAX_ROUNDS = 100;

/**
 * Keeps one pod as its object demands, whether it is processes or simulated: observes, lets decidePod decide, carries the actions
 * out, and offers the status.
 *
 * Every event (the object changes, a container ends, a probe succeeds, time passes) changes the observation and
 * leads to `#evaluate`, which is synchronous; slow work runs beside it and changes the observation again. A decision
 * that leads to another is made in the same moment, and the status is made once for all of them.
 */
export class PodLife {
  readonly #context: LifeContext;
  readonly #effects: PodEffects;
  readonly #containers = new Map<string, ObservedContainer>();
  readonly #attempts = new Map<string, number>();
  readonly #startedAtMs: number;
  readonly #done = Promise.withResolvers<void>();
  #pod: Pod;
  #deletion: PodDeletion | undefined;
  #failure: PodFailure | undefined;
  #conditions: NonNullable<PodStatus['conditions']>;
  #cancelWake = (): void => {};
  #state: 'awake' | 'paused' | 'closed' = 'awake';
  #isScheduled = false;
  /** Whether something has happened since it was last observed. */
  #hasChanged = false;
  #isObjectUnwanted = false;
  /** What to do when the pause ends. */
  #missed: (() => void)[] = [];
  /** There once the specification has changed. */
  #resizing: PodResizing | undefined;
  /** The run or attempt of each container whose back-off users have been shown; made for the first. */
  #shownBackOffs: Map<string, string> | undefined;

  /** The first decision is made in a moment: when the effects have been constructed. */
  constructor(pod: Pod, context: LifeContext, effects: PodEffects) {
    this.#pod = pod;
    this.#context = context;
    this.#effects = effects;
    const nowMs = context.clock.now();
    this.#startedAtMs = timeOf(pod.status?.startTime, nowMs);
    this.#conditions = pod.status?.conditions ?? [];
    for (const { container, attempts } of inheritContainers({ ...pod, spec: grantedSpec(pod) }, nowMs)) {
      this.#containers.set(container.spec.name, container);
      this.#attempts.set(container.spec.name, attempts);
    }
    this.#deletion = seenDeletion(pod, undefined, nowMs);
    if ((pod.metadata.generation ?? 0) > 1) this.#resizing = this.#newResizing();
    this.kick();
  }

  /** As its object is now. */
  get pod(): Pod {
    return this.#pod;
  }

  get containers(): ReadonlyMap<string, ObservedContainer> {
    return this.#containers;
  }

  get isAwake(): boolean {
    return this.#state === 'awake';
  }

  get isClosed(): boolean {
    return this.#state === 'closed';
  }

  /** Resolves when nothing of the pod is left and its object is gone. */
  get done(): Promise<void> {
    return this.#done.promise;
  }

  /** As its object is now, but for resources: those that the node has granted. */
  get granted(): Pod {
    const { spec } = this.#pod;
    if (spec === undefined || this.#resizing === undefined) return this.#pod;
    const granted = withResources(spec, ({ name }) => this.#containers.get(name)?.spec.resources);
    return { ...this.#pod, spec: granted };
  }

  /** The pod's object has changed. */
  update(pod: Pod): void {
    const isOtherSpec = pod.metadata.generation !== this.#pod.metadata.generation;
    this.#pod = pod;
    if (isOtherSpec) {
      this.#resizing ??= this.#newResizing();
      this.#resizing.markDue();
    }
    for (const container of newEphemeral(pod, this.#containers)) {
      this.#containers.set(container.spec.name, container);
    }
    this.#deletion = seenDeletion(pod, this.#deletion, this.#context.clock.now());
    this.kick();
  }

  /** The node may have room now for what it had not. */
  roomChanged(): void {
    this.#resizing?.markDue();
    this.kick();
  }

  /** The pod's object is gone. */
  removed(): void {
    const deadlineMs = this.#deletion?.deadlineMs ?? this.#context.clock.now() + this.#effects.forcedGraceMs;
    this.#deletion = { deadlineMs, objectGone: true, requested: true };
    this.kick();
  }

  /** Decides and reports nothing until it is resumed. Idempotent. */
  pause(): void {
    if (this.#state === 'awake') this.#state = 'paused';
    this.#cancelWake();
  }

  /** Goes on with all that has happened meanwhile; says whether there was a pause. */
  resume(): boolean {
    if (this.#state !== 'paused') return false;
    this.#state = 'awake';
    for (const act of this.#missed.splice(0)) act();
    this.kick();
    return true;
  }

  /** Acts now, or when the pause ends. */
  whenAwake(act: () => void): void {
    if (this.#state === 'paused') this.#missed.push(act);
    else act();
  }

  /** Decides no more. */
  close(): void {
    this.#state = 'closed';
    this.#cancelWake();
  }

  /** Changes the observation of a container. */
  patch(name: string, change: Partial<ObservedContainer>): void {
    const container = this.#containers.get(name);
    if (container === undefined) return;
    this.#containers.set(name, { ...container, ...change });
    this.kick();
  }

  patchRunning(name: string, change: { started?: boolean; ready?: boolean }): void {
    const state = this.#containers.get(name)?.state;
    if (state?.phase === 'running') this.patch(name, { state: { ...state, ...change } });
  }

  /** A container is to be gone by the deadline; says whether it has one to stop, and was not being stopped before. */
  noteStop(name: string, deadlineMs: number): 'first' | 'again' | undefined {
    const state = this.#containers.get(name)?.state;
    if (state?.phase !== 'running' && state?.phase !== 'starting') return undefined;
    this.patch(name, { state: { ...state, stopByMs: deadlineMs } });
    return state.stopByMs === undefined ? 'first' : 'again';
  }

  /** Counts an attempt to run a container after its last run, if there was one; gives its number, from 0. */
  countAttempt(name: string, previous: Termination | undefined): number {
    const attempt = this.#attempts.get(name) ?? 0;
    this.#attempts.set(name, attempt + 1);
    const { backoff, mustRestart } = this.#containers.get(name) ?? {};
    this.patch(name, {
      restarts: attempt,
      mustRestart: false,
      backoff:
        previous === undefined || mustRestart === true
          ? backoff
          : afterRestart(backoff, previous.finishedAtMs, this.#context.clock.now()),
    });
    return attempt;
  }

  /** Records an Event on the pod, unless it is not looked after any more. */
  event(event: PodEvent): void {
    if (this.#state === 'awake') this.#context.event(this.#pod, event);
  }

  /** Records an Event on one of its containers. */
  containerEvent(name: string, type: PodEvent['type'], reason: string, message: string): void {
    const fieldPath = containerPath(name, this.#containers.get(name)?.role);
    this.event({ type, reason, message, fieldPath });
  }

  /** Something has happened; several changes of one moment are handled together. */
  kick(): void {
    this.#hasChanged = true;
    if (this.#isScheduled || this.#state !== 'awake') return;
    this.#isScheduled = true;
    queueMicrotask(() => {
      if (this.#state === 'awake') this.#evaluate();
      this.#isScheduled = false;
    });
  }

  #evaluate(): void {
    this.#cancelWake();
    for (let round = 0; round < MAX_ROUNDS && this.#state === 'awake'; round++) {
      this.#hasChanged = false;
      if (this.#deletion === undefined && this.#failure === undefined) this.#resizing?.step();
      const observed = this.#observe();
      const actions = decidePod(observed);
      for (const action of actions) this.#apply(action, observed);
      if (this.#hasChanged) continue;
      this.#settle(observed, actions);
      return;
    }
  }

  /** Nothing more is to be done now: the status is offered, and the next moment that matters waited for. */
  #settle(observed: ObservedPod, actions: readonly PodAction[]): void {
    if (this.#deletion?.objectGone !== true) {
      const present = presentConditions(this.#conditions, this.#pod.status?.conditions);
      const status = podStatus(observed, this.#context.node.hostIP, present);
      this.#conditions = status.conditions;
      this.#effects.offerStatus(status);
    }
    if (this.#isObjectUnwanted) {
      this.#isObjectUnwanted = false;
      this.#effects.deleteObject();
    }
    const retryAtMs = this.#resizing?.retryAtMs;
    const wakes = actions.flatMap((action) => (action.type === 'wake' ? [action.atMs] : []));
    if (retryAtMs !== undefined) wakes.push(retryAtMs);
    if (wakes.length === 0) return;
    const { clock } = this.#context;
    const delayMs = Math.max(0, Math.min(...wakes) - clock.now());
    // Sooner, in case the time of day is set, or the machine sleeps.
    this.#cancelWake = clock.setTimer(Math.min(delayMs, LOOK_EVERY_MS), () => this.kick());
  }

  #observe(): ObservedPod {
    const { metadata, spec = { containers: [] } } = this.#pod;
    return {
      namespace: metadata.namespace ?? '',
      name: metadata.name,
      uid: metadata.uid ?? '',
      generation: metadata.generation,
      spec,
      nowMs: this.#context.clock.now(),
      startedAtMs: this.#startedAtMs,
      deletion: this.#deletion,
      failure: this.#failure,
      sandbox: this.#effects.observeSandbox(this.#deletion !== undefined || this.#failure !== undefined),
      containers: [...this.#containers.values()],
      resizing: this.#deletion === undefined ? this.#resizing?.conditions : undefined,
    };
  }

  #newResizing(): PodResizing {
    const { clock, grant } = this.#context;
    return new PodResizing({
      pod: () => this.#pod,
      containers: this.#containers,
      clock,
      grant,
      patch: (name, change) => this.patch(name, change),
      update: ({ spec }) => this.#effects.resizeContainer(spec),
      restart: ({ spec }) => this.#restartResized(spec.name),
      event: (event) => this.event(event),
    });
  }

  #restartResized(name: string): void {
    this.patch(name, { mustRestart: true });
    const deadlineMs = stopDeadlineMs(this.#observe());
    this.#effects.stopContainer(name, deadlineMs, `Container ${name} resize requires restart`);
  }

  #apply(action: PodAction, observed: ObservedPod): void {
    switch (action.type) {
      case 'wake':
        return;
      case 'back-off':
        this.#reportBackOff(action.container);
        return;
      case 'image-back-off':
        this.#reportImageBackOff(action.container);
        return;
      case 'make-sandbox':
        this.#effects.makeSandbox();
        break;
      case 'start':
        this.#effects.startContainer(action.container);
        break;
      case 'stop':
        this.#effects.stopContainer(action.container, action.deadlineMs);
        break;
      case 'fail': {
        const { reason, message } = action;
        this.#failure = { reason, message, deadlineMs: stopDeadlineMs(observed) };
        this.event({ type: 'Normal', reason, message });
        break;
      }
      case 'remove-sandbox':
        this.#effects.removeSandbox();
        break;
      case 'delete-object':
        if (this.#deletion !== undefined) this.#deletion = { ...this.#deletion, requested: true };
        this.#isObjectUnwanted = true;
        break;
      case 'forget':
        this.close();
        this.#effects.forget();
        this.#done.resolve();
        break;
    }
    this.#hasChanged = true;
  }

  /** Whether users have not been shown yet what a container waits for now. */
  #isNews(name: string, what: string): boolean {
    this.#shownBackOffs ??= new Map();
    if (this.#shownBackOffs.get(name) === what) return false;
    this.#shownBackOffs.set(name, what);
    return true;
  }

  #reportBackOff(name: string): void {
    const state = this.#containers.get(name)?.state;
    if (state?.phase !== 'exited' || !this.#isNews(name, state.termination.id)) return;
    this.containerEvent(name, 'Warning', 'BackOff', backOffEvent(name, this.#pod));
  }

  #reportImageBackOff(name: string): void {
    const { problem, spec } = this.#containers.get(name) ?? {};
    if (!this.#isNews(name, `image ${problem?.atMs}`)) return;
    const message = `Back-off pulling image ${JSON.stringify(spec?.image ?? '')}`;
    this.containerEvent(name, 'Normal', 'BackOff', message);
    this.containerEvent(name, 'Warning', 'Failed', 'Error: ImagePullBackOff');
  }
}
