import {
  chmodSync,
  mkdtempSync,
  readdirSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { giveToGroup, makeFolder } from './folders.ts';

/** Files of a volume by relative path. */
export type Payload = ReadonlyMap<string, PayloadFile>;

export interface PayloadFile {
  readonly data: Uint8Array;
  readonly mode: number;
}

const CURRENT = '..data';

/**
 * Makes `directory` hold exactly the payload; a reader sees all of the old files or all of the new ones.
 *
 * The files are in a hidden folder that the link `..data` points to, and every name in `directory` is a link through
 * it, so one rename switches them all (the layout of kubelet's atomic writer, which programs that watch config maps
 * know).
 *
 * Synchronous on purpose: a dozen tiny operations of some microseconds each stand between a pod and its start, and each
 * would take a trip to the thread pool. With a group, the files are readable for it.
 */
export function writePayload(directory: string, payload: Payload, group?: number): void {
  makeFolder(directory, 0o755);
  const before = currentFolder(directory);
  const fresh = mkdtempSync(join(directory, '..v'));
  chmodSync(fresh, 0o755);
  for (const [path, { data, mode }] of payload) {
    const file = join(fresh, path);
    makeFolder(dirname(file), 0o755);
    writeFileSync(file, data);
    chmodSync(file, mode); // not as an option of writeFile: the umask would take bits away
  }
  if (group !== undefined) giveToGroup(fresh, group, { rendered: true });
  const next = join(directory, '..data_next');
  rmSync(next, { force: true });
  symlinkSync(fresh.slice(directory.length + 1), next);
  renameSync(next, join(directory, CURRENT));
  linkNames(directory, payload);
  if (before !== undefined) rmSync(join(directory, before), { recursive: true, force: true });
}

function currentFolder(directory: string): string | undefined {
  try {
    return readlinkSync(join(directory, CURRENT));
  } catch {
    return undefined; // written for the first time
  }
}

function linkNames(directory: string, payload: Payload): void {
  const wanted = new Set([...payload.keys()].map((path) => path.split('/')[0] ?? path));
  const present = readdirSync(directory, { withFileTypes: true }).filter(
    (entry) => entry.isSymbolicLink() && !entry.name.startsWith('..'),
  );
  for (const { name } of present) {
    const isOurs = readlinkSync(join(directory, name)).startsWith(`${CURRENT}/`);
    if (isOurs && !wanted.delete(name)) rmSync(join(directory, name));
  }
  for (const name of wanted) symlinkSync(join(CURRENT, name), join(directory, name));
}
