import type { Duplex, Readable, Writable } from 'node:stream';
import type { Container, Pod } from '@turnsole/kube/kinds/core';
import type { ImageUser } from '../images/image-user.ts';
import type { LaunchTemp } from './own-temp.ts';

/**
 * The seam between the node agent, which decides, and what runs containers.
 *
 * `process` (process-runtime.ts) runs each container as a local process. Other runtimes give private namespaces, or
 * run nothing at all; the agent does not know the difference: it starts and stops, and the runtime reports what has ended.
 */
export interface ContainerRuntime {
  /** Word for `nodeInfo.containerRuntimeVersion`: `process`, `simulated`… */
  readonly name: string;
  /** Gives the pod its address and folders. Rejects with {@link RuntimeError} when that is not possible. */
  createSandbox(request: SandboxRequest): Promise<PodSandbox>;
}

/** The request for a sandbox. */
export interface SandboxRequest {
  readonly pod: Pod;
  readonly uid: string;
  readonly namespace: string;
  readonly name: string;
  readonly hostNetwork: boolean;
  /** Address of the node: the pod's address under hostNetwork. */
  readonly hostIP: string;
}

/** A pod's place on the machine: address, folders and the containers in it. */
export interface PodSandbox {
  /** Address for `status.podIP`. */
  readonly ip: string;
  /** The pod's folder, removed with the sandbox; volumes are made below it. */
  readonly directory: string;
  /** Whether a container sees a root of its own, with its mounts at their real paths, instead of a folder with links. */
  readonly hasOwnRoot: boolean;
  /** The folder that stands for the root of a container without one: a mount at `/a` is at `<root>/a`. */
  rootOf(container: string): string;
  /** Host path of a path in the container. */
  pathOf(container: string, path: string): string;
  /** Starts a container. Rejects with {@link StartError} when its command cannot be run. */
  start(launch: ContainerLaunch): Promise<RunningContainer>;
  /**
   * Connects to a port of the pod for port-forward, as from inside of the pod. Runtimes without a network of their own
   * leave it out: then `ip` is connected to. Rejects when no process listens.
   */
  connect?(port: number, signal: AbortSignal): Promise<Duplex>;
  /** Kills whatever is left, gives the address back and removes the folders. Idempotent. */
  remove(): Promise<void>;
}

/** Everything needed to start one container; all references are resolved. */
export interface ContainerLaunch {
  readonly container: string;
  /** 64 hexadecimal digits; also in TURNSOLE_CONTAINER_ID of its processes. */
  readonly id: string;
  readonly command: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Absolute path: on the host, or in the root of the container's own. */
  readonly workingDirectory: string;
  /** The parts of a root of its own; other containers have links. */
  readonly root?: LaunchRoot;
  /** A `/tmp` of its own, where there is no root of its own. @default that of the machine */
  readonly temp?: LaunchTemp;
  /** Whether the main process reads what attached clients write (`stdin`). @default false = nothing to read */
  readonly stdin?: boolean;
  /** Whether it runs on a terminal; all its output is then `stdout`. @default false */
  readonly tty?: boolean;
  /** What asks the main process to end: a name, or a number. @default SIGTERM */
  readonly stopSignal?: StopSignal;
  /** Where output goes; called in order, `end` once after the last byte. */
  readonly output: OutputSink;
}

/** A signal by its name, or by its number where it has none here. */
export type StopSignal = NodeJS.Signals | number;

/** The parts of a container's root, and the rights of its processes. */
export interface LaunchRoot {
  readonly pod: Pod;
  readonly container: Container;
  readonly mounts: readonly LaunchMount[];
  /** Folders and files of the host that the image's command needs. */
  readonly needs: readonly string[];
  /** The image that its files and its user are of. @default the host's root stands for it */
  readonly image?: LaunchImage;
}

/** Files and user of an image that a container starts with. */
interface LaunchImage {
  /** Absolute folders, the lowest first; not to be written to. */
  readonly layers: readonly string[];
  /** Paths of the image that can be written to also where its root cannot. */
  readonly volumes: readonly string[];
  readonly user: Pick<ImageUser, 'uid' | 'gid' | 'groups'>;
}

/** A file or folder of the host that a container sees. */
export interface LaunchMount {
  /** Absolute path on the host. */
  readonly source: string;
  /** Absolute path in the container. */
  readonly target: string;
  readonly readOnly: boolean;
}

/** Receives what a container writes. */
export interface OutputSink {
  write(stream: 'stdout' | 'stderr', chunk: Uint8Array): void;
  end(): void;
}

/** A started container. */
export interface RunningContainer {
  readonly id: string;
  /** Process id of the main process on the host; undefined without one. */
  readonly pid: number | undefined;
  /** Resolves when the main process is gone, its group is killed and its output is complete. Never rejects. */
  readonly exited: Promise<ContainerExit>;
  /** Resolves when every process of the container is gone, also those that left the group. Never rejects. */
  readonly gone: Promise<void>;
  /** Sends a signal to the main process; does nothing when it has ended. */
  signal(signal: StopSignal): void;
  /** SIGKILL to every process of the container. */
  kill(): void;
  /** Runs a command beside the main process, with its environment and working directory. Rejects with {@link StartError}. */
  exec(command: readonly string[], options?: ExecOptions): Promise<ExecProcess>;
  /** Standard input of the main process; there when the launch asked for `stdin`. */
  readonly stdin?: Writable;
  /** Sets the size of the main process' terminal; there when it has one. */
  resize?(size: TerminalSize): void;
  /**
   * Enforces the limits and requests that the container has now. Runtimes that enforce none leave it out. Throws where the kernel or what
   * is in use does not allow them.
   */
  setLimits?(container: Pick<Container, 'name' | 'resources'>): void;
  /** What it has used and uses; undefined where the machine has no figures. Never rejects. */
  usage?(): Promise<ContainerUsage | undefined>;
}

/** What all processes of a container together have used and use. */
export interface ContainerUsage {
  /** CPU time since its start, in nanoseconds; never less than before. */
  readonly cpuNanos: number;
  /** The memory that cannot be taken from it: kubelet's working set. */
  readonly memoryBytes: number;
}

/** How a command is run. */
export interface ExecOptions {
  /** On a terminal, if the runtime can make one: see `resize` of the process. @default false */
  readonly tty?: boolean;
}

/** Size of a terminal in characters. */
export interface TerminalSize {
  readonly columns: number;
  readonly rows: number;
}

/** How a process ended. */
export interface ContainerExit {
  /** 128 + n when it was ended by signal n. */
  readonly exitCode: number;
  readonly signal?: number;
  readonly oomKilled?: boolean;
}

/** A command that runs in a container. */
export interface ExecProcess {
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  readonly exited: Promise<ContainerExit>;
  /** SIGKILL to the command and its children. */
  kill(): void;
  /** Sets the size of its terminal; there when it has one. */
  resize?(size: TerminalSize): void;
}

/** A sandbox could not be made. */
export class RuntimeError extends Error {
  override readonly name: string = 'RuntimeError';
}

/** A container's command could not be run: not found, not executable, no such working directory. */
export class StartError extends Error {
  override readonly name: string = 'StartError';
  readonly command: readonly string[];

  constructor(command: readonly string[], message: string, options?: ErrorOptions) {
    super(message, options);
    this.command = command;
  }
}
