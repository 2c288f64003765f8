import { createHash } from 'node:crypto';
import { isConflict, isNotFound } from '@turnsole/kube/client/errors';
import type { KubeClient } from '@turnsole/kube/client/types';
import type { Pod, PodStatus } from '@turnsole/kube/kinds/core';
import { PODS } from '@turnsole/kube/kinds/resources';
import type { ObservedContainer, SandboxState, Termination } from '../pod/observed.ts';
import type { PodEffects } from '../pod/pod-effects.ts';
import { PodLife } from '../pod/pod-life.ts';
import type { PodRunner } from '../pod/runner.ts';
import { isOverwritten, patchStatus, type WrittenStatus } from '../pod/status-writer.ts';
import type { WorkerContext } from '../pod/worker-context.ts';
import type { SimulatedAddresses } from './addresses.ts';
import { ContainerSimulation } from './container.ts';
import type { ContainerPlan, PodPlan } from './plan.ts';
import type { PendingWrite, WriteQueue } from './write-queue.ts';

/** An init container ends at once unless its own plan says otherwise. */
const INIT_PLAN: ContainerPlan = { runMs: 0 };

/** What all simulated pods of a cluster share. */
export interface SimulatedPodContext {
  readonly client: KubeClient;
  readonly addresses: SimulatedAddresses;
  readonly writes: WriteQueue;
}

/**
 * A pod without processes: it becomes ready, ends and is removed as its plan says.
 *
 * It has the life of a real pod (PodLife), so restarts, back-off, init containers, deadlines and the order of stopping are
 * the same; for what takes real pods processes and folders, this one changes a state.
 */
export class SimulatedPod implements PodRunner, PodEffects, PendingWrite {
  readonly forcedGraceMs = 0;
  readonly #plan: PodPlan;
  readonly #simulation: SimulatedPodContext;
  readonly #context: WorkerContext;
  readonly #life: PodLife;
  readonly #runs = new Map<string, ContainerSimulation>();
  #sandbox: SandboxState = { phase: 'none' };
  #wanted: PodStatus | undefined;
  /** Digest of what was written last: the texts of fifty thousand pods would be a hundred megabytes. */
  #written = '';
  #last: WrittenStatus | undefined;
  #removeObject = false;

  constructor(pod: Pod, plan: PodPlan, simulation: SimulatedPodContext, context: WorkerContext) {
    this.#plan = plan;
    this.#simulation = simulation;
    this.#context = context;
    this.#life = new PodLife(pod, context, this);
    for (const [name, { spec }] of this.#life.containers) {
      this.#life.patch(name, { imageID: spec.image ?? '' });
    }
  }

  get done(): Promise<void> {
    return this.#life.done;
  }

  update(pod: Pod): void {
    this.#life.update(pod);
    if (isOverwritten(pod, this.#last)) this.#written = '';
  }

  roomChanged(): void {
    this.#life.roomChanged();
  }

  removed(): void {
    this.#life.removed();
  }

  /** Simulated containers refer to nothing. */
  objectChanged(): void {}

  pause(): void {
    this.#life.pause();
  }

  resume(): void {
    if (this.#life.resume()) this.#written = '';
  }

  close(): Promise<void> {
    this.#life.close();
    for (const run of this.#runs.values()) run.end();
    this.#releaseAddress();
    return Promise.resolve();
  }

  observeSandbox(): SandboxState {
    return this.#sandbox;
  }

  makeSandbox(): void {
    const isOnHost = this.#life.pod.spec?.hostNetwork === true;
    const ip = isOnHost ? this.#context.node.hostIP : this.#simulation.addresses.lease();
    this.#sandbox = { phase: 'ready', ip };
  }

  removeSandbox(): void {
    this.#sandbox = { phase: 'removed', ip: this.#releaseAddress() };
  }

  #releaseAddress(): string {
    const ip = 'ip' in this.#sandbox ? this.#sandbox.ip : '';
    if (this.#sandbox.phase === 'ready') this.#simulation.addresses.release(ip);
    return ip;
  }

  startContainer(name: string): void {
    const container = this.#life.containers.get(name);
    if (container === undefined) return;
    const previous = container.state.phase === 'exited' ? container.state.termination : undefined;
    const attempt = this.#life.countAttempt(name, previous);
    this.#life.patch(name, {
      state: { phase: 'starting', previous },
      last: previous ?? container.last,
    });
    const run = new ContainerSimulation({
      plan: this.#planOf(container),
      pod: () => this.#life.pod,
      container: name,
      attempt,
      client: this.#simulation.client,
      clock: this.#context.clock,
      reports: {
        running: (id, ready) => this.#running(name, id, ready),
        ready: () => this.#life.patchRunning(name, { ready: true }),
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
    const resources = this.#life.containers.get(name)?.spec.resources;
    const state = { phase: 'running', id, startedAtMs, started: true, ready, resources } as const;
    this.#life.patch(name, { state });
    this.#life.containerEvent(name, 'Normal', 'Started', 'Container started');
  }

  #exited(name: string, termination: Termination): void {
    this.#runs.delete(name);
    this.#life.patch(name, { state: { phase: 'exited', termination } });
    if (termination.reason === 'StartError') {
      this.#life.containerEvent(name, 'Warning', 'Failed', `Error: ${termination.message}`);
    }
  }

  /** Nothing limits it. */
  resizeContainer(): void {}

  stopContainer(name: string, deadlineMs: number, why = `Stopping container ${name}`): void {
    const stopped = this.#life.noteStop(name, deadlineMs);
    if (stopped === 'first') {
      this.#life.containerEvent(name, 'Normal', 'Killing', why);
    }
    if (stopped !== undefined) this.#runs.get(name)?.stop(deadlineMs);
  }

  offerStatus(status: PodStatus): void {
    this.#wanted = status;
    if (digestOf(status) !== this.#written) this.#simulation.writes.add(this);
  }

  deleteObject(): void {
    this.#removeObject = true;
    this.#simulation.writes.add(this);
  }

  /** Nothing is kept of a simulated pod. */
  forget(): void {}

  /** Writes the latest status, then removes the object if only that is left to do. */
  async write(): Promise<'done' | 'retry'> {
    if (!this.#life.isAwake) return 'done';
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
    this.#last = await patchStatus(this.#simulation.client, this.#life.pod.metadata, status);
    this.#written = digest;
  }

  async #deleteObject(): Promise<void> {
    const { name, namespace = '', uid = '' } = this.#life.pod.metadata;
    await this.#simulation.client.delete(PODS, name, {
      namespace,
      gracePeriodSeconds: 0,
      preconditions: { uid },
    });
    this.#removeObject = false;
  }
}

function digestOf(status: PodStatus): string {
  return createHash('sha1').update(JSON.stringify(status)).digest('base64');
}
