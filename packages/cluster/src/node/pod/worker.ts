import type { Container, Pod, PodStatus } from '@turnsole/kube/kinds/core';
import { messageOf } from '@turnsole/kube/text/error-message';
import type { ImageUser } from '../images/image-user.ts';
import { readPullSecrets } from '../images/pull-secrets.ts';
import type { LogStore } from '../logs/log-store.ts';
import type { PodSandbox } from '../runtime/types.ts';
import { endForWantOfUsers, imageUserWithout } from '../unsupported.ts';
import { containerPath } from './container-path.ts';
import { ContainerRun } from './container-run.ts';
import { FIRST_DELAY_MS, MAX_DELAY_MS } from './crash-backoff.ts';
import { stopDeadlineMs } from './decide.ts';
import { PullError, type ResolvedImage, resolveImage } from './image-resolution.ts';
import { prepareLaunch } from './launch.ts';
import { LaunchError } from './launch-error.ts';
import { removeObject } from './object-removal.ts';
import type { SandboxState, StartProblem, Termination } from './observed.ts';
import type { PodEffects } from './pod-effects.ts';
import { PodLife } from './pod-life.ts';
import type { PodRunner } from './runner.ts';
import { SandboxKeeper } from './sandbox-keeper.ts';
import { StatusWriter } from './status-writer.ts';
import type { PodEvent, WorkerContext } from './worker-context.ts';

/** Carries out what PodLife decides with processes, folders and volumes. */
export class PodWorker implements PodRunner, PodEffects {
  /** The processes get the signal, and a moment to end. */
  readonly forcedGraceMs = 1_000;
  readonly #context: WorkerContext;
  readonly #life: PodLife;
  readonly #status: StatusWriter;
  readonly #runs = new Map<string, ContainerRun>();
  /** Aborted when a container is to stop whose image is still being looked for. */
  readonly #searches = new Map<string, AbortController>();
  readonly #sandbox: SandboxKeeper;
  readonly #stop = new AbortController();

