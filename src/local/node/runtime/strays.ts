import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises';

/** Environment variable by which every process of a container is known. */
export const CONTAINER_ID_VARIABLE = 'TURNSOLE_CONTAINER_ID';

/** Pauses between walks while killed processes are still dying; a process that outlasts them all is left to the reaper. */
const ROUND_PAUSES_MS = [0, 1, 2, 5, 10, 20, 50, 100, 200, 500] as const;

/** Processes looked at before others get their turn: reading one takes some 15 µs, and a machine may have thousands. */
const CHUNK = 100;

/**
 * Gives the processes whose environment names one of the containers, on Linux; elsewhere none. A process that
 * cleared its environment is not found, nor one of another user.
 */
export async function findProcesses(containerIds: ReadonlySet<string>): Promise<number[]> {
  return [...(await processesByContainer(containerIds)).values()].flat();
}

/** The same, by the id of the container; one without processes is not in it. */
export async function processesByContainer(
  containerIds: ReadonlySet<string>,
): Promise<ReadonlyMap<string, readonly number[]>> {
  const found = new Map<string, number[]>();
  for (const [index, pid] of readProcessIds().entries()) {
    if (index % CHUNK === CHUNK - 1) await nextTurn();
    const id = containerIdOf(pid);
    if (id === undefined || !containerIds.has(id)) continue;
    const own = found.get(id);
    if (own === undefined) found.set(id, [pid]);
    else own.push(pid);
  }
  return found;
}

function readProcessIds(): number[] {
  if (process.platform !== 'linux') return [];
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => Number.isInteger(pid) && pid > 1 && pid !== process.pid);
}

const NEEDLE = Buffer.from(`${CONTAINER_ID_VARIABLE}=`);

function containerIdOf(pid: number): string | undefined {
  let environment: Buffer;
  try {
    environment = readFileSync(`/proc/${pid}/environ`);
  } catch {
    return undefined; // gone, or of another user
  }
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
    const found = await findProcesses(containerIds);
    if (found.length === 0) return;
    for (const pid of found) sendSignal(pid, 'SIGKILL');
    await delay(pauseMs);
  }
}

/** Sends a signal to a process, or to a group when negative. Gives false when it does not exist or is not ours. */
export function sendSignal(pid: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}
