import { createHash } from 'node:crypto';
import type { Pod, PodStatus } from '../../../api/core.ts';
import { PODS } from '../../../api/resources.ts';
import { isConflict, isNotFound } from '../../../kube/client/errors.ts';
import type { KubeClient } from '../../../kube/client/types.ts';
import { compareResourceVersions } from '../../../kube/runtime/resource-version.ts';
import { presentConditions } from '../pod/conditions.ts';
import { containerPath } from '../pod/container-path.ts';
import { afterRestart } from '../pod/crash-backoff.ts';
import { decidePod, type PodAction, stopDeadlineMs } from '../pod/decide.ts';
import { inheritContainers, newEphemeral, timeOf } from '../pod/inherit.ts';
import type {
  ObservedContainer,
  ObservedPod,
  PodDeletion,
  PodFailure,
  SandboxState,
  Termination,
} from '../pod/observed.ts';
import type { PodRunner } from '../pod/runner.ts';
import { backOffEvent, podStatus } from '../pod/status.ts';
import { withRemovals } from '../pod/status-writer.ts';
import type { WorkerContext } from '../pod/worker-context.ts';
import type { SimulatedAddresses } from './addresses.ts';
import { ContainerSimulation } from './container.ts';
import type { ContainerPlan, PodPlan } from './plan.ts';
import type { PendingWrite, WriteQueue } from './write-queue.ts';

/** An init container ends at once unless its own plan says otherwise. */
const INIT_PLAN: ContainerPlan = { runMs: 0 };
/** Decisions in a row without anything happening in between; more would be a circle. */
const MAX_ROUNDS = 100;

/** What all simulated pods of a cluster share. */
export interface SimulatedPodContext {
  readonly client: KubeClient;
  readonly addresses: SimulatedAddresses;
  readonly writes: WriteQueue;
}

/**
 * A pod of which nothing runs: it becomes ready, ends and goes as its plan says.
 *
 * The decisions are those of real pods (decidePod, podStatus), so restarts, back-off, init containers, deadlines and the
 * order of stopping are the same; what takes real pods processes and folders is a change of state here. A decision that
 * leads to another is made in the same moment, and the status is written once for all of them.
 */
export class SimulatedPod implements PodRunner, PendingWrite {
  readonly #plan: PodPlan;
  readonly #simulation: SimulatedPodContext;
  readonly #context: WorkerContext;
  readonly #containers = new Map<string, ObservedContainer>();
  readonly #runs = new Map<string, ContainerSimulation>();
  readonly #attempts = new Map<string, number>();
  readonly #startedAtMs: number;
  readonly #done = Promise.withResolvers<void>();
  #pod: Pod;
  #sandbox: SandboxState = { phase: 'none' };
  #deletion: PodDeletion | undefined;
  #failure: PodFailure | undefined;
  #conditions: NonNullable<PodStatus['conditions']>;
  #cancelWake = (): void => {};
  #state: 'awake' | 'paused' | 'closed' = 'awake';
  #scheduled = false;
  #wanted: PodStatus | undefined;
  /** Digest of what was written last: the texts of fifty thousand pods would be a hundred megabytes. */
  #written = '';
  #writtenReady: string | undefined;
  #writtenVersion: string | undefined;
  #removeObject = false;
  #backOffTold = '';

  constructor(pod: Pod, plan: PodPlan, simulation: SimulatedPodContext, context: WorkerContext) {
    this.#pod = pod;
    this.#plan = plan;
    this.#simulation = simulation;
    this.#context = context;
    this.#startedAtMs = timeOf(pod.status?.startTime, context.clock.now());
    this.#conditions = pod.status?.conditions ?? [];
    for (const { container, attempts } of inheritContainers(pod, context.clock.now())) {
      this.#containers.set(container.spec.name, { ...container, imageID: container.spec.image ?? '' });
      this.#attempts.set(container.spec.name, attempts);
    }
    this.#noteDeletion(pod);
    this.#kick();
  }

  get done(): Promise<void> {
    return this.#done.promise;
  }

