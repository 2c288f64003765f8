import type { Container, Pod, PodStatus } from '../../../api/core.ts';
import { PODS } from '../../../api/resources.ts';
import { isConflict, isNotFound } from '../../../kube/client/errors.ts';
import type { KubeClient } from '../../../kube/client/types.ts';
import { Backoff } from '../../../kube/runtime/backoff.ts';
import type { Clock } from '../../../kube/runtime/clock.ts';
import type { PodPlacement } from '../env/downward.ts';
import { type ImageCatalogue, unknownImageMessage } from '../images/catalogue.ts';
import type { LogStore } from '../logs/log-store.ts';
import type { ContainerRuntime, PodSandbox } from '../runtime/types.ts';
import type { VolumeSources } from '../volumes/payload.ts';
import { PodVolumes } from '../volumes/pod-volumes.ts';
import { ContainerRun } from './container-run.ts';
import { afterRestart, FIRST_DELAY_MS, MAX_DELAY_MS } from './crash-backoff.ts';
import { decidePod, type PodAction, stopDeadlineMs } from './decide.ts';
import { LaunchError, type LaunchSettings, prepareLaunch } from './launch.ts';
import type {
  ContainerRole,
  ObservedContainer,
  ObservedPod,
  PodDeletion,
  PodFailure,
  SandboxState,
  StartProblem,
  Termination,
} from './observed.ts';
import { podStatus } from './status.ts';
import { StatusWriter } from './status-writer.ts';

/** What a pod's worker works with; shared by all pods of a node. */
export interface WorkerContext {
  readonly client: Pick<KubeClient, 'patch' | 'delete'>;
  readonly clock: Clock;
  readonly runtime: ContainerRuntime;
  readonly catalogue: ImageCatalogue;
  readonly logs: LogStore;
  readonly launch: LaunchSettings;
  readonly volumes: VolumeSources;
  readonly claimsDirectory: string;
  readonly node: Pick<PodPlacement, 'nodeName' | 'hostIP' | 'allocatable'>;
  /** Tells users something about a pod, or one of its containers. */
  readonly event: (pod: Pod, text: PodEvent) => void;
  /** Hears of failures that nobody else does. */
  readonly onError: (error: unknown, what: string) => void;
}

export interface PodEvent {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
  /** `spec.containers{web}`, when it is about a container. */
  readonly fieldPath?: string;
}

const CONFIG_RETRY_MS = 10_000;
/** Grace of a pod whose object was removed at once: its processes get the signal, and a moment to end. */
const FORCED_GRACE_MS = 1_000;
const SANDBOX_BACKOFF = { baseMs: 500, maxMs: 122_000, jitter: 'none' } as const;
const DELETE_BACKOFF = { baseMs: 100, maxMs: 5_000, jitter: 'equal' } as const;

/**
 * Keeps one pod as its object says: observes, lets decidePod decide, carries out, and writes the status.
 *
 * Everything that happens (the object changes, a process ends, a probe succeeds, time comes) changes the observation
 * and leads to `#evaluate`, which is synchronous; what takes time runs beside it and changes the observation again.
 */
export class PodWorker {
  readonly #context: WorkerContext;
  readonly #status: StatusWriter;
  readonly #containers = new Map<string, ObservedContainer>();
  readonly #runs = new Map<string, ContainerRun>();
  readonly #attempts = new Map<string, number>();
  readonly #backOffTold = new Map<string, string>();
  readonly #sandboxBackoff = new Backoff(SANDBOX_BACKOFF);
  readonly #stop = new AbortController();
  readonly #startedAtMs: number;
  readonly #done = Promise.withResolvers<void>();
  #pod: Pod;
  #deletion: PodDeletion | undefined;
  #failure: PodFailure | undefined;
  #sandboxState: SandboxState = { phase: 'none' };
  #sandbox: PodSandbox | undefined;
  #volumes: PodVolumes | undefined;
  #conditions: NonNullable<PodStatus['conditions']>;
  #cancelWake = (): void => {};
  #scheduled = false;
  #closed = false;

