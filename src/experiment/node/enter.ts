import type { ChildProcess, StdioOptions } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { findProgram } from '@turnsole/kube/base/machine';
import { killGroup } from '../../process/kill-group.ts';
import { type ChaosError, ContainerRuntimeError } from '../injection/errors.ts';
import { type Capability, requireCapabilities } from './capabilities.ts';
import { cgroupsToJoin, hasHostCgroups } from './cgroup-folders.ts';
import { type CommandOptions, type CommandResult, runCommand, startCommand } from './command.ts';
import { isSameProcess, type LocatedProcess } from './container-locator.ts';
import { NodeError } from './node-error.ts';
import { requireTools } from './tools.ts';

/** A namespace of a target that can be entered. */
type Namespace = 'net' | 'pid' | 'mnt' | 'cgroup' | 'uts' | 'ipc';

/** How a command is put into a target. */
interface EnterOptions {
  /** Without `mnt` the command is a program of the helper's image, with the helper's files; with it, one of the target's. */
  readonly namespaces: readonly Namespace[];
  /**
   * With `pid`: gives the command a process namespace of its own below the target's. When its first process ends, the kernel ends all
   * of them and reaps them; without this, what outlives its parent becomes a child of the target's first process, which may
   * reap nothing. The command has to end with its standard input: it is not killed with this process. @default false
   */
  readonly nestPids?: boolean;
  /** Joins the target's cgroups first: what the command uses then counts as the target's. @default false */
  readonly joinCgroups?: boolean;
  /** Written to /proc/self/oom_score_adj of the command, -1000 to 1000; lowering needs CAP_SYS_RESOURCE. */
  readonly oomScoreAdj?: number;
}

/** A program that goes on inside a target. */
export interface InsideProcess {
  readonly child: ChildProcess;
  /** Signals it and what it has started in its group. */
  readonly kill: (signal?: NodeJS.Signals) => void;
}

const OPTION: Readonly<Record<Namespace, string>> = {
  net: '--net',
  pid: '--pid',
  mnt: '--mount',
  cgroup: '--cgroup',
  uts: '--uts',
  ipc: '--ipc',
};

/** What entering these needs (setns(2), and ptrace(2) for looking at the target's namespaces). Pure. */
export function enterCapabilities({ namespaces, joinCgroups }: EnterOptions): Capability[] {
  if (namespaces.length === 0 && joinCgroups !== true) return [];
  return ['SYS_ADMIN', 'SYS_PTRACE', ...(namespaces.includes('mnt') ? (['SYS_CHROOT'] as const) : [])];
}

/**
 * Runs a command inside a target to its end: `runInside(process, { namespaces: ['net'] }, ['tc', 'qdisc', 'show'])`.
 *
 * The namespaces are those of `process` and no other's, even if its number is given to another process meanwhile.
 *
 * @throws CapabilityError, MissingToolError before anything is done · NodeError where the kernel forbids it ·
 *   ContainerRuntimeError when the target has ended · CommandError as {@link runCommand}
 */
export async function runInside(
  process: LocatedProcess,
  options: EnterOptions & Omit<CommandOptions, 'descriptors'>,
  command: readonly string[],
): Promise<CommandResult> {
  // A command that ends soon needs no guard, which would cost as much as itself.
  const way = { ...options, isLasting: false };
  return withNamespaces(process, way, command, (words, descriptors) =>
    runCommand(words, { ...options, descriptors }),
  );
}

/**
 * Starts a program inside a target and gives it back once it is started (not: once it is ready).
 *
 * It is killed when this process dies, SIGKILL included, as far as the kernel allows: with `pid` and `mnt` together only the
 * program's parent is, so such a program has to watch its standard input or be found by the revert.
 */
export async function startInside(
  process: LocatedProcess,
  options: EnterOptions & {
    readonly stdio?: readonly ('pipe' | 'ignore' | 'inherit')[];
    readonly env?: NodeJS.ProcessEnv;
  },
  command: readonly string[],
): Promise<InsideProcess> {
  const stdio = [...(options.stdio ?? ['pipe', 'pipe', 'pipe'])];
  const way = { ...options, isLasting: true };
  return withNamespaces(process, way, command, async (words, descriptors) => {
    const child = startCommand(words, [...stdio, ...descriptors] as StdioOptions, options.env);
    await new Promise<void>((resolve, reject) => {
      child.once('spawn', resolve);
      child.once('error', reject);
    });
    return { child, kill: (signal = 'SIGKILL') => killGroup(child, signal) };
  });
}

