import type { Container, Pod, PodStatus } from '../../../api/core.ts';
import type { LogStore } from '../logs/log-store.ts';
import type { PodSandbox } from '../runtime/types.ts';
import { presentConditions } from './conditions.ts';
import { containerPath } from './container-path.ts';
import { ContainerRun } from './container-run.ts';
import { afterRestart } from './crash-backoff.ts';
import { decidePod, type PodAction, stopDeadlineMs } from './decide.ts';
import { inheritContainers, newEphemeral, timeOf } from './inherit.ts';
import { prepareLaunch } from './launch.ts';
import { removeObject } from './object-removal.ts';
import type {
  ObservedContainer,
  ObservedPod,
  PodDeletion,
  PodFailure,
  StartProblem,
  Termination,
} from './observed.ts';
import type { PodRunner } from './runner.ts';
import { SandboxKeeper } from './sandbox-keeper.ts';
import { resolveImage, startProblem } from './start-problem.ts';
import { backOffEvent, podStatus } from './status.ts';
import { StatusWriter } from './status-writer.ts';
import type { PodEvent, WorkerContext } from './worker-context.ts';

/** Grace of a pod whose object was removed at once: its processes get the signal, and a moment to end. */
const FORCED_GRACE_MS = 1_000;

/**
 * Keeps one pod as its object says: observes, lets decidePod decide, carries out, and writes the status.
 *
 * Everything that happens (the object changes, a process ends, a probe succeeds, time comes) changes the observation
 * and leads to `#evaluate`, which is synchronous; what takes time runs beside it and changes the observation again.
 */
export class PodWorker implements PodRunner {
  readonly #context: WorkerContext;
  readonly #status: StatusWriter;
  readonly #containers = new Map<string, ObservedContainer>();
  readonly #runs = new Map<string, ContainerRun>();
  readonly #attempts = new Map<string, number>();
  readonly #backOffTold = new Map<string, string>();
  readonly #sandbox: SandboxKeeper;
  readonly #stop = new AbortController();
  readonly #startedAtMs: number;
  readonly #done = Promise.withResolvers<void>();
  #pod: Pod;
  #deletion: PodDeletion | undefined;
  #failure: PodFailure | undefined;
  #conditions: NonNullable<PodStatus['conditions']>;
  #cancelWake = (): void => {};
  #scheduled = false;
  #closed = false;
  /** What is to be made good when the pause ends; undefined while there is none. */
  #paused: (() => void)[] | undefined;

