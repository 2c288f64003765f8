import { readdir } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { RevertError } from '../../../experiment/injection/errors.ts';
import { readText } from '../../../experiment/node/container-locator.ts';
import { STRESS_VARIABLE } from './stressor.ts';

/** Pauses until killed processes are gone: they are no children of this one, so it gets no signal. */
const PAUSES_MS = [0, 5, 10, 20, 50, 100, 200, 500, 1_000] as const;

/** From this pause on, remaining processes do not end by themselves. */
const PATIENCE_MS = 500;

/**
 * Kills everything that loads for an injection, also what another process started. Idempotent; resolves when nothing is left.
 *
 * @throws RevertError when something cannot be killed
 */
export async function sweepStress(id: string): Promise<void> {
  let left: readonly number[] = [];
  let hasNested = false;
  for (const pauseMs of PAUSES_MS) {
    if (pauseMs > 0) await delay(pauseMs);
    left = await processesOf(id);
    if (left.length === 0) return;
    const own = await groupOf(process.pid);
    const inits = await nestedInits(left);
    for (const pid of inits) kill(pid);
    hasNested ||= inits.length > 0;
    // Those that wait for the first process of a namespace end with it; killed before it they would leave it, defunct, to the target.
    if (hasNested && pauseMs < PATIENCE_MS) continue;
    for (const pid of left) {
      const group = await groupOf(pid);
      // Workers of stress-ng overwrite their environment; they are in the group of those that do not.
      if (group !== undefined && group > 1 && group !== own) kill(-group);
      kill(pid);
    }
  }
  throw new RevertError(`processes ${left.join(', ')} of injection ${id} do not end; kill them on the node`);
}

async function processesOf(id: string): Promise<number[]> {
  const wanted = `${STRESS_VARIABLE}=${id}`;
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
  const found = await Promise.all(
    pids.map(async (pid) => {
      const text = await readText(`/proc/${pid}/environ`);
      return text?.split('\0').includes(wanted) === true && (await groupOf(pid)) !== undefined ? [pid] : [];
    }),
  );
  return found.flat();
}

/** Those of the processes that are the first of a process namespace. */
async function nestedInits(pids: readonly number[]): Promise<number[]> {
  const texts = await Promise.all(pids.map((pid) => readText(`/proc/${pid}/status`)));
  return pids.filter((_, index) => /^NSpid:\t\d+(\t\d+)*\t1$/m.test(texts[index] ?? ''));
}

/** Process group; undefined for a process that has ended, a zombie too. */
async function groupOf(pid: number): Promise<number | undefined> {
  const stat = await readText(`/proc/${pid}/stat`);
  const [state, , group] = stat?.slice(stat.lastIndexOf(')') + 2).split(' ') ?? [];
  return state === undefined || state === 'Z' || group === undefined ? undefined : Number(group);
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended.
  }
}
