import { constants } from 'node:os';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { readOrEmpty } from '@turnsole/kube/base/machine';
import { type ProcessKeeper, startProcess, type WrappedCommand } from '../process-container.ts';
import { CpuCounter, usageOfProcesses } from '../process-usage.ts';
import { sendSignal } from '../strays.ts';
import { terminalCommand } from '../terminal.ts';
import {
  type ContainerExit,
  type ContainerLaunch,
  type ContainerUsage,
  type ExecOptions,
  type ExecProcess,
  type RunningContainer,
  StartError,
  type TerminalSize,
} from '../types.ts';
import type { Cgroup } from './cgroups.ts';
import type { ContainerRoot } from './container-root.ts';
import { type ProcessIdentity, setprivWords } from './identity.ts';
import { type CommandPlan, execScript, explainStatus, initScript, READY } from './scripts.ts';
import { leavesToKernel } from './stop-signal.ts';

/** Input of an isolated container's start, besides its launch. */
export interface IsolatedLaunch {
  readonly launch: ContainerLaunch;
  readonly identity: ProcessIdentity;
  readonly root: ContainerRoot;
  readonly cgroup: Cgroup;
  /** Process that keeps the pod's namespaces. */
  readonly holderPid: number;
  /** The processes it sees: only its own, the pod's, all, or those of another container by its first process. */
  readonly processes: 'own' | 'pod' | 'host' | { readonly ofPid: number };
  readonly keeper: Pick<ProcessKeeper, 'groups' | 'pipes'>;
}

const KILLED = 137;
/** On the pods of steps. This room knows no workflows beyond it. */
const LABEL_WORKFLOW = 'workflows.argoproj.io/workflow';

/** Starts a container in the namespaces of its pod. @throws StartError when its command cannot be run */
export async function startIsolated(options: IsolatedLaunch): Promise<RunningContainer> {
  const { launch, root, cgroup, holderPid, processes, keeper } = options;
  const commandPlan = (command: readonly string[]): CommandPlan => ({
    command,
    workingDirectory: launch.workingDirectory,
    prefix: setprivWords(options.identity),
    oddVariables: Object.fromEntries(
      Object.entries(launch.env).filter(([name]) => !/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)),
    ),
  });
  // Made inside: only there it has a name, and the program may make it the terminal of its session.
  const onTerminal = launch.tty === true ? await terminalCommand(launch.command) : undefined;
  const plan = { ...commandPlan(onTerminal ?? launch.command), isChildOfInit: isStep(launch) };
  const first = processes === 'own';
  const script = initScript({ ...plan, ...root, joinFiles: cgroup.joinFiles });
  const enter = [
    'nsenter',
    '-t',
    String(holderPid),
    '-m',
    '-n',
    '-i',
    '-u',
    ...(processes === 'pod' ? ['-p'] : []),
    ...(typeof processes === 'object' ? [`--pid=/proc/${processes.ofPid}/ns/pid`] : []),
  ];
  const unshare = ['unshare', '-m', ...(first ? ['-p'] : [])];
  const state = { started: false, first, memoryKills: 0, pid: undefined as number | undefined };
  const inner = await startProcess(
    {
      ...launch,
      command: [...enter, ...unshare, '/bin/sh', '-c', script],
      workingDirectory: '/',
      output: {
        write: (stream, chunk) => launch.output.write(stream, chunk),
        end: () => {
          // The receiver of this failure ends the output.
          if (state.started) launch.output.end();
        },
      },
    },
    {
      ...keeper,
      strays: {
        kill: async () => {
          state.memoryKills = cgroup.oomKills();
          await cgroup.remove();
        },
      },
    },
    {
      hasTerminal: onTerminal !== undefined,
      started: async (status) => {
        await ready(status, launch.command, launch.workingDirectory);
        // Read while its program is only beginning: later, its children would be there as well.
        state.pid = cgroup.processes()[0];
        state.started = true;
      },
      exec: async (command, { tty = false }): Promise<WrappedCommand> => {
        const onTerminal = tty ? await terminalCommand(command) : undefined;
        const plan = commandPlan(onTerminal ?? command);
        return {
          command: [
            '/bin/sh',
            '-c',
            execScript({ ...plan, joinFiles: cgroup.joinFiles, pid: state.pid ?? 0 }),
          ],
          hasTerminal: onTerminal !== undefined,
          started: (status) => ready(status, command, launch.workingDirectory),
        };
      },
    },
  );
  return new IsolatedContainer(inner, cgroup, state);
}