/** Input of {@link enterCommand}. */
interface EnterPlan {
  readonly options: EnterOptions;
  readonly command: readonly string[];
  /** `cgroup.procs` files to join. */
  readonly joinFiles: readonly string[];
  /** Whether joining needs the cgroup namespace of process 1: with nsdelegate the kernel lets no process leave its own. */
  readonly viaHostCgroups: boolean;
  /** Whether setpriv is there, to have the command killed when its parent dies. */
  readonly canDieWithParent: boolean;
}

/** Its own process is what waits for the first process of the namespace: killed before that, it would leave it to the target. */
const NEST = ['unshare', '--pid', '--fork', '--kill-child=KILL', '--'];

/** The words to spawn; the namespaces are descriptors 3, 4, … in the order of `namespaces`. Pure. */
export function enterCommand(plan: EnterPlan): string[] {
  const { options, command, joinFiles, viaHostCgroups, canDieWithParent } = plan;
  const { namespaces, oomScoreAdj } = options;
  const mortal = canDieWithParent ? ['setpriv', '--pdeathsig', 'KILL'] : [];
  const enter =
    namespaces.length === 0
      ? []
      : ['nsenter', ...namespaces.map((name, index) => `${OPTION[name]}=/proc/self/fd/${index + 3}`), '--'];
  // Entering a process namespace forks, and a fork forgets the wish to die; in another mount namespace there may be no setpriv.
  const again =
    options.nestPids === true
      ? NEST
      : namespaces.includes('pid') && !namespaces.includes('mnt')
        ? mortal
        : [];
  const steps = [
    ...(oomScoreAdj === undefined ? [] : [`echo ${oomScoreAdj} > /proc/self/oom_score_adj || exit 126`]),
    ...joinFiles.map((_, index) => `echo 0 > "$${index + 1}" || exit 126`),
  ];
  const prepare =
    steps.length === 0
      ? []
      : [
          ...(viaHostCgroups && joinFiles.length > 0 ? ['nsenter', '--cgroup=/proc/1/ns/cgroup', '--'] : []),
          ...[
            '/bin/sh',
            '-c',
            `${steps.join('\n')}\n${joinFiles.length === 0 ? '' : `shift ${joinFiles.length}\n`}exec "$@"`,
          ],
          ...['sh', ...joinFiles],
        ];
  return [...mortal, ...prepare, ...enter, ...again, ...command];
}

async function withNamespaces<T>(
  process: LocatedProcess,
  options: EnterOptions & { readonly isLasting: boolean },
  command: readonly string[],
  run: (words: readonly string[], descriptors: readonly number[]) => Promise<T>,
): Promise<T> {
  const { namespaces, joinCgroups = false, isLasting } = options;
  const purpose = `enter process ${process.pid}`;
  requireCapabilities(enterCapabilities(options), purpose);
  requireTools(namespaces.length === 0 ? [] : ['nsenter'], purpose);
  requireTools(options.nestPids === true ? ['unshare'] : [], purpose);
  const descriptors: number[] = [];
  try {
    for (const name of namespaces) descriptors.push(openNamespace(process, name));
    const folders = joinCgroups ? await cgroupsToJoin(process.pid) : [];
    // The files that were opened above belong to this process if it is still the same now.
    if (!(await isSameProcess(process))) throw new ContainerRuntimeError(ended(process));
    const words = enterCommand({
      options,
      command,
      joinFiles: folders.map((folder) => `${folder}/cgroup.procs`),
      viaHostCgroups: !hasHostCgroups(),
      canDieWithParent: isLasting && findProgram('setpriv') !== undefined,
    });
    return await run(words, descriptors);
  } finally {
    for (const descriptor of descriptors) closeSync(descriptor);
  }
}

function openNamespace(process: LocatedProcess, name: Namespace): number {
  try {
    return openSync(`/proc/${process.pid}/ns/${name}`, 'r');
  } catch (cause) {
    throw unopened(process, cause);
  }
}

/** What it means that a namespace of a process cannot be opened, with the capabilities for that. Pure. */
export function unopened(process: Pick<LocatedProcess, 'pid'>, cause: unknown): ChaosError {
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  if (code !== 'EACCES' && code !== 'EPERM') return new ContainerRuntimeError(ended(process), { cause });
  return new NodeError(
    `cannot enter process ${process.pid} of this node: the kernel does not let the helper open its namespaces ` +
      `(${code}), as where a security module or a sandbox protects it; run the target on a node whose containers a helper may enter`,
    { cause },
  );
}

function ended({ pid }: Pick<LocatedProcess, 'pid'>): string {
  return `cannot enter the target: process ${pid} of the target has ended, as its container was stopped or restarted; run the experiment again`;
}
