import { Backoff } from '@turnsole/kube/base/backoff';
import type { Pod } from '@turnsole/kube/kinds/core';
import { messageOf } from '@turnsole/kube/text/error-message';
import type { PodPlacement } from '../env/downward.ts';
import type { PodSandbox } from '../runtime/types.ts';
import { PodVolumes } from '../volumes/pod-volumes.ts';
import type { SandboxState } from './observed.ts';
import type { PodEvent, WorkerContext } from './worker-context.ts';

const BACKOFF = { baseMs: 500, maxMs: 122_000, jitter: 'none' } as const;

/** A sandbox with its volumes, ready for containers. */
interface ReadySandbox {
  readonly sandbox: PodSandbox;
  readonly volumes: PodVolumes;
  readonly placement: PodPlacement;
}

/** What the keeper reports to its worker. */
interface SandboxReports {
  /** The state has changed. */
  changed(): void;
  event(event: PodEvent): void;
}

/** Makes and removes the address, folders and volumes of one pod, and knows how far that is. */
export class SandboxKeeper {
  readonly #context: WorkerContext;
  readonly #reports: SandboxReports;
  readonly #backoff = new Backoff(BACKOFF);
  #state: SandboxState = { phase: 'none' };
  #sandbox: PodSandbox | undefined;
  #volumes: PodVolumes | undefined;
  #closed = false;

  constructor(context: WorkerContext, reports: SandboxReports) {
    this.#context = context;
    this.#reports = reports;
  }

  /** The sandbox for containers; undefined until everything is made. */
  get ready(): ReadySandbox | undefined {
    const sandbox = this.#sandbox;
    const volumes = this.#volumes;
    if (this.#state.phase !== 'ready' || sandbox === undefined || volumes === undefined) return undefined;
    return { sandbox, volumes, placement: this.#placement(sandbox) };
  }

  /** Volumes as far as they are made, to be kept up to date. */
  get volumes(): PodVolumes | undefined {
    return this.#volumes;
  }

  /** The state as decisions see it: a pod that is being deleted while its volumes cannot be made must not leave what it has. */
  observe(isGoing: boolean): SandboxState {
    const made = this.#sandbox;
    if (this.#state.phase !== 'none' || made === undefined || !isGoing) return this.#state;
    return { phase: 'ready', ip: made.ip };
  }

  /** Lets a waiting attempt be made at once: something it failed for may be there now. */
  hurry(): void {
    if (this.#state.phase === 'none') this.#state = { phase: 'none' };
  }

  /** Makes sandbox and volumes; reports a failure and tries again later. Never rejects. */
  async make(pod: Pod): Promise<void> {
    const { clock, claimsDirectory, nodeFolders, users, volumes: sources } = this.#context;
    const group = pod.spec?.securityContext?.fsGroup ?? 0;
    this.#state = { phase: 'making' };
    try {
      this.#sandbox ??= await this.#create(pod);
      this.#volumes ??= new PodVolumes(pod, {
        directory: this.#sandbox.directory,
        claimsDirectory,
        nodeFolders,
        placement: this.#placement(this.#sandbox),
        sources,
        clock,
        appliesGroup: this.#sandbox.hasOwnRoot && users?.hasGroup(group) !== false,
        onError: (error) =>
          this.#reports.event({ type: 'Warning', reason: 'FailedMount', message: error.message }),
      });
      await this.#volumes.prepare();
      this.#state = { phase: 'ready', ip: this.#sandbox.ip };
    } catch (error) {
      const message = messageOf(error);
      const reason = this.#sandbox === undefined ? 'FailedCreatePodSandBox' : 'FailedMount';
      this.#reports.event({ type: 'Warning', reason, message });
      this.#state = { phase: 'none', retryAtMs: clock.now() + this.#backoff.next() };
    }
    if (this.#closed) await this.close();
    this.#reports.changed();
  }

  /** Removes everything after `gone`. Never rejects. */
  async remove(gone: Promise<unknown>): Promise<void> {
    const ip = this.#sandbox?.ip ?? '';
    this.#state = { phase: 'removing', ip };
    await gone;
    await this.close();
    this.#state = { phase: 'removed', ip };
    this.#reports.changed();
  }

  /** Removes everything at once, also what is still being made. Never rejects. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#volumes?.close();
    try {
      await this.#sandbox?.remove();
    } catch (error) {
      this.#context.onError(error, 'pod folder');
    }
  }

  #create(pod: Pod): Promise<PodSandbox> {
    const { metadata, spec } = pod;
    return this.#context.runtime.createSandbox({
      pod,
      uid: metadata.uid ?? '',
      namespace: metadata.namespace ?? '',
      name: metadata.name,
      hostNetwork: spec?.hostNetwork === true,
      hostIP: this.#context.node.hostIP,
    });
  }

  #placement(sandbox: PodSandbox): PodPlacement {
    return { ...this.#context.node, podIP: sandbox.ip };
  }
}
