import { type ChildProcess, type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { closeSync, existsSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import { PassThrough, pipeline, Readable, type Writable } from 'node:stream';
import { type StrayKiller, sendSignal } from './orphaned-processes.ts';
import type { PipePool } from './pipe-pool.ts';
import { CpuCounter, type ProcessUsageReader } from './process-usage.ts';
import type { GroupRegistry } from './reaper.ts';
import { killOnTerminal, resizeTerminal, terminalCommand } from './terminal.ts';
import {
  type ContainerExit,
  type ContainerLaunch,
  type ContainerUsage,
  type ExecOptions,
  type ExecProcess,
  type RunningContainer,
  StartError,
  type StopSignal,
  type TerminalSize,
} from './types.ts';

/** The registry, pipes and clean-up of a container's processes. */
export interface ProcessKeeper {
  readonly groups: GroupRegistry;
  readonly strays: Pick<StrayKiller, 'kill'>;
  readonly pipes?: Pick<PipePool, 'take'>;
  /** Absent where the usage of containers is read elsewhere. */
  readonly usage?: Pick<ProcessUsageReader, 'read'>;
}

/** A main process and what it writes. */
interface MainProcess {
  readonly child: ChildProcess;
  readonly pid: number;
  readonly stdout: Readable;
  readonly stderr: Readable;
  readonly hasTerminal: boolean;
}

/**
 * Starts a container as a local process: leader of its own session and process group, standard input empty unless
 * asked for, output into the sink, environment exactly as given.
 */
export async function startProcess(
  launch: ContainerLaunch,
  keeper: ProcessKeeper,
  wrapping: Wrapping = {},
): Promise<RunningContainer> {
  const main = await spawnMain(launch, keeper.pipes, wrapping);
  const container = new ProcessContainer(main, launch, keeper, wrapping);
  try {
    await follow(main.child, wrapping.started);
  } catch (error) {
    container.kill();
    await Promise.all([container.exited, container.gone]);
    throw error;
  }
  return container;
}

/** Passes on what the programs of a wrapping report. */
async function follow(
  child: ChildProcess,
  started: ((status: Readable) => Promise<void>) | undefined,
): Promise<void> {
  const status = child.stdio[3];
  if (started === undefined || !(status instanceof Readable)) return;
  try {
    await started(status);
  } finally {
    status.destroy();
  }
}

/** How a runtime starts programs by means of other programs, and learns how far they are. */
interface Wrapping {
  /** The launch's command puts its program on a terminal by itself, if one is wanted. @default it is put on one here */
  readonly hasTerminal?: boolean;
  /** Follows descriptor 3 of the main process; resolves when the container's program runs. Rejects with StartError. */
  readonly started?: (status: Readable) => Promise<void>;
  /** Gives the command that runs another beside the main one, on a terminal of its own if one is wanted. */
  readonly exec?: (command: readonly string[], options: ExecOptions) => Promise<WrappedCommand>;
}

/** A command that runs another in a container. */
export interface WrappedCommand {
  readonly command: readonly string[];
  /** Whether it puts the program on a terminal by itself. @default it is put on one here, if one is wanted */
  readonly hasTerminal?: boolean;
  /** Reads its descriptor 3; resolves when the program of the container runs. Rejects with StartError. @default it runs at once */
  started?(status: Readable): Promise<void>;
}

async function spawnMain(
  launch: ContainerLaunch,
  pool: Pick<PipePool, 'take'> | undefined,
  { started: reportsStart, hasTerminal: isOnTerminal }: Wrapping,
): Promise<MainProcess> {
  const isHere = launch.tty === true && isOnTerminal === undefined;
  const onTerminal = isHere ? await terminalCommand(launch.command) : undefined;
  const hasTerminal = isOnTerminal ?? onTerminal !== undefined;
  const [file = '', ...args] = onTerminal ?? launch.command;
  const pipes = [pool?.take(), pool?.take()].filter((pipe) => pipe !== undefined);
  const [out, err] = pipes;
  try {
    const child = spawn(file, args, {
      cwd: launch.workingDirectory,
      env: { ...launch.env },
      detached: true,
      // A terminal without input stays open, with nothing typed.
      stdio: [
        launch.stdin === true || hasTerminal ? 'pipe' : 'ignore',
        out?.input ?? 'pipe',
        err?.input ?? 'pipe',
        ...(reportsStart === undefined ? [] : ['pipe' as const]),
      ],
    });
    const pid = await started(child, launch);
    const stdout = out?.output ?? child.stdout;
    const stderr = err?.output ?? child.stderr;
    if (stdout === null || stderr === null) throw new TypeError('a process was started without its output');
    return { child, pid, stdout, stderr, hasTerminal };
  } catch (error) {
    for (const { output } of pipes) output.destroy();
    throw error;
  } finally {
    // The end of output is seen only when the container alone holds this side.
    for (const { input } of pipes) closeSync(input);
  }
}

/** The parts of a process's start that may explain a failure. */
type Attempt = Pick<ContainerLaunch, 'command' | 'env' | 'workingDirectory'>;

/** libuv reports a failed exec through the `error` event, a good one through `pid` at once. */
async function started(child: ChildProcess, attempt: Attempt): Promise<number> {
  if (child.pid !== undefined) return child.pid;
  const cause = await new Promise<NodeJS.ErrnoException>((resolve) => child.once('error', resolve));
  throw new StartError(attempt.command, explain(attempt, cause), { cause });
}

function explain({ command, env, workingDirectory }: Attempt, cause: NodeJS.ErrnoException): string {
  const [file = ''] = command;
  const what = `exec: ${JSON.stringify(file)}`;
  const where = `(working directory ${workingDirectory})`;
  if (!file.includes('/')) {
    // A folder of PATH that may not be searched makes the system answer EACCES for a program that exists nowhere.
    const isThere = (env.PATH ?? '').split(':').some((folder) => existsSync(join(folder, file)));
    if (cause.code === 'ENOENT' || (cause.code === 'EACCES' && !isThere)) {
      return existsSync(workingDirectory)
        ? `${what}: executable file not found in $PATH`
        : `${what}: working directory ${workingDirectory} not found`;
    }
  }
  if (cause.code === 'ENOENT') return `${what}: stat ${file}: no such file or directory ${where}`;
  if (cause.code === 'EACCES') return `${what}: permission denied ${where}`;
  return `${what}: ${cause.message}`;
}

class ProcessContainer implements RunningContainer {
  readonly id: string;
  readonly pid: number;
  readonly exited: Promise<ContainerExit>;
  readonly gone: Promise<void>;
  readonly stdin?: Writable;
  readonly resize?: (size: TerminalSize) => void;
  readonly #launch: ContainerLaunch;
  readonly #keeper: ProcessKeeper;
  readonly #wrapping: Wrapping;
  readonly #execs = new Set<ExecProcess>();
  readonly #cpu = new CpuCounter();
  #alive = true;

  constructor(main: MainProcess, launch: ContainerLaunch, keeper: ProcessKeeper, wrapping: Wrapping) {
    this.#wrapping = wrapping;
    const { child, pid, stdout, stderr } = main;
    this.id = launch.id;
    this.pid = pid;
    child.stdin?.on('error', () => {}); // the process need not read its input
    if (launch.stdin === true && child.stdin !== null) this.stdin = child.stdin;
    if (main.hasTerminal) this.resize = (size) => resizeTerminal(pid, size);
    this.#launch = launch;
    this.#keeper = keeper;
    keeper.groups.add(this.pid);
    stdout.on('data', (chunk: Uint8Array) => launch.output.write('stdout', chunk));
    stderr.on('data', (chunk: Uint8Array) => launch.output.write('stderr', chunk));
    const closed = Promise.all([stdout, stderr].map(ended));
    const exit = new Promise<ContainerExit>((resolve) => {
      child.once('exit', (code, signal) => {
        this.#alive = false;
        // The end of the main process is the end of the container, as the end of PID 1 is in a namespace.
        sendSignal(-this.pid, 'SIGKILL');
        for (const exec of this.#execs) exec.kill();
        resolve(exitOf(code, signal));
      });
    });
    this.gone = exit.then(() => keeper.strays.kill(launch.id)).then(() => keeper.groups.delete(this.pid));
    this.exited = exit.then(async (result) => {
      // A process that cleared its environment may hold the pipe for ever: after the search, output is over.
      await Promise.race([closed, this.gone.then(afterPendingReads)]);
      stdout.destroy();
      stderr.destroy();
      launch.output.end();
      return result;
    });
  }

  signal(signal: StopSignal): void {
    if (this.#alive) sendSignal(this.pid, signal);
  }

  kill(): void {
    if (this.#alive) sendSignal(-this.pid, 'SIGKILL');
  }

  async usage(): Promise<ContainerUsage | undefined> {
    const sum = await this.#keeper.usage?.read(this.id);
    return sum && { ...sum, cpuNanos: this.#cpu.advance(sum.cpuNanos) };
  }

  async exec(command: readonly string[], { tty = false }: ExecOptions = {}): Promise<ExecProcess> {
    if (!this.#alive) throw new StartError(command, `container ${this.id} is not running`);
    const wrapped = await this.#wrapping.exec?.(command, { tty });
    const inContainer = wrapped?.command ?? command;
    const isHere = tty && wrapped?.hasTerminal === undefined;
    const onTerminal = isHere ? await terminalCommand(inContainer) : undefined;
    const hasTerminal = wrapped?.hasTerminal ?? onTerminal !== undefined;
    const [file = '', ...args] = onTerminal ?? inContainer;
    const child = spawn(file, args, {
      cwd: this.#launch.workingDirectory,
      env: { ...(hasTerminal ? { TERM: 'xterm' } : {}), ...this.#launch.env },
      detached: true,
      stdio: ['pipe', 'pipe', 'pipe', ...(wrapped?.started === undefined ? [] : ['pipe' as const])],
    }) as ChildProcessWithoutNullStreams; // three pipes, whatever else
    const pid = await started(child, { ...this.#launch, command });
    const process = execProcess(child, pid, this.#keeper.groups, hasTerminal);
    this.#execs.add(process);
    void process.exited.then(() => this.#execs.delete(process));
    await follow(child, wrapped?.started);
    return process;
  }
}

function execProcess(
  child: ChildProcessWithoutNullStreams,
  pid: number,
  groups: GroupRegistry,
  hasTerminal: boolean,
): ExecProcess {
  groups.add(pid);
  let alive = true;
  child.stdin.on('error', () => {}); // the command need not read its input
  const exited = new Promise<ContainerExit>((resolve) => {
    child.once('exit', (code, signal) => {
      alive = false;
      groups.delete(pid);
      resolve(exitOf(code, signal));
    });
  });
  return {
    stdin: child.stdin,
    stdout: kept(child.stdout),
    stderr: kept(child.stderr),
    exited,
    kill: () => {
      if (!alive) return;
      if (hasTerminal) killOnTerminal(pid);
      sendSignal(-pid, 'SIGKILL');
    },
    ...(hasTerminal ? { resize: (size) => resizeTerminal(pid, size) } : {}),
  };
}

/** Keeps the output of a process until it is read: Node discards what is unread when the process exits. */
function kept(output: Readable): Readable {
  const reader = new PassThrough();
  pipeline(output, reader, () => {}); // a failure closes the reader, too
  return reader;
}

/** Resolves when a stream has given everything, or failed. */
function ended(stream: Readable): Promise<void> {
  return new Promise((resolve) => {
    stream.once('close', () => resolve());
    stream.on('error', () => {}); // followed by close
  });
}

/** Data that is in the pipe already is delivered within two turns of the event loop. */
async function afterPendingReads(): Promise<void> {
  for (let turn = 0; turn < 2; turn++) await new Promise((resolve) => setImmediate(resolve));
}

function exitOf(code: number | null, signal: NodeJS.Signals | null): ContainerExit {
  if (signal === null) return { exitCode: code ?? 0 };
  const number = constants.signals[signal];
  return { exitCode: 128 + number, signal: number };
}