  constructor(pod: Pod, context: WorkerContext) {
    this.#context = context;
    this.#life = new PodLife(pod, context, this);
    this.#sandbox = new SandboxKeeper(context, {
      changed: () => this.#life.kick(),
      event: (event) => this.#life.event(event),
    });
    this.#status = new StatusWriter({
      client: context.client,
      clock: context.clock,
      namespace: pod.metadata.namespace ?? '',
      name: pod.metadata.name,
      uid: pod.metadata.uid ?? '',
      onError: (error) => context.onError(error, 'pod status'),
    });
  }

  get done(): Promise<void> {
    return this.#life.done;
  }

  update(pod: Pod): void {
    this.#life.update(pod);
    if (this.#status.isOverwritten(pod)) this.#status.rewrite();
    if (this.#life.isAwake) this.#sandbox.volumes?.podChanged(this.#life.granted);
  }

  roomChanged(): void {
    this.#life.roomChanged();
  }

  removed(): void {
    this.#status.close();
    this.#life.removed();
  }

  /** A config map or secret has changed: if it is of the pod's namespace, volumes follow, and what waited for it tries again. */
  objectChanged(kind: 'configMap' | 'secret', namespace: string, name: string): void {
    if (namespace !== this.#life.pod.metadata.namespace) return;
    this.#life.whenAwake(() => {
      this.#sandbox.volumes?.objectChanged(kind, name);
      const retryAtMs = this.#context.clock.now();
      for (const [container, { problem }] of this.#life.containers) {
        if (problem?.kind === 'config') this.#life.patch(container, { problem: { ...problem, retryAtMs } });
      }
      this.#sandbox.hurry();
      this.#life.kick();
    });
  }

  /** Leaves the pod's processes to themselves; see PodRunner. */
  pause(): void {
    this.#life.pause();
  }

  resume(): void {
    if (!this.#life.resume()) return;
    this.#status.rewrite();
    this.#sandbox.volumes?.podChanged(this.#life.granted);
  }

  /** Ends the pod's processes by the deadline without a report to the API server: the cluster is closing. */
  async close(deadlineMs: number): Promise<void> {
    this.#life.close();
    this.#stop.abort(new Error('the node agent is closing'));
    this.#status.close();
    for (const run of this.#runs.values()) run.stop(deadlineMs, 'The cluster is closing');
    await this.#allGone();
    await this.#sandbox.close();
  }

  observeSandbox(isEnding: boolean): SandboxState {
    return this.#sandbox.observe(isEnding);
  }

  makeSandbox(): void {
    void this.#sandbox.make(this.#life.pod);
  }

  removeSandbox(): void {
    void this.#sandbox.remove(this.#allGone());
  }

  startContainer(name: string): void {
    void this.#start(name);
  }

  stopContainer(name: string, deadlineMs: number, why = `Stopping container ${name}`): void {
    this.#stopContainer(name, deadlineMs, why);
  }

  resizeContainer(container: Container): void {
    this.#runs.get(container.name)?.resize(container);
  }

  offerStatus(status: PodStatus): void {
    this.#status.offer(status);
  }

  deleteObject(): void {
    const { pod } = this.#life;
    void this.#status.flush().then(() => removeObject(pod, this.#context, this.#stop.signal));
  }

  forget(): void {
    this.#context.logs.removePod(this.#life.pod.metadata.uid ?? '');
  }

  async #allGone(): Promise<void> {
    await Promise.all([...this.#runs.values()].map((run) => run.gone));
  }

  async #start(name: string): Promise<void> {
    const life = this.#life;
    const before = life.containers.get(name);
    const ready = this.#sandbox.ready;
    if (before === undefined || ready === undefined) return;
    const previous = before.state.phase === 'exited' ? before.state.termination : undefined;
    const fieldPath = containerPath(name, before.role);
    const recordEvent = (event: PodEvent): void => life.event({ ...event, fieldPath });
    life.patch(name, { state: { phase: 'starting', previous } });
    let image: ResolvedImage | undefined;
    try {
      image = await this.#findImage(name, before.spec, recordEvent);
      const launch = await prepareLaunch({
        pod: life.granted,
        container: before.spec,
        image,
        ...ready,
        settings: this.#context.launch,
      });
      this.#tellOfUser(before.spec, launch.root?.image?.user, recordEvent);
      await this.#runs.get(name)?.gone;
      const state = life.containers.get(name)?.state;
      if (life.isClosed || (state?.phase === 'starting' && state.stopByMs !== undefined)) {
        await release(image);
        this.#giveUpStart(name, previous, life.containers.get(name)?.problem);
        return;
      }
      // An attempt that gets as far as a process counts, also when its program cannot be run.
      life.patch(name, { problem: undefined, imageID: image.imageID });
      const attempt = life.countAttempt(name, previous);
      const log = this.#context.logs.open({ uid: life.pod.metadata.uid ?? '', container: name }, attempt);
      const run = this.#newRun(before.spec, ready.sandbox, log, previous, image.kind);
      this.#runs.set(name, run);
      void run.gone
        .then(() => release(image))
        .catch((error: unknown) => this.#context.onError(error, 'image'));
      await run.start({ ...launch, output: log });
    } catch (error) {
      await release(image);
      this.#giveUpStart(
        name,
        previous,
        startProblem(error, before.problem, this.#context.clock.now(), recordEvent),
      );
    }
  }

  async #findImage(
    name: string,
    container: Container,
    recordEvent: (event: PodEvent) => void,
  ): Promise<ResolvedImage> {
    const { images, clock, launch } = this.#context;
    const search = new AbortController();
    this.#searches.set(name, search);
    try {
      return await resolveImage(container, {
        sources: images,
        secrets: () =>
          readPullSecrets(this.#life.pod, (namespace, secret) => launch.references.secret(namespace, secret)),
        recordEvent,
        now: () => clock.monotonic(),
        signal: AbortSignal.any([search.signal, this.#stop.signal]),
      });
    } finally {
      this.#searches.delete(name);
    }
  }

  #giveUpStart(name: string, previous: Termination | undefined, problem: StartProblem | undefined): void {
    this.#life.patch(name, {
      state: previous === undefined ? { phase: 'idle' } : { phase: 'exited', termination: previous },
      problem,
    });
  }

  #newRun(
    container: Container,
    sandbox: PodSandbox,
    log: ReturnType<LogStore['open']>,
    previous: Termination | undefined,
    kind: ResolvedImage['kind'],
  ): ContainerRun {
    const life = this.#life;
    const { name, startupProbe, readinessProbe, resources } = container;
    const last = previous === undefined ? {} : { last: previous };
    return new ContainerRun({
      container,
      sandbox,
      log,
      clock: this.#context.clock,
      graceMs: this.#graceMs(),
      reports: {
        running: (id, startedAtMs) => {
          const started = startupProbe === undefined;
          const ready = started && readinessProbe === undefined;
          const state = { phase: 'running', id, startedAtMs, started, ready, resources } as const;
          life.patch(name, { state, ...last });
        },
        started: () => life.patchRunning(name, { started: true }),
        ready: (ready) => life.patchRunning(name, { ready }),
        exited: (termination) => {
          if (kind === 'stored') this.#tellOfEnd(name, termination);
          life.patch(name, { state: { phase: 'exited', termination }, ...last });
        },
        probeFailed: (kind) => life.whenAwake(() => this.#restartAfterProbe(container, kind)),
        event: (type, reason, message) => life.containerEvent(name, type, reason, message),
      },
    });
  }

  #tellOfUser(
    container: Container,
    user: Pick<ImageUser, 'uid' | 'gid'> | undefined,
    recordEvent: (event: PodEvent) => void,
  ): void {
    const { users } = this.#context;
    if (user === undefined || users === undefined) return;
    const message = imageUserWithout(this.#life.pod, container, user, users);
    if (message !== undefined) recordEvent({ type: 'Warning', reason: 'NotSupported', message });
  }

  #tellOfEnd(name: string, { exitCode }: Termination): void {
    const { users } = this.#context;
    const state = this.#life.containers.get(name)?.state;
    const isStopped =
      (state?.phase === 'running' || state?.phase === 'starting') && state.stopByMs !== undefined;
    const message = users && !isStopped ? endForWantOfUsers(name, exitCode, users) : undefined;
    if (message !== undefined) this.#life.containerEvent(name, 'Warning', 'NotSupported', message);
  }

  #restartAfterProbe(container: Container, kind: 'startup' | 'liveness'): void {
    const probe = kind === 'startup' ? container.startupProbe : container.livenessProbe;
    const seconds = probe?.terminationGracePeriodSeconds;
    const graceMs = seconds === undefined ? this.#graceMs() : seconds * 1000;
    const message = probeMessage(container.name, kind, this.#life.pod);
    this.#stopContainer(container.name, this.#context.clock.now() + graceMs, message);
  }

  #stopContainer(name: string, deadlineMs: number, message: string): void {
    this.#life.noteStop(name, deadlineMs);
    this.#searches.get(name)?.abort(new Error('the container is to stop'));
    this.#runs.get(name)?.stop(deadlineMs, message);
  }

  #graceMs(): number {
    return stopDeadlineMs({ spec: this.#life.pod.spec ?? { containers: [] }, nowMs: 0 });
  }
}

async function release(image: ResolvedImage | undefined): Promise<void> {
  if (image?.kind === 'stored') await image.lease.release();
}

/** Message of the Event Killing after a probe has failed; where nothing is left to run, the pod as a whole is stopped. */
function probeMessage(name: string, kind: 'startup' | 'liveness', { spec }: Pod): string {
  const failed = `Container ${name} failed ${kind} probe`;
  if (spec?.restartPolicy !== 'Never') return `${failed}, will be restarted`;
  return spec.containers.length > 1 ? failed : `Stopping container ${name}`;
}

/** An object that a container refers to may be created at any time; without an event, it is looked for this often. */
const CONFIG_RETRY_MS = 10_000;

/**
 * Makes the problem for the status out of what kept a container from starting. Images are tried again after 10 s, then
 * after twice the time before, up to 5 minutes (kubelet's image back-off).
 */
function startProblem(
  error: unknown,
  before: StartProblem | undefined,
  atMs: number,
  recordEvent: (event: PodEvent) => void,
): StartProblem {
  const message = messageOf(error);
  if (error instanceof PullError) {
    const earlierMs = before?.kind === 'image' ? before.retryAtMs - before.atMs : 0;
    const delayMs = Math.min(Math.max(earlierMs * 2, FIRST_DELAY_MS), MAX_DELAY_MS);
    return { kind: 'image', reason: error.reason, message, atMs, retryAtMs: atMs + delayMs };
  }
  const reason = error instanceof LaunchError ? error.reason : 'CreateContainerError';
  recordEvent({ type: 'Warning', reason: 'Failed', message: `Error: ${message}` });
  return { kind: 'config', reason, message, atMs, retryAtMs: atMs + CONFIG_RETRY_MS };
}
