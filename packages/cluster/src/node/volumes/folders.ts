/** Folders and files of volumes with the modes and groups that a kubelet gives them, whatever the umask of this process is. */
import { chmodSync, lchownSync, lstatSync, mkdirSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Containers of other users than root write to it as well. */
export const OPEN_FOLDER = 0o777;
const FOLDER = 0o755;
const SET_GROUP = 0o2000;
/** What the group of a pod (`fsGroup`) gets of folders, of files, and of files that only the agent writes. */
const GROUP_FOLDER = SET_GROUP | 0o770;
const GROUP_FILE = 0o660;
const GROUP_RENDERED_FILE = 0o440;
const GROUP_RENDERED_FOLDER = SET_GROUP | 0o550;

/** Makes a missing folder, and those above it; gives its path. An existing one stays as its pods have it. */
export function makeFolder(path: string, mode: number): string {
  const first = mkdirSync(path, { recursive: true });
  if (first === undefined) return path;
  for (let made = dirname(path); made.startsWith(first); made = dirname(made)) chmodSync(made, FOLDER);
  chmodSync(path, mode);
  return path;
}

/** When the group of a volume's files is set (`fsGroupChangePolicy`). */
type GroupPolicy = 'Always' | 'OnRootMismatch';

/**
 * Gives a folder and all in it to a pod's group, which may then do to it what its user may; links are not followed. With
 * `OnRootMismatch` only where the folder itself does not look like it yet. `rendered`: only the agent writes to it.
 */
export function giveToGroup(
  path: string,
  group: number,
  {
    policy = 'Always',
    rendered = false,
  }: { readonly policy?: GroupPolicy; readonly rendered?: boolean } = {},
): void {
  if (policy === 'OnRootMismatch') {
    const { gid, mode } = lstatSync(path);
    if (gid === group && (mode & GROUP_FOLDER) === GROUP_FOLDER) return;
  }
  give(path, group, rendered);
}

function give(path: string, group: number, rendered: boolean): void {
  const found = lstatSync(path);
  lchownSync(path, found.uid, group);
  if (found.isSymbolicLink()) return;
  const isFolder = found.isDirectory();
  const added = rendered
    ? isFolder
      ? GROUP_RENDERED_FOLDER
      : GROUP_RENDERED_FILE
    : isFolder
      ? GROUP_FOLDER
      : GROUP_FILE;
  chmodSync(path, (found.mode & 0o7777) | added);
  if (isFolder) for (const name of readdirSync(path)) give(join(path, name), group, rendered);
}