  constructor(pod: Pod, context: WorkerContext) {
    this.#pod = pod;
    this.#context = context;
    this.#startedAtMs = context.clock.now();
    this.#conditions = pod.status?.conditions ?? [];
    this.#status = new StatusWriter({
      client: context.client,
      clock: context.clock,
      namespace: pod.metadata.namespace ?? '',
      name: pod.metadata.name,
      uid: pod.metadata.uid ?? '',
      onError: (error) => context.onError(error, 'pod status'),
    });
    for (const spec of pod.spec?.initContainers ?? []) {
      this.#addContainer(spec, spec.restartPolicy === 'Always' ? 'sidecar' : 'init');
    }
    for (const spec of pod.spec?.containers ?? []) this.#addContainer(spec, 'app');
    this.#noteDeletion(pod);
    this.#kick();
  }

  /** Resolves when nothing of the pod is left and its object is gone. */
  get done(): Promise<void> {
    return this.#done.promise;
  }

  /** The pod's object has changed. */
  update(pod: Pod): void {
    this.#pod = pod;
    this.#noteDeletion(pod);
    this.#volumes?.podChanged(pod);
    this.#kick();
  }

  /** The pod's object is gone. */
  removed(): void {
    const { clock } = this.#context;
    const deadlineMs = this.#deletion?.deadlineMs ?? clock.now() + FORCED_GRACE_MS;
    this.#deletion = { deadlineMs, objectGone: true, requested: true };
    this.#status.close();
    this.#kick();
  }

  /** A config map or secret has changed: if it is of the pod's namespace, volumes follow, and what waited for it tries again. */
  objectChanged(kind: 'configMap' | 'secret', namespace: string, name: string): void {
    if (namespace !== this.#pod.metadata.namespace) return;
    this.#volumes?.objectChanged(kind, name);
    const now = this.#context.clock.now();
    for (const [key, container] of this.#containers) {
      if (container.problem?.kind !== 'config') continue;
      this.#containers.set(key, { ...container, problem: { ...container.problem, retryAtMs: now } });
    }
    if (this.#sandboxState.phase === 'none') this.#sandboxState = { phase: 'none' };
    this.#kick();
  }

  /** Ends the pod's processes by the deadline without telling the API server: the cluster is closing. */
  async close(deadlineMs: number): Promise<void> {
    this.#closed = true;
    this.#stop.abort(new Error('the node agent is closing'));
    this.#cancelWake();
    this.#status.close();
    for (const run of this.#runs.values()) run.stop(deadlineMs, 'The cluster is closing');
    await Promise.all([...this.#runs.values()].map((run) => run.gone));
    await this.#volumes?.close();
    await this.#sandbox?.remove();
  }

  #addContainer(spec: Container, role: ContainerRole): void {
    this.#containers.set(spec.name, { role, spec, state: { phase: 'idle' }, restarts: 0 });
  }

  #noteDeletion({ metadata }: Pod): void {
    if (metadata.deletionTimestamp === undefined || this.#deletion?.objectGone === true) return;
    const graceMs = (metadata.deletionGracePeriodSeconds ?? 30) * 1000;
    // The timestamp has whole seconds only; counting from when it is seen never takes a part of the grace away.
    const deadlineMs = Math.min(
      this.#deletion?.deadlineMs ?? Number.POSITIVE_INFINITY,
      this.#context.clock.now() + graceMs,
    );
    this.#deletion = { deadlineMs, objectGone: false, requested: this.#deletion?.requested ?? false };
  }

  /** Several changes of one moment are looked at once. */
  #kick(): void {
    if (this.#scheduled || this.#closed) return;
    this.#scheduled = true;
    queueMicrotask(() => {
      this.#scheduled = false;
      if (!this.#closed) this.#evaluate();
    });
  }

  #evaluate(): void {
    const observed = this.#observe();
    const actions = decidePod(observed);
    if (this.#deletion?.objectGone !== true) this.#writeStatus(observed);
    this.#cancelWake();
    for (const action of actions) this.#apply(action, observed);
    const wakes = actions.flatMap((action) => (action.type === 'wake' ? [action.atMs] : []));
    if (wakes.length === 0) return;
    const delayMs = Math.max(0, Math.min(...wakes) - this.#context.clock.now());
    this.#cancelWake = this.#context.clock.setTimer(delayMs, () => this.#kick());
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
      sandbox: this.#observeSandbox(),
      containers: [...this.#containers.values()],
    };
  }

  /** A pod that goes while its volumes cannot be made must not leave the folders and address it has. */
  #observeSandbox(): SandboxState {
    const made = this.#sandbox;
    const isGoing = this.#deletion !== undefined || this.#failure !== undefined;
    if (this.#sandboxState.phase !== 'none' || made === undefined || !isGoing) return this.#sandboxState;
    return { phase: 'ready', ip: made.ip };
  }

  #writeStatus(observed: ObservedPod): void {
    // Conditions of others, and the times of our own, which we have set more recently than the object tells.
    const own = new Set<string>(OWN_CONDITIONS);
    const others = (this.#pod.status?.conditions ?? []).filter((condition) => !own.has(condition.type));
    const present = [...this.#conditions.filter((condition) => own.has(condition.type)), ...others];
    const status = podStatus(observed, this.#context.node.hostIP, present);
    this.#conditions = status.conditions;
    this.#status.offer(status);
  }

  #apply(action: PodAction, observed: ObservedPod): void {
    switch (action.type) {
      case 'make-sandbox':
        this.#sandboxState = { phase: 'making' };
        void this.#makeSandbox();
        break;
      case 'start':
        void this.#start(action.container);
        break;
      case 'stop':
        this.#stopContainer(action.container, action.deadlineMs, `Stopping container ${action.container}`);
        break;
      case 'back-off':
        this.#tellBackOff(action.container);
        break;
      case 'fail':
        this.#failure = {
          reason: action.reason,
          message: action.message,
          deadlineMs: stopDeadlineMs(observed),
        };
        this.#event({ type: 'Normal', reason: action.reason, message: action.message });
        this.#kick();
        break;
      case 'remove-sandbox':
        void this.#removeSandbox();
        break;
      case 'delete-object':
        if (this.#deletion !== undefined) this.#deletion = { ...this.#deletion, requested: true };
        void this.#deleteObject();
        break;
      case 'forget':
        this.#closed = true;
        this.#cancelWake();
        this.#context.logs.removePod(observed.uid);
        this.#done.resolve();
        break;
      case 'wake':
        break;
    }
  }

  async #makeSandbox(): Promise<void> {
    const { runtime, clock, node, volumes, claimsDirectory } = this.#context;
    const { metadata, spec } = this.#pod;
    try {
      this.#sandbox ??= await runtime.createSandbox({
        uid: metadata.uid ?? '',
        namespace: metadata.namespace ?? '',
        name: metadata.name,
        hostNetwork: spec?.hostNetwork === true,
        hostIP: node.hostIP,
      });
      this.#volumes ??= new PodVolumes(this.#pod, {
        directory: this.#sandbox.directory,
        claimsDirectory,
        placement: this.#placement(this.#sandbox),
        sources: volumes,
        clock,
        onError: (error) => this.#event({ type: 'Warning', reason: 'FailedMount', message: error.message }),
      });
      await this.#volumes.prepare();
      this.#sandboxState = { phase: 'ready', ip: this.#sandbox.ip };
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      const reason = this.#sandbox === undefined ? 'FailedCreatePodSandBox' : 'FailedMount';
      if (!this.#closed) this.#event({ type: 'Warning', reason, message });
      this.#sandboxState = { phase: 'none', retryAtMs: clock.now() + this.#sandboxBackoff.next() };
    }
    if (this.#closed) await this.#sandbox?.remove();
    this.#kick();
  }

  async #removeSandbox(): Promise<void> {
    const ip = this.#sandbox?.ip ?? '';
    this.#sandboxState = { phase: 'removing', ip };
    await Promise.all([...this.#runs.values()].map((run) => run.gone));
    await this.#volumes?.close();
    try {
      await this.#sandbox?.remove();
    } catch (error) {
      this.#context.onError(error, 'pod folder');
    }
    this.#sandboxState = { phase: 'removed', ip };
    this.#kick();
  }

  async #deleteObject(): Promise<void> {
    const { client, clock } = this.#context;
    const { name, namespace = '', uid = '' } = this.#pod.metadata;
    const backoff = new Backoff(DELETE_BACKOFF);
    // The last status must be there before the object goes: who counts finished pods relies on it.
    await this.#status.flush();
    while (!this.#closed && this.#deletion?.objectGone !== true) {
      try {
        await client.delete(PODS, name, {
          namespace,
          gracePeriodSeconds: 0,
          preconditions: { uid },
          signal: this.#stop.signal,
        });
        return;
      } catch (error) {
        if (isNotFound(error) || isConflict(error)) return;
        if (this.#closed) return;
        this.#context.onError(error, 'pod deletion');
        await clock.sleep(backoff.next(), this.#stop.signal).catch(() => {});
      }
    }
  }

  async #start(name: string): Promise<void> {
    const before = this.#containers.get(name);
    const sandbox = this.#sandbox;
    const volumes = this.#volumes;
    if (before === undefined || sandbox === undefined || volumes === undefined) return;
    const previous = before.state.phase === 'exited' ? before.state.termination : undefined;
    this.#patch(name, { state: { phase: 'starting', ...(previous === undefined ? {} : { previous }) } });
    try {
      const image = this.#resolveImage(before.spec);
      const launch = await prepareLaunch({
        pod: this.#pod,
        container: before.spec,
        image: image.entry,
        sandbox,
        volumes,
        placement: this.#placement(sandbox),
        settings: this.#context.launch,
      });
      await this.#runs.get(name)?.gone;
      const state = this.#containers.get(name)?.state;
      if (this.#closed || (state?.phase === 'starting' && state.stopByMs !== undefined)) {
        this.#giveUpStart(name, previous, undefined);
        return;
      }
      this.#noteAttempt(name, previous, image.imageID);
      const run = this.#newRun(name, before.spec, sandbox, previous);
      await run.run.start({ ...launch, output: run.log });
    } catch (error) {
      this.#giveUpStart(name, previous, this.#problemOf(error, before));
    }
  }

  #resolveImage(spec: Container): { entry: Parameters<typeof prepareLaunch>[0]['image']; imageID: string } {
    const image = spec.image ?? '';
    const found = this.#context.catalogue.find(image);
    if (found !== undefined) {
      const message = `Container image ${JSON.stringify(image)} already present on machine`;
      this.#event({ type: 'Normal', reason: 'Pulled', message, fieldPath: this.#fieldPath(spec.name) });
      return found;
    }
    const fieldPath = this.#fieldPath(spec.name);
    const isNever = spec.imagePullPolicy === 'Never';
    const reason = isNever ? 'ErrImageNeverPull' : 'ErrImagePull';
    const why = unknownImageMessage(image);
    if (!isNever) {
      this.#event({
        type: 'Normal',
        reason: 'Pulling',
        message: `Pulling image ${JSON.stringify(image)}`,
        fieldPath,
      });
      const message = `Failed to pull image ${JSON.stringify(image)}: ${why}`;
      this.#event({ type: 'Warning', reason: 'Failed', message, fieldPath });
    }
    this.#event({ type: 'Warning', reason: 'Failed', message: `Error: ${reason}`, fieldPath });
    throw new ImageError(reason, why);
  }

  #problemOf(error: unknown, before: ObservedContainer): StartProblem {
    const atMs = this.#context.clock.now();
    const message = error instanceof Error ? error.message : String(error);
    if (error instanceof ImageError) {
      const earlier = before.problem?.kind === 'image' ? before.problem.retryAtMs - before.problem.atMs : 0;
      const delayMs = Math.min(Math.max(earlier * 2, FIRST_DELAY_MS), MAX_DELAY_MS);
      return { kind: 'image', reason: error.reason, message, atMs, retryAtMs: atMs + delayMs };
    }
    const reason = error instanceof LaunchError ? error.reason : 'CreateContainerError';
    this.#event({
      type: 'Warning',
      reason: 'Failed',
      message: `Error: ${message}`,
      fieldPath: this.#fieldPath(before.spec.name),
    });
    return { kind: 'config', reason, message, atMs, retryAtMs: atMs + CONFIG_RETRY_MS };
  }

  #giveUpStart(name: string, previous: Termination | undefined, problem: StartProblem | undefined): void {
    this.#patch(name, {
      state: previous === undefined ? { phase: 'idle' } : { phase: 'exited', termination: previous },
      ...(problem === undefined ? {} : { problem }),
    });
  }

  /** An attempt that gets as far as a process counts, also when its program cannot be run. */
  #noteAttempt(name: string, previous: Termination | undefined, imageID: string): void {
    const container = this.#containers.get(name);
    if (container === undefined) return;
    const { problem: _solved, ...rest } = container;
    const attempts = this.#attempts.get(name) ?? 0;
    this.#attempts.set(name, attempts + 1);
    this.#containers.set(name, {
      ...rest,
      imageID,
      restarts: attempts,
      ...(previous === undefined
        ? {}
        : { backoff: afterRestart(container.backoff, previous.finishedAtMs, this.#context.clock.now()) }),
    });
  }

  #newRun(
    name: string,
    container: Container,
    sandbox: PodSandbox,
    previous: Termination | undefined,
  ): { run: ContainerRun; log: ReturnType<LogStore['open']> } {
    const { clock, logs } = this.#context;
    const uid = this.#pod.metadata.uid ?? '';
    const log = logs.open({ uid, container: name }, (this.#attempts.get(name) ?? 1) - 1);
    const last = previous === undefined ? {} : { last: previous };
    const run = new ContainerRun({
      container,
      sandbox,
      log,
      clock,
      reports: {
        running: (id, startedAtMs) =>
          this.#patch(name, {
            state: {
              phase: 'running',
              id,
              startedAtMs,
              started: container.startupProbe === undefined,
              ready: container.startupProbe === undefined && container.readinessProbe === undefined,
            },
            ...last,
          }),
        started: () => this.#patchRunning(name, { started: true }),
        ready: (ready) => this.#patchRunning(name, { ready }),
        exited: (termination) => this.#patch(name, { state: { phase: 'exited', termination }, ...last }),
        probeFailed: (kind) => this.#restartAfterProbe(container, kind),
        event: (type, reason, message) =>
          this.#event({ type, reason, message, fieldPath: this.#fieldPath(name) }),
      },
    });
    this.#runs.set(name, run);
    return { run, log };
  }

  #restartAfterProbe(container: Container, kind: 'startup' | 'liveness'): void {
    const probe = kind === 'startup' ? container.startupProbe : container.livenessProbe;
    const { clock } = this.#context;
    const graceMs =
      probe?.terminationGracePeriodSeconds === undefined
        ? stopDeadlineMs({ spec: this.#pod.spec ?? { containers: [] }, nowMs: 0 })
        : probe.terminationGracePeriodSeconds * 1000;
    const message = `Container ${container.name} failed ${kind} probe, will be restarted`;
    this.#stopContainer(container.name, clock.now() + graceMs, message);
  }

  #stopContainer(name: string, deadlineMs: number, message: string): void {
    const state = this.#containers.get(name)?.state;
    if (state?.phase === 'running' || state?.phase === 'starting') {
      this.#patch(name, { state: { ...state, stopByMs: deadlineMs } });
    }
    this.#runs.get(name)?.stop(deadlineMs, message);
  }

  #tellBackOff(name: string): void {
    const state = this.#containers.get(name)?.state;
    if (state?.phase !== 'exited' || this.#backOffTold.get(name) === state.termination.id) return;
    this.#backOffTold.set(name, state.termination.id);
    const { metadata } = this.#pod;
    const pod = `${metadata.name}_${metadata.namespace}(${metadata.uid})`;
    const message = `Back-off restarting failed container ${name} in pod ${pod}`;
    this.#event({ type: 'Warning', reason: 'BackOff', message, fieldPath: this.#fieldPath(name) });
  }

  #patchRunning(name: string, change: { started?: boolean; ready?: boolean }): void {
    const state = this.#containers.get(name)?.state;
    if (state?.phase === 'running') this.#patch(name, { state: { ...state, ...change } });
  }

  #patch(name: string, change: Partial<ObservedContainer>): void {
    const container = this.#containers.get(name);
    if (container === undefined) return;
    this.#containers.set(name, { ...container, ...change });
    this.#kick();
  }

  #placement(sandbox: PodSandbox): PodPlacement {
    return { ...this.#context.node, podIP: sandbox.ip };
  }

  #fieldPath(name: string): string {
    const role = this.#containers.get(name)?.role;
    return `spec.${role === 'app' ? 'containers' : 'initContainers'}{${name}}`;
  }

  #event(event: PodEvent): void {
    if (!this.#closed) this.#context.event(this.#pod, event);
  }
}

const OWN_CONDITIONS = ['PodReadyToStartContainers', 'Initialized', 'Ready', 'ContainersReady'] as const;

/** No image of that name in the catalogue. */
class ImageError extends Error {
  override readonly name = 'ImageError';
  readonly reason: string;

  constructor(reason: string, message: string) {
    super(message);
    this.reason = reason;
  }
}
