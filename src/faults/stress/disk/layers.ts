import { access, readdir, readFile, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { mountsOf } from '@turnsole/cluster/node/machine/mounts';
import { runCommand } from '../../../experiment/node/command.ts';

/**
 * The folder that keeps what a container writes, as its node sees it; undefined where the root is no overlay. Pure.
 *
 * @param mountInfo text of /proc/<pid>/mountinfo (proc(5))
 */
export function upperFolder(mountInfo: string): string | undefined {
  const root = mountsOf(mountInfo).find(({ point, type }) => point === '/' && type === 'overlay');
  return root?.superOptions.find((option) => option.startsWith(UPPER))?.slice(UPPER.length);
}

const UPPER = 'upperdir=';

/** Bytes that a container has written to its own file system, volumes left out; 0 where that is unknown. */
export async function usedBytes(pid: number): Promise<number> {
  const folder = await layerOf(pid);
  if (folder === undefined) return 0;
  // `du` ends with 1 when a file went while it was counting.
  const { stdout } = await runCommand(['du', '-skx', folder], { accept: [0, 1] });
  return Number(/^(\d+)/m.exec(stdout)?.[1] ?? 0) * 1024;
}

/**
 * Removes a file at the root of containers that have ended, whose file systems the runtime still keeps. All runtimes with
 * overlays keep them side by side, in `<store>/<container>/<leaf>`: beside that of a container that runs.
 */
export async function removeFromDeadLayers(name: string, pids: readonly (number | 'self')[]): Promise<void> {
  const layers = await Promise.all(pids.map(layerOf));
  const stores = new Map(
    layers.flatMap((layer) =>
      layer === undefined ? [] : [[dirname(dirname(layer)), basename(layer)] as const],
    ),
  );
  for (const [store, leaf] of stores) {
    const others = await readdir(store).catch(() => []);
    await Promise.all(
      others.map((other) => rm(join(store, other, leaf, name), { force: true }).catch(() => {})),
    );
  }
}

async function layerOf(pid: number | 'self'): Promise<string | undefined> {
  const mountInfo = await readFile(`/proc/${pid}/mountinfo`, 'utf8').catch(() => '');
  const folder = upperFolder(mountInfo);
  return folder === undefined ? undefined : onNode(folder);
}

/**
 * A folder of the node as this process can reach it: by the root of process 1, or of another process that has the node's file
 * system where process 1 may not be looked into (the node is a container itself).
 */
async function onNode(folder: string): Promise<string | undefined> {
  const pids = (await readdir('/proc'))
    .filter((name) => /^\d+$/.test(name))
    .sort((a, b) => Number(a) - Number(b));
  for (const pid of pids) {
    const path = `/proc/${pid}/root${folder}`;
    if (
      await access(path).then(
        () => true,
        () => false,
      )
    )
      return path;
  }
  return undefined;
}