/**
 * Whether it is the container of a workflow's step. Under Argo its program is a child of the executor, so that one which ends by a signal to itself
 * (`abort()`, SIGPIPE, `kill $$`) has failed; the kernel would spare it as process 1.
 */
function isStep({ container, root, tty }: ContainerLaunch): boolean {
  const pod = root?.pod;
  const isOfWorkflow = pod?.metadata.labels?.[LABEL_WORKFLOW] !== undefined;
  return (
    isOfWorkflow && tty !== true && pod?.spec?.containers.some(({ name }) => name === container) === true
  );
}

/** Resolves when a wrapper says that the command runs. @throws StartError with what it says instead */
async function ready(status: Readable, command: readonly string[], workingDirectory: string): Promise<void> {
  let said = '';
  for await (const line of createInterface({ input: status })) {
    if (line === READY) return;
    said = said === '' ? line : `${said} ${line}`;
  }
  throw new StartError(command, explainStatus(said, command, workingDirectory));
}

/** A container whose processes are all in its cgroup. */
class IsolatedContainer implements RunningContainer {
  readonly id: string;
  readonly pid: number | undefined;
  readonly exited: Promise<ContainerExit>;
  readonly gone: Promise<void>;
  readonly #inner: RunningContainer;
  readonly #cgroup: Cgroup;
  readonly #cpu = new CpuCounter();
  readonly #isFirst: boolean;
  #alive = true;
  /** The signal that this ended it for. */
  #endedFor: NodeJS.Signals | undefined;

  constructor(
    inner: RunningContainer,
    cgroup: Cgroup,
    state: { readonly pid: number | undefined; readonly memoryKills: number; readonly first: boolean },
  ) {
    this.#isFirst = state.first;
    this.id = inner.id;
    this.pid = state.pid;
    this.#inner = inner;
    this.#cgroup = cgroup;
    this.gone = inner.gone;
    this.exited = inner.exited.then((exit) => {
      this.#alive = false;
      const memoryKills = Math.max(state.memoryKills, cgroup.oomKills());
      // Container runtimes say the number of a signal in the exit code only.
      const { exitCode } = exit;
      if (exitCode !== KILLED) return { exitCode };
      if (this.#endedFor !== undefined) return { exitCode: 128 + constants.signals[this.#endedFor] };
      return memoryKills > 0 ? { exitCode, oomKilled: true } : { exitCode };
    });
  }

  get stdin(): RunningContainer['stdin'] {
    return this.#inner.stdin;
  }

  get resize(): ((size: TerminalSize) => void) | undefined {
    return this.#inner.resize;
  }

  /**
   * Sends it to the main process. One that leaves it to the kernel is ended by it even as process 1, which the kernel spares: a
   * container without a handler would make every end of its pod take the whole grace period.
   */
  signal(signal: NodeJS.Signals): void {
    if (!this.#alive || this.pid === undefined) return;
    if (this.#isFirst && leavesToKernel(readOrEmpty(`/proc/${this.pid}/status`), signal)) {
      this.#endedFor = signal;
      sendSignal(this.pid, 'SIGKILL');
    } else sendSignal(this.pid, signal);
  }

  kill(): void {
    this.#inner.kill();
    if (this.#alive) this.#cgroup.kill();
  }

  exec(command: readonly string[], options?: ExecOptions): Promise<ExecProcess> {
    return this.#inner.exec(command, options);
  }

  usage(): Promise<ContainerUsage | undefined> {
    return Promise.resolve(this.#cgroup.usage() ?? this.#usageOfProcesses());
  }

  /** Where the cgroups do not count: the sum over its present processes. */
  #usageOfProcesses(): ContainerUsage | undefined {
    const sum = usageOfProcesses(this.#cgroup.processes());
    return sum && { ...sum, cpuNanos: this.#cpu.advance(sum.cpuNanos) };
  }
}
