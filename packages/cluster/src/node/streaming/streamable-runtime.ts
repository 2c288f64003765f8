import type { Duplex } from 'node:stream';
import { dialPod } from '../runtime/dial-pod.ts';
import type {
  ContainerLaunch,
  ContainerRuntime,
  PodSandbox,
  RunningContainer,
  SandboxRequest,
} from '../runtime/types.ts';
import { AttachableOutput } from './attachable-output.ts';

/** A container that runs now. */
export interface StreamableContainer {
  readonly running: RunningContainer;
  readonly output: AttachableOutput;
}

/** A pod's sandbox as clients connect to it. */
export interface StreamablePod {
  /** The container while its main process runs. */
  container(name: string): StreamableContainer | undefined;
  /** Folder that a container sees as its root. */
  rootOf(container: string): string;
  /** Whether that is the root its processes really have. */
  readonly hasOwnRoot: boolean;
  /** Connects to a port as from inside of the pod. Rejects when no process listens. */
  connect(port: number, signal: AbortSignal): Promise<Duplex>;
}

/**
 * A runtime around a second runtime, of which it remembers the running containers, so that clients can connect to them. The agent sees no
 * difference.
 */
export class StreamableRuntime implements ContainerRuntime {
  readonly name: string;
  readonly #runtime: ContainerRuntime;
  readonly #pods = new Map<string, StreamableSandbox>();

  constructor(runtime: ContainerRuntime) {
    this.name = runtime.name;
    this.#runtime = runtime;
  }

  async createSandbox(request: SandboxRequest): Promise<PodSandbox> {
    const { uid } = request;
    const sandbox = new StreamableSandbox(await this.#runtime.createSandbox(request), () => {
      if (this.#pods.get(uid) === sandbox) this.#pods.delete(uid);
    });
    this.#pods.set(uid, sandbox);
    return sandbox;
  }

  /** The sandbox of the pod with this uid, while it exists. */
  find(uid: string): StreamablePod | undefined {
    return this.#pods.get(uid);
  }

  /** Every container whose main process runs now. */
  *containers(): Iterable<{ podUid: string; name: string; running: RunningContainer }> {
    for (const [podUid, pod] of this.#pods) {
      for (const [name, { running }] of pod.containers) yield { podUid, name, running };
    }
  }
}

class StreamableSandbox implements PodSandbox, StreamablePod {
  readonly ip: string;
  readonly directory: string;
  readonly hasOwnRoot: boolean;
  readonly #sandbox: PodSandbox;
  readonly #onRemove: () => void;
  readonly #containers = new Map<string, StreamableContainer>();

  constructor(sandbox: PodSandbox, onRemove: () => void) {
    this.ip = sandbox.ip;
    this.directory = sandbox.directory;
    this.hasOwnRoot = sandbox.hasOwnRoot;
    this.#sandbox = sandbox;
    this.#onRemove = onRemove;
  }

  rootOf(container: string): string {
    return this.#sandbox.rootOf(container);
  }

  pathOf(container: string, path: string): string {
    return this.#sandbox.pathOf(container, path);
  }

  async start(launch: ContainerLaunch): Promise<RunningContainer> {
    const output = new AttachableOutput(launch.output, { keepForFirst: launch.stdin === true });
    const running = await this.#sandbox.start({ ...launch, output });
    const container = { running, output };
    this.#containers.set(launch.container, container);
    void running.exited.then(() => {
      if (this.#containers.get(launch.container) === container) this.#containers.delete(launch.container);
    });
    return running;
  }

  remove(): Promise<void> {
    this.#onRemove();
    return this.#sandbox.remove();
  }

  container(name: string): StreamableContainer | undefined {
    return this.#containers.get(name);
  }

  /** By name. */
  get containers(): ReadonlyMap<string, StreamableContainer> {
    return this.#containers;
  }

  connect(port: number, signal: AbortSignal): Promise<Duplex> {
    return this.#sandbox.connect?.(port, signal) ?? dialPod(this.ip, port, signal);
  }
}
