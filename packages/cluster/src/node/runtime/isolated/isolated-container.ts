import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { childrenOf, readOrEmpty } from '@turnsole/kube/base/machine';
import type { Container } from '@turnsole/kube/kinds/core';
import { CONTAINER_ID_VARIABLE, sendSignal } from '../orphaned-processes.ts';
import { type ProcessKeeper, startProcess, type WrappedCommand } from '../process-container.ts';
import { CpuCounter, usageOfProcesses } from '../process-usage.ts';
import { terminalCommand } from '../terminal.ts';
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
} from '../types.ts';
import { containerLimits } from './cgroup-limits.ts';
import type { ContainerGroup } from './container-groups.ts';
import type { ContainerRoot } from './container-root.ts';
import type { ContainerTools } from './container-tools.ts';
import { type ProcessIdentity, setprivWords } from './identity.ts';
import { CHILD_MARK, type CommandPlan, execScript, explainStatus, initScript, READY } from './scripts.ts';
import { leavesToKernel, signalNumber } from './stop-signal.ts';

/** Input of an isolated container's start, besides its launch. */
export interface IsolatedLaunch {
  readonly launch: ContainerLaunch;
  readonly identity: ProcessIdentity;
  readonly root: ContainerRoot;
  readonly cgroup: ContainerGroup;
  /** Process that keeps the pod's namespaces. */
  readonly holderPid: number;
  /** The processes it sees: only its own, the pod's, all, or those of another container by its first process. */
  readonly processes: 'own' | 'pod' | 'host' | { readonly ofPid: number };
  /** The namespaces of the pod's own, as options of nsenter: those of the machine cannot be entered by root of a namespace of users. */
  readonly namespaces: readonly string[];
  readonly keeper: Pick<ProcessKeeper, 'groups' | 'pipes'>;
  /** What an image's container begins with. @default the root is the host's, which has the programs itself */
  readonly tools?: ContainerTools;
}

const KILLED = 137;
/** On the pods of steps. This room knows no workflows beyond it. */
const LABEL_WORKFLOW = 'workflows.argoproj.io/workflow';

/** Starts a container in the namespaces of its pod. @throws StartError when its command cannot be run */
export async function startIsolated(options: IsolatedLaunch): Promise<RunningContainer> {
  const { root, cgroup, holderPid, processes, namespaces, keeper, tools } = options;
  // By it the container's own processes are known, and the wrappers of their start are none.
  const launch = cgroup.isByMark ? withMarkForChild(options.launch) : options.launch;
  const { withheld, env } = splitVariables(launch.env, tools !== undefined);
  const commandPlan = async (command: readonly string[], tty = false): Promise<TerminalPlan> => {
    // Made inside: only there it has a name, and the program may make it the terminal of its session.
    const onTerminal = tty ? await terminalIn(command, root, tools) : undefined;
    return {
      command: onTerminal ?? command,
      wanted: command,
      hasTerminal: onTerminal !== undefined,
      workingDirectory: launch.workingDirectory,
      prefix: setprivWords(options.identity),
      oddVariables: withheld,
      ...(tools && { toolWords: tools.words, searchPath: launch.env.PATH ?? '' }),
    };
  };
  const plan = { ...(await commandPlan(launch.command, launch.tty)), isChildOfInit: isStep(launch) };
  const first = processes === 'own';
  const script = initScript({ ...plan, ...root, joinFiles: cgroup.joinFiles });
  const enter = [
    'nsenter',
    '-t',
    String(holderPid),
    ...namespaces,
    ...(processes === 'pod' ? ['-p'] : []),
    ...(typeof processes === 'object' ? [`--pid=/proc/${processes.ofPid}/ns/pid`] : []),
  ];
  const unshare = ['unshare', '-m', ...(first ? ['-p'] : [])];
  const state = { started: false, first, memoryKills: 0, pid: undefined as number | undefined };
  const inner = await startProcess(
    {
      ...launch,
      env,
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
      hasTerminal: plan.hasTerminal,
      started: async (status) => {
        await ready(status, launch.command, launch.workingDirectory);
        // Read while its program is only beginning: later, its children would be there as well.
        state.pid = cgroup.isByMark ? undefined : cgroup.processes()[0];
        state.started = true;
      },
      exec: async (command, { tty = false }): Promise<WrappedCommand> => {
        const plan = await commandPlan(command, tty);
        return {
          command: [
            '/bin/sh',
            '-c',
            execScript({
              ...plan,
              joinFiles: cgroup.joinFiles,
              pid: state.pid ?? 0,
              namespaces: [...namespaces, ...(processes === 'host' ? [] : ['-p'])],
            }),
          ],
          hasTerminal: plan.hasTerminal,
          started: (status) => ready(status, command, launch.workingDirectory),
        };
      },
    },
  );
  const isEntered = processes === 'pod' || typeof processes === 'object';
  state.pid ??= mainProcess(inner.pid, isEntered ? 2 : 1);
  return new IsolatedContainer(inner, cgroup, state);
}

