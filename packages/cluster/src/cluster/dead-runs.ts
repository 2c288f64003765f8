/** Remains of clusters that were killed together with their reaper. */
import { lstatSync, readdirSync, realpathSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { readOrEmpty } from '@turnsole/kube/base/machine';
import { layersElsewhere, sendSignal } from '../node/index.ts';
import { hasEnded, OWNER_FILE } from './run-owner.ts';

/** Names of the temporary folders of clusters. */
export const RUN_FOLDER = /^turnsole-[A-Za-z0-9]{6}$/;
/** Rounds in which processes are looked for that were started while others were killed. */
const ROUNDS = 5;

/** Removes the folders of clusters of this user whose process has ended, as their reapers would have. Never rejects. */
export async function removeDeadRuns(place: string = realpathSync(tmpdir())): Promise<void> {
  const names = (await readdir(place).catch(() => [])).filter((name) => RUN_FOLDER.test(name));
  const dead = names
    .map((name) => join(place, name))
    .filter((folder) => isOwn(folder) && hasEnded(readOrEmpty(join(folder, OWNER_FILE))));
  if (dead.length > 0) await removeRuns(dead);
}

/** Kills the pods' processes of clusters that are gone, and removes their folders. What cannot be removed stays. Never rejects. */
export async function removeRuns(folders: readonly string[]): Promise<void> {
  killProcessesOf(folders);
  const mounts = readOrEmpty('/proc/self/mountinfo');
  // What is mounted there would be emptied with it.
  const plain = folders.filter((folder) => !mounts.includes(` ${folder}/`));
  const elsewhere = plain.flatMap((folder) => layersElsewhere(basename(folder))).filter(isOwn);
  await Promise.all(
    [...plain, ...elsewhere].map((folder) =>
      rm(folder, { recursive: true, force: true, maxRetries: 3 }).catch(() => {}),
    ),
  );
}

function killProcessesOf(folders: readonly string[]): void {
  if (process.platform !== 'linux') return;
  const needles = folders.map((folder) => `TURNSOLE_POD_ROOT=${folder}/`);
  // Twice none: Linux shows no environment of a process that is just becoming another program.
  let none = 0;
  for (let round = 0; round < ROUNDS && none < 2; round += 1) {
    const found = readdirSync('/proc').filter((name) => {
      if (!/^\d+$/.test(name)) return false;
      const environment = readOrEmpty(`/proc/${name}/environ`);
      return needles.some((needle) => environment.includes(needle));
    });
    if (found.length === 0) none += 1;
    for (const pid of found) sendSignal(Number(pid), 'SIGKILL');
  }
}

/** Whether it is a folder of this user, and no link to one. */
function isOwn(folder: string): boolean {
  try {
    const state = lstatSync(folder);
    return state.isDirectory() && state.uid === process.getuid?.();
  } catch {
    return false;
  }
}