  constructor(pod: Pod, context: WorkerContext) {
    this.#pod = pod;
    this.#context = context;
    this.#startedAtMs = timeOf(pod.status?.startTime, context.clock.now());
    this.#conditions = pod.status?.conditions ?? [];
    this.#sandbox = new SandboxKeeper(context, {
      changed: () => this.#kick(),
      event: (event) => this.#event(event),
    });
    this.#status = new StatusWriter({
      client: context.client,
      clock: context.clock,
      namespace: pod.metadata.namespace ?? '',
      name: pod.metadata.name,
      uid: pod.metadata.uid ?? '',
      onError: (error) => context.onError(error, 'pod status'),
    });
    for (const { container, attempts } of inheritContainers(pod, context.clock.now())) {
      this.#containers.set(container.spec.name, container);
      this.#attempts.set(container.spec.name, attempts);
    }
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
    for (const container of newEphemeral(pod, this.#containers)) {
      this.#containers.set(container.spec.name, container);
    }
    this.#noteDeletion(pod);
    if (this.#status.isOverwritten(pod)) this.#status.rewrite();
    if (this.#paused === undefined) this.#sandbox.volumes?.podChanged(pod);
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
    if (this.#paused !== undefined) {
      this.#paused.push(() => this.objectChanged(kind, namespace, name));
      return;
    }
    this.#sandbox.volumes?.objectChanged(kind, name);
    const now = this.#context.clock.now();
    for (const [key, container] of this.#containers) {
      if (container.problem?.kind !== 'config') continue;
      this.#containers.set(key, { ...container, problem: { ...container.problem, retryAtMs: now } });
    }
    this.#sandbox.hurry();
    this.#kick();
  }

  /** Leaves the pod's processes to themselves; see PodRunner. */
  pause(): void {
    this.#paused ??= [];
    this.#cancelWake();
  }

  resume(): void {
    const missed = this.#paused;
    if (missed === undefined) return;
    this.#paused = undefined;
    this.#status.rewrite();
    for (const act of missed) act();
    this.#sandbox.volumes?.podChanged(this.#pod);
    this.#kick();
  }

  /** Ends the pod's processes by the deadline without telling the API server: the cluster is closing. */
  async close(deadlineMs: number): Promise<void> {
    this.#closed = true;
    this.#stop.abort(new Error('the node agent is closing'));
    this.#cancelWake();
    this.#status.close();
    for (const run of this.#runs.values()) run.stop(deadlineMs, 'The cluster is closing');
    await this.#allGone();
    await this.#sandbox.close();
  }

  async #allGone(): Promise<void> {
    await Promise.all([...this.#runs.values()].map((run) => run.gone));
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
    if (this.#scheduled || this.#closed || this.#paused !== undefined) return;
    this.#scheduled = true;
    queueMicrotask(() => {
      this.#scheduled = false;
      if (!this.#closed && this.#paused === undefined) this.#evaluate();
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
      sandbox: this.#sandbox.observe(this.#deletion !== undefined || this.#failure !== undefined),
      containers: [...this.#containers.values()],
    };
  }

  #writeStatus(observed: ObservedPod): void {
    const present = presentConditions(this.#conditions, this.#pod.status?.conditions);
    const status = podStatus(observed, this.#context.node.hostIP, present);
    this.#conditions = status.conditions;
    this.#status.offer(status);
  }

  #apply(action: PodAction, observed: ObservedPod): void {
    switch (action.type) {
      case 'make-sandbox':
        void this.#sandbox.make(this.#pod);
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
      case 'image-back-off':
        this.#tellImageBackOff(action.container);
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
        void this.#sandbox.remove(this.#allGone());
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

  async #deleteObject(): Promise<void> {
    // The last status must be there before the object goes: who counts finished pods relies on it.
    await this.#status.flush();
    await removeObject(this.#pod, this.#context, this.#stop.signal);
  }

  async #start(name: string): Promise<void> {
    const before = this.#containers.get(name);
    const ready = this.#sandbox.ready;
    if (before === undefined || ready === undefined) return;
    const previous = before.state.phase === 'exited' ? before.state.termination : undefined;
    const fieldPath = this.#fieldPath(name);
    const tell = (event: PodEvent): void => this.#event({ ...event, fieldPath });
    this.#patch(name, { state: { phase: 'starting', ...(previous === undefined ? {} : { previous }) } });
    try {
      const image = resolveImage(before.spec, this.#context.catalogue, tell);
      const launch = await prepareLaunch({
        pod: this.#pod,
        container: before.spec,
        image: image.entry,
        ...ready,
        settings: this.#context.launch,
      });
      await this.#runs.get(name)?.gone;
      const state = this.#containers.get(name)?.state;
      if (this.#closed || (state?.phase === 'starting' && state.stopByMs !== undefined)) {
        this.#giveUpStart(name, previous, undefined);
        return;
      }
      this.#noteAttempt(name, previous, image.imageID);
      const run = this.#newRun(name, before.spec, ready.sandbox, previous);
      await run.run.start({ ...launch, output: run.log });
    } catch (error) {
      const problem = startProblem(error, before.problem, this.#context.clock.now(), tell);
      this.#giveUpStart(name, previous, problem);
    }
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
      graceMs: stopDeadlineMs({ spec: this.#pod.spec ?? { containers: [] }, nowMs: 0 }),
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
    if (this.#paused !== undefined) {
      this.#paused.push(() => this.#restartAfterProbe(container, kind));
      return;
    }
    const probe = kind === 'startup' ? container.startupProbe : container.livenessProbe;
    const { clock } = this.#context;
    const graceMs =
      probe?.terminationGracePeriodSeconds === undefined
        ? stopDeadlineMs({ spec: this.#pod.spec ?? { containers: [] }, nowMs: 0 })
        : probe.terminationGracePeriodSeconds * 1000;
    const message = probeMessage(container.name, kind, this.#pod);
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
    const message = backOffEvent(name, this.#pod);
    this.#event({ type: 'Warning', reason: 'BackOff', message, fieldPath: this.#fieldPath(name) });
  }

  #tellImageBackOff(name: string): void {
    const { problem, spec } = this.#containers.get(name) ?? {};
    const attempt = `image ${problem?.atMs}`;
    if (this.#backOffTold.get(name) === attempt) return;
    this.#backOffTold.set(name, attempt);
    const fieldPath = this.#fieldPath(name);
    const message = `Back-off pulling image ${JSON.stringify(spec?.image ?? '')}`;
    this.#event({ type: 'Normal', reason: 'BackOff', message, fieldPath });
    this.#event({ type: 'Warning', reason: 'Failed', message: 'Error: ImagePullBackOff', fieldPath });
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

  #fieldPath(name: string): string {
    return containerPath(name, this.#containers.get(name)?.role);
  }

  #event(event: PodEvent): void {
    if (!this.#closed && this.#paused === undefined) this.#context.event(this.#pod, event);
  }
}

/** Message of the Event Killing after a probe has failed; where nothing is left to run, the pod as a whole is stopped. */
function probeMessage(name: string, kind: 'startup' | 'liveness', { spec }: Pod): string {
  const failed = `Container ${name} failed ${kind} probe`;
  if (spec?.restartPolicy !== 'Never') return `${failed}, will be restarted`;
  return spec.containers.length > 1 ? failed : `Stopping container ${name}`;
}
