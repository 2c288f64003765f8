import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises';
import { readOrEmpty } from '@turnsole/kube/base/machine';

/** Environment variable by which every process of a container is known. */
export const CONTAINER_ID_VARIABLE = 'TURNSOLE_CONTAINER_ID';

/** Pauses between walks while killed processes are still dying; a process that outlasts them all is left to the reaper. */
const ROUND_PAUSES_MS = [0, 1, 2, 5, 10, 20, 50, 100, 200, 500] as const;

/** Processes looked at before others get their turn: reading one takes some 15 µs, and a machine may have thousands. */
const CHUNK = 100;

/**
 * The processes whose environment names one of the containers, by the container's id, on Linux; elsewhere none. A container without
 * processes is not in it. A process that cleared its environment is not found, nor one of another user.
 */
export async function processesByContainer(
  containerIds: ReadonlySet<string>,
): Promise<ReadonlyMap<string, readonly number[]>> {
  return (await walk(containerIds)).found;
}

/** The processes of one container, as {@link processesByContainer} finds them, at once. */
export function processesOf(containerId: string): number[] {
  return readProcessIds().filter((pid) => {
    const environment = environmentOf(pid);
    return environment !== undefined && containerIdIn(environment) === containerId;
  });
}

interface Walk {
  readonly found: ReadonlyMap<string, readonly number[]>;
  /** Whether a process was just becoming another program, and may be one of the containers. */
  readonly isUndecided: boolean;
}

async function walk(containerIds: ReadonlySet<string>): Promise<Walk> {
  const found = new Map<string, number[]>();
  let isUndecided = false;
  for (const [index, pid] of readProcessIds().entries()) {
    if (index % CHUNK === CHUNK - 1) await nextTurn();
    const environment = environmentOf(pid);
    isUndecided ||= environment?.length === 0 && isBeginning(pid);
    const id = environment && containerIdIn(environment);
    if (id === undefined || !containerIds.has(id)) continue;
    const own = found.get(id);
    if (own === undefined) found.set(id, [pid]);
    else own.push(pid);
  }
  return { found, isUndecided };
}

function readProcessIds(): number[] {
  if (process.platform !== 'linux') return [];
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => Number.isInteger(pid) && pid > 1 && pid !== process.pid);
}

const NEEDLE = Buffer.from(`${CONTAINER_ID_VARIABLE}=`);

/** Undefined for a process that is gone, or of another user. */
function environmentOf(pid: number): Buffer | undefined {
  try {
    return readFileSync(`/proc/${pid}/environ`);
  } catch {
    return undefined;
  }
}

/**
 * Whether a process without an environment is in the middle of `execve`: it has a program, which kernel threads and zombies have not, but
 * Linux has not said yet where its environment is.
 */
function isBeginning(pid: number): boolean {
  return existsSync(`/proc/${pid}/exe`) && endOfEnvironment(readOrEmpty(`/proc/${pid}/stat`)) === '0';
}

/** `env_end` of a line of /proc/<pid>/stat (proc_pid_stat(5): the 51st field); undefined of one that is not whole. Pure. */
export function endOfEnvironment(stat: string): string | undefined {
  // The second field, the name, may contain anything.
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[51 - 3];
}

function containerIdIn(environment: Buffer): string | undefined {
  const at = environment.indexOf(NEEDLE);
  if (at === -1 || (at > 0 && environment[at - 1] !== 0)) return undefined;
  const end = environment.indexOf(0, at);
  return environment.toString('latin1', at + NEEDLE.length, end === -1 ? environment.length : end);
}

/**
 * Makes requests of one turn of the event loop, each for a container, share one piece of work: a walk through /proc takes a few
 * milliseconds.
 */
export function oncePerTurn<T>(
  work: (containerIds: ReadonlySet<string>) => Promise<T>,
): (containerId: string) => Promise<T> {
  let requested: { readonly ids: Set<string>; readonly done: Promise<T> } | undefined;
  return (containerId) => {
    if (requested === undefined) {
      const ids = new Set<string>();
      const done = new Promise<T>((resolve) => {
        setImmediate(() => {
          requested = undefined;
          resolve(work(ids));
        });
      });
      requested = { ids, done };
    }
    requested.ids.add(containerId);
    return requested.done;
  };
}

/** Kills processes that left their container's process group. */
export class StrayKiller {
  /** Resolves when no process of the container is found any more. */
  readonly kill: (containerId: string) => Promise<void> = oncePerTurn(killAll);
}

async function killAll(containerIds: ReadonlySet<string>): Promise<void> {
  for (const pauseMs of ROUND_PAUSES_MS) {
    // A process may fork while it is looked for, and one that was killed takes a moment to go: look until none is there.
    const { found, isUndecided } = await walk(containerIds);
    if (found.size === 0 && !isUndecided) return;
    for (const pid of [...found.values()].flat()) sendSignal(pid, 'SIGKILL');
    await delay(pauseMs);
  }
}

/** Sends a signal to a process, or to a group when negative. Gives false when it does not exist or is not ours. */
export function sendSignal(pid: number, signal: NodeJS.Signals | number): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}
