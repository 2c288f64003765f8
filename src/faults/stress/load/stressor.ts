import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import type { Readable } from 'node:stream';
import { systemClock } from '@turnsole/kube/base/clock';
import { childrenOf, findProgram } from '@turnsole/kube/base/machine';
import { InjectError } from '../../../experiment/injection/errors.ts';
import { cgroupsToJoin, hasHostCgroups } from '../../../experiment/node/cgroup-folders.ts';
import { runCommand, startCommand } from '../../../experiment/node/command.ts';
import type { LocatedProcess } from '../../../experiment/node/container-locator.ts';
import { type InsideProcess, startInside } from '../../../experiment/node/enter.ts';
import { programEnv } from '../../../experiment/node/program-env.ts';
import { killGroup } from '../../../process/kill-group.ts';
import { chooseStressor, type Load, type ResolvedLoad, startsOutside, stressNgArguments } from './load.ts';
import { LOADER_PROGRAM, LOADER_WORDS, type LoaderPlan } from './loader.ts';
import { resolveLoad } from './resolve-load.ts';
import { beyond, NO_USAGE, treeUsage, type Usage } from './tree-usage.ts';

/** Variable that names the injection in every process that loads for it, so that a revert finds them without knowing more. */
export const STRESS_VARIABLE = 'TURNSOLE_STRESS';

/** The container and its load. */
interface StressorInput {
  /** Id of the injection. */
  readonly id: string;
  readonly load: Load;
  /** After this time the load ends by itself, unless it was ended before. */
  readonly seconds: number;
  /** The container's first process; undefined: this process's own pod. */
  readonly target?: LocatedProcess;
}

/** How a load ended by itself. */
export interface StressorEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** Its last words. */
  readonly said: string;
}

/** A load in force. */
export interface RunningStressor {
  /** Resolves when all of its processes have ended. */
  readonly ended: Promise<StressorEnd>;
  /** What was asked for. */
  readonly asked: ResolvedLoad;
  /** A process whose cgroups the load is in: the container's first one, or this one. */
  readonly pid: number;
  /** What its processes use now, or have used so far, beyond what their programs need to start. */
  usage(): Usage;
  /** Ends it; resolves when all of its processes have ended. Idempotent. */
  stop(): Promise<void>;
}

/** Processes that load are the first to go when memory runs out, not the application and not the helper. */
const FIRST_VICTIM = 1000;
const LAST_WORDS = 2_000;
/** Longest time that a load may take to end of which the first process was killed. */
const KILL_LIMIT_MS = 5_000;

/**
 * Starts a load in the cgroups and the process namespace of a container, or in the own pod; resolves when it is in force.
 *
 * It ends with this process, however that ends, and with the container.
 *
 * @throws InjectError with what the program said when it ends before it loads · NodeError, ContainerRuntimeError
 */
export async function startStressor(input: StressorInput): Promise<RunningStressor> {
  const { load, target, seconds } = input;
  const resolved = await resolveLoad(load, target);
  const program = findProgram('stress-ng');
  const hasRoom = target === undefined || startsOutside(load, outside, availableParallelism());
  return chooseStressor(load, program !== undefined, hasRoom) === 'stress-ng' && program !== undefined
    ? follow(await startStressNg(input, [program, ...stressNgArguments(resolved, seconds)]), isDispatch, {
        asked: resolved,
        pid: target?.pid ?? process.pid,
      })
    : startBuiltIn(input, resolved, hasRoom);
}

/** In a target it has to end with its standard input, which it does not look at. */
function startStressNg(input: StressorInput, words: readonly string[]): Promise<InsideProcess> {
  const command = input.target === undefined ? words : ['/bin/sh', '-c', WITH_INPUT, 'sh', ...words];
  return startIn(input, true, command);
}

/** Loaders of this process that started in its own cgroup. */
let outside = 0;

async function startBuiltIn(
  input: StressorInput,
  load: ResolvedLoad,
  isOutside: boolean,
): Promise<RunningStressor> {
  const { target, seconds } = input;
  const plan: LoaderPlan = { ...load, seconds };
  const command = [process.execPath, LOADER_PROGRAM, JSON.stringify(plan)];
  if (isOutside) outside += 1;
  const leave = (): void => {
    if (isOutside) outside -= 1;
  };
  try {
    let ready: Usage = NO_USAGE;
    const isLoading = async ({ child }: InsideProcess, line: string): Promise<boolean> => {
      if (line === LOADER_WORDS.ready) {
        if (target !== undefined && isOutside) {
          await moveIntoCgroups(innermost(child.pid ?? 0), target.pid);
        }
        ready = treeUsage(child.pid ?? 0);
        child.stdin?.write('go\n');
      }
      return line === LOADER_WORDS.loaded;
    };
    const inside = await startIn(input, !isOutside, command);
    const running = await follow(inside, isLoading, { asked: load, pid: target?.pid ?? process.pid });
    void running.ended.then(leave);
    return { ...running, usage: () => beyond(running.usage(), ready) };
  } catch (error) {
    leave();
    throw error;
  }
}