  update(pod: Pod): void {
    this.#pod = pod;
    for (const container of newEphemeral(pod, this.#containers)) {
      this.#containers.set(container.spec.name, container);
    }
    this.#noteDeletion(pod);
    if (this.#isOverwritten(pod)) this.#written = '';
    this.#kick();
  }

  removed(): void {
    const deadlineMs = this.#deletion?.deadlineMs ?? this.#context.clock.now();
    this.#deletion = { deadlineMs, objectGone: true, requested: true };
    this.#kick();
  }

  /** Simulated containers refer to nothing. */
  objectChanged(): void {}

  pause(): void {
    if (this.#state === 'awake') this.#state = 'paused';
    this.#cancelWake();
  }

  resume(): void {
    if (this.#state !== 'paused') return;
    this.#state = 'awake';
    this.#written = '';
    this.#kick();
  }

  close(): Promise<void> {
    this.#state = 'closed';
    this.#cancelWake();
    for (const run of this.#runs.values()) run.end();
    this.#releaseAddress();
    return Promise.resolve();
  }

  #noteDeletion({ metadata }: Pod): void {
    if (metadata.deletionTimestamp === undefined || this.#deletion?.objectGone === true) return;
    const graceMs = (metadata.deletionGracePeriodSeconds ?? 30) * 1000;
    const deadlineMs = Math.min(
      this.#deletion?.deadlineMs ?? Number.POSITIVE_INFINITY,
      this.#context.clock.now() + graceMs,
    );
    this.#deletion = { deadlineMs, objectGone: false, requested: this.#deletion?.requested ?? false };
  }

  #kick(): void {
    if (this.#scheduled || this.#state !== 'awake') return;
    this.#scheduled = true;
    queueMicrotask(() => {
      this.#scheduled = false;
      if (this.#state === 'awake') this.#evaluate();
    });
  }

  #evaluate(): void {
    this.#cancelWake();
    for (let round = 0; round < MAX_ROUNDS && this.#state === 'awake'; round++) {
      const observed = this.#observe();
      const actions = decidePod(observed);
      let changed = false;
      for (const action of actions) changed = this.#apply(action, observed) || changed;
      if (changed) continue;
      this.#settle(observed, actions);
      return;
    }
  }

  /** Nothing more is to be done now: the status is written, and the next moment that matters waited for. */
  #settle(observed: ObservedPod, actions: readonly PodAction[]): void {
    if (this.#deletion?.objectGone !== true) {
      const present = presentConditions(this.#conditions, this.#pod.status?.conditions);
      const status = podStatus(observed, this.#context.node.hostIP, present);
      this.#conditions = status.conditions;
      this.#wanted = status;
      if (this.#removeObject || digestOf(status) !== this.#written) this.#simulation.writes.add(this);
    }
    const wakes = actions.flatMap((action) => (action.type === 'wake' ? [action.atMs] : []));
    if (wakes.length === 0) return;
    const { clock } = this.#context;
    const delayMs = Math.max(0, Math.min(...wakes) - clock.now());
    this.#cancelWake = clock.setTimer(delayMs, () => this.#kick());
  }

  #observe(): ObservedPod {
    const { metadata, spec = { containers: [] } } = this.#pod;
    return {
      namespace: metadata.namespace ?? '',
      name: metadata.name,
      uid: metadata.uid ?? '',
      spec,
      nowMs: this.#context.clock.now(),
      startedAtMs: this.#startedAtMs,
      ...(this.#deletion === undefined ? {} : { deletion: this.#deletion }),
      ...(this.#failure === undefined ? {} : { failure: this.#failure }),
      sandbox: this.#sandbox,
      containers: [...this.#containers.values()],
    };
  }

  /** Carries an action out; says whether that changed what decisions rest on. */
  #apply(action: PodAction, observed: ObservedPod): boolean {
    switch (action.type) {
      case 'make-sandbox':
        this.#sandbox = { phase: 'ready', ip: this.#address() };
        return true;
      case 'start':
        this.#start(action.container);
        return true;
      case 'stop':
        this.#stop(action.container, action.deadlineMs);
        return true;
      case 'back-off':
        this.#tellBackOff(action.container);
        return false;
      case 'fail':
        this.#failure = {
          reason: action.reason,
          message: action.message,
          deadlineMs: stopDeadlineMs(observed),
        };
        this.#event('Normal', action.reason, action.message);
        return true;
      case 'remove-sandbox':
        this.#sandbox = { phase: 'removed', ip: this.#releaseAddress() };
        return true;
      case 'delete-object':
        if (this.#deletion !== undefined) this.#deletion = { ...this.#deletion, requested: true };
        this.#removeObject = true;
        return true;
      case 'forget':
        this.#state = 'closed';
        this.#done.resolve();
        return false;
      // No image of a simulated container is ever missing.
      case 'image-back-off':
      case 'wake':
        return false;
    }
  }

  #address(): string {
    return this.#pod.spec?.hostNetwork === true
      ? this.#context.node.hostIP
      : this.#simulation.addresses.lease();
  }

  #releaseAddress(): string {
    const ip = 'ip' in this.#sandbox ? this.#sandbox.ip : '';
    if (this.#sandbox.phase === 'ready') this.#simulation.addresses.release(ip);
    return ip;
  }

  #start(name: string): void {
    const container = this.#containers.get(name);
    if (container === undefined) return;
    const attempt = this.#attempts.get(name) ?? 0;
    this.#attempts.set(name, attempt + 1);
    const previous = container.state.phase === 'exited' ? container.state.termination : undefined;
    const nowMs = this.#context.clock.now();
    this.#containers.set(name, {
      ...container,
      restarts: attempt,
      state: { phase: 'starting', ...(previous === undefined ? {} : { previous }) },
      ...(previous === undefined
        ? {}
        : { last: previous, backoff: afterRestart(container.backoff, previous.finishedAtMs, nowMs) }),
    });
    const run = new ContainerSimulation({
      plan: this.#planOf(container),
      pod: () => this.#pod,
      container: name,
      attempt,
      client: this.#simulation.client,
      clock: this.#context.clock,
      reports: {
        running: (id, ready) => this.#running(name, id, ready),
        ready: () => this.#becameReady(name),
        exited: (termination) => this.#exited(name, termination),
      },
    });
    this.#runs.set(name, run);
    run.start();
  }

  #planOf({ role, spec }: ObservedContainer): ContainerPlan {
    return this.#plan.containers?.[spec.name] ?? (role === 'init' ? INIT_PLAN : this.#plan);
  }

  #running(name: string, id: string, ready: boolean): void {
    const startedAtMs = this.#context.clock.now();
    this.#patch(name, { state: { phase: 'running', id, startedAtMs, started: true, ready } });
    this.#containerEvent(name, 'Normal', 'Started', `Started container ${name}`);
  }

  #becameReady(name: string): void {
    const state = this.#containers.get(name)?.state;
    if (state?.phase === 'running') this.#patch(name, { state: { ...state, ready: true } });
  }

  #exited(name: string, termination: Termination): void {
    this.#runs.delete(name);
    this.#patch(name, { state: { phase: 'exited', termination } });
    if (termination.reason === 'StartError') {
      this.#containerEvent(name, 'Warning', 'Failed', `Error: ${termination.message}`);
    }
  }