type TerminalPlan = CommandPlan & { readonly hasTerminal: boolean };

/**
 * The words that give a command a terminal; undefined where none can be made: the program for it starts a shell, which an image need not
 * have.
 */
async function terminalIn(
  command: readonly string[],
  root: ContainerRoot,
  tools: ContainerTools | undefined,
): Promise<readonly string[] | undefined> {
  if (tools !== undefined && !(tools.has('script') && root.has('/bin/sh'))) return undefined;
  const [tool = '', ...words] = (await terminalCommand(command)) ?? [];
  if (tool === '') return undefined;
  return [...(tools?.words(tool) ?? [tool]), ...words];
}

/** Variables of the dynamic linker, which would count for the programs that begin the container as well. */
const OF_LINKER = /^LD_/;

/** The variables that the command alone gets, and those of the programs before it as well; an image's PATH says nothing of the host. Pure. */
function splitVariables(
  variables: Readonly<Record<string, string>>,
  isOfImage: boolean,
): { readonly withheld: Readonly<Record<string, string>>; readonly env: Readonly<Record<string, string>> } {
  const isWithheld = ([name]: readonly [string, string]): boolean =>
    !/^[A-Za-z_][A-Za-z0-9_]*$/.test(name) || OF_LINKER.test(name) || (isOfImage && name === 'PATH');
  const all = Object.entries(variables);
  return {
    withheld: Object.fromEntries(all.filter(isWithheld)),
    env: {
      ...Object.fromEntries(all.filter((variable) => !isWithheld(variable))),
      ...(isOfImage && { PATH: process.env.PATH ?? '' }),
    },
  };
}

function withMarkForChild(launch: ContainerLaunch): ContainerLaunch {
  const { [CONTAINER_ID_VARIABLE]: mark = launch.id, ...env } = launch.env;
  return { ...launch, env: { ...env, [CHILD_MARK]: mark } };
}

/** The process at the end of the wrappers of a start, each of which has one child. @param wrappers their number */
function mainProcess(pid: number | undefined, wrappers: number): number | undefined {
  if (pid === undefined || wrappers === 0) return pid;
  return mainProcess(childrenOf(pid)[0], wrappers - 1);
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

/** A container whose processes are all in its cgroup, or else known by their environment. */
class IsolatedContainer implements RunningContainer {
  readonly id: string;
  readonly pid: number | undefined;
  readonly exited: Promise<ContainerExit>;
  readonly gone: Promise<void>;
  readonly #inner: RunningContainer;
  readonly #cgroup: ContainerGroup;
  readonly #cpu = new CpuCounter();
  readonly #isFirst: boolean;
  #alive = true;
  /** The signal that this ended it for. */
  #endedFor: StopSignal | undefined;

  constructor(
    inner: RunningContainer,
    cgroup: ContainerGroup,
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
      if (this.#endedFor !== undefined) return { exitCode: 128 + signalNumber(this.#endedFor) };
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
  signal(signal: StopSignal): void {
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

  /** A limit below what is in use would have the kernel end its processes. */
  setLimits({ name, resources }: Pick<Container, 'name' | 'resources'>): void {
    const limits = containerLimits({ resources });
    const { memoryBytes: limit = Number.POSITIVE_INFINITY } = limits;
    const { memoryBytes: used = 0 } = this.#cgroup.usage() ?? {};
    if (used >= limit) {
      const what = `attempting to set container ${JSON.stringify(name)} memory limit (${limit})`;
      throw new Error(`cannot decrease memory limits: ${what} below current usage (${used})`);
    }
    this.#cgroup.setLimits(limits);
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