/** The first line of stress-ng about its workers: they are being started. */
function isDispatch(_inside: InsideProcess, line: string): Promise<boolean> {
  return Promise.resolve(line.includes('dispatching hogs'));
}

async function startIn(
  { id, target }: StressorInput,
  joinCgroups: boolean,
  command: readonly string[],
): Promise<InsideProcess> {
  const env = { ...programEnv(), [STRESS_VARIABLE]: id };
  if (target !== undefined) {
    const way = { namespaces: ['pid'], nestPids: true, joinCgroups, oomScoreAdj: FIRST_VICTIM, env } as const;
    const inside = await startInside(target, way, command);
    return { ...inside, kill: (signal) => killNested(inside, signal) };
  }
  return startBeside(command, env);
}

/**
 * Kills the first process of a load's own namespace, and with it all of them; the two that wait for it end by themselves then. Killed
 * before it they would leave a defunct process to the target.
 */
function killNested({ child, kill }: InsideProcess, signal: NodeJS.Signals = 'SIGKILL'): void {
  // The child of the child: nsenter forks into the target's namespace, unshare from there into that of the load.
  const first = childrenOf(child.pid ?? 0).flatMap(childrenOf)[0];
  if (first === undefined) {
    kill(signal);
    return;
  }
  const cancel = systemClock.setTimer(KILL_LIMIT_MS, () => kill('SIGKILL'), { unref: true });
  child.once('exit', cancel);
  try {
    process.kill(first, signal);
  } catch {
    // It has just ended, and its children with it.
  }
}

/** Runs a program without input, and kills it when this shell's own standard input ends, which the program does not watch. */
const WITH_INPUT = `
exec 3<&0
"$@" < /dev/null 3<&- & load=$!
(while read -r _ <&3; do :; done; kill -KILL $load) &
exec 3<&-
wait $load`;

async function startBeside(command: readonly string[], env: NodeJS.ProcessEnv): Promise<InsideProcess> {
  const mortal = findProgram('setpriv') === undefined ? [] : ['setpriv', '--pdeathsig', 'KILL'];
  const script = `echo ${FIRST_VICTIM} > /proc/self/oom_score_adj; exec "$@"`;
  const child = startCommand([...mortal, '/bin/sh', '-c', script, 'sh', ...command], 'pipe', env);
  await once(child, 'spawn');
  return { child, kill: (signal = 'SIGKILL') => killGroup(child, signal) };
}

/** Waits until it loads, and gives what can be done with it then. */
async function follow(
  inside: InsideProcess,
  isLoading: (inside: InsideProcess, line: string) => Promise<boolean>,
  facts: Pick<RunningStressor, 'asked' | 'pid'>,
): Promise<RunningStressor> {
  const { child, kill } = inside;
  let said = '';
  const loading = Promise.withResolvers<'loads'>();
  const hear = (stream: Readable | null): void => {
    let rest = '';
    stream?.on('data', (chunk: Buffer) => {
      const text = chunk.toString();
      said = `${said}${text}`.slice(-LAST_WORDS);
      const lines = `${rest}${text}`.split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) {
        isLoading(inside, line).then((loads) => {
          if (loads) loading.resolve('loads');
        }, loading.reject);
      }
    });
  };
  hear(child.stdout);
  hear(child.stderr);
  child.stdin?.on('error', () => {}); // its end says why
  // All processes of the load have the pipes, so these are closed when the last of them has ended.
  const ended = once(child, 'close').then(
    ([code, signal]): StressorEnd => ({ code, signal, said: said.trim() }),
  );
  const stop = async (): Promise<void> => {
    kill('SIGKILL');
    await ended;
  };
  try {
    const outcome = await Promise.race([loading.promise, ended]);
    if (outcome === 'loads') return { ...facts, ended, stop, usage: () => treeUsage(child.pid ?? 0) };
    const how = outcome.signal ?? `exit code ${outcome.code}`;
    throw new InjectError(`the load ended before it began (${how}): ${reasonOf(said)}`);
  } catch (error) {
    await stop();
    throw error;
  }
}

function reasonOf(said: string): string {
  const last = said.trim().split('\n').at(-1) ?? '';
  return last.replace(LOADER_WORDS.failed, '') || 'it said nothing';
}

/** The program behind the ones that enter namespaces: each has one child. */
function innermost(pid: number): number {
  const [child] = childrenOf(pid);
  return child === undefined ? pid : innermost(child);
}

async function moveIntoCgroups(pid: number, targetPid: number): Promise<void> {
  const files = (await cgroupsToJoin(targetPid)).map((folder) => `${folder}/cgroup.procs`);
  if (hasHostCgroups()) {
    for (const file of files) writeFileSync(file, String(pid));
    return;
  }
  const script = `for file in "$@"; do echo ${pid} > "$file" || exit 1; done`;
  await runCommand(['nsenter', '--cgroup=/proc/1/ns/cgroup', '--', '/bin/sh', '-c', script, 'sh', ...files]);
}