  #stop(name: string, deadlineMs: number): void {
    const state = this.#containers.get(name)?.state;
    if (state?.phase !== 'running' && state?.phase !== 'starting') return;
    if (state.stopByMs === undefined) {
      this.#containerEvent(name, 'Normal', 'Killing', `Stopping container ${name}`);
    }
    this.#patch(name, { state: { ...state, stopByMs: deadlineMs } });
    this.#runs.get(name)?.stop(deadlineMs);
  }

  #tellBackOff(name: string): void {
    const state = this.#containers.get(name)?.state;
    if (state?.phase !== 'exited' || this.#backOffTold === state.termination.id) return;
    this.#backOffTold = state.termination.id;
    this.#containerEvent(name, 'Warning', 'BackOff', backOffEvent(name, this.#pod));
  }

  #patch(name: string, change: Partial<ObservedContainer>): void {
    const container = this.#containers.get(name);
    if (container === undefined) return;
    this.#containers.set(name, { ...container, ...change });
    this.#kick();
  }

  #containerEvent(name: string, type: 'Normal' | 'Warning', reason: string, message: string): void {
    const path = containerPath(name, this.#containers.get(name)?.role);
    this.#event(type, reason, message, path);
  }

  #event(type: 'Normal' | 'Warning', reason: string, message: string, fieldPath?: string): void {
    if (this.#state !== 'awake') return;
    this.#context.event(this.#pod, {
      type,
      reason,
      message,
      ...(fieldPath === undefined ? {} : { fieldPath }),
    });
  }

  /** Writes the latest status, then removes the object if that is what is left to do. */
  async write(): Promise<'done' | 'retry'> {
    if (this.#state !== 'awake') return 'done';
    const wanted = this.#wanted;
    try {
      await this.#writeStatus();
      if (this.#removeObject) await this.#deleteObject();
      return 'done';
    } catch (error) {
      // Gone, or replaced by a namesake.
      if (isNotFound(error) || isConflict(error)) return 'done';
      this.#context.onError(error, 'simulated pod');
      this.#wanted ??= wanted;
      return 'retry';
    }
  }

  async #writeStatus(): Promise<void> {
    const status = this.#wanted;
    if (status === undefined) return;
    this.#wanted = undefined;
    const digest = digestOf(status);
    if (digest === this.#written) return;
    const { name, namespace = '', uid } = this.#pod.metadata;
    const { metadata } = await this.#simulation.client.patch<Pod>(
      PODS,
      name,
      'strategic',
      { metadata: { uid }, status: withRemovals(status) },
      { namespace, subresource: 'status' },
    );
    this.#written = digest;
    this.#writtenVersion = metadata.resourceVersion;
    this.#writtenReady = readyOf(status);
  }

  async #deleteObject(): Promise<void> {
    const { name, namespace = '', uid = '' } = this.#pod.metadata;
    await this.#simulation.client.delete(PODS, name, {
      namespace,
      gracePeriodSeconds: 0,
      preconditions: { uid },
    });
    this.#removeObject = false;
  }

  /** Whether somebody else has changed the condition Ready since: the node controller does when it takes the node for lost. */
  #isOverwritten(pod: Pod): boolean {
    const order = compareResourceVersions(pod.metadata.resourceVersion, this.#writtenVersion);
    return order !== undefined && order > 0 && readyOf(pod.status) !== this.#writtenReady;
  }
}

function readyOf(status: PodStatus | undefined): string | undefined {
  return status?.conditions?.find(({ type }) => type === 'Ready')?.status;
}

function digestOf(status: PodStatus): string {
  return createHash('sha1').update(JSON.stringify(status)).digest('base64');
}
