import { chmod, mkdir, mkdtemp, readdir, readlink, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

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
 * know). Not for concurrent use on one folder.
 */
export async function writePayload(directory: string, payload: Payload): Promise<void> {
  await mkdir(directory, { recursive: true, mode: 0o755 });
  const before = await readlink(join(directory, CURRENT)).catch(() => undefined);
  const fresh = await mkdtemp(join(directory, '..v'));
  await chmod(fresh, 0o755);
  for (const [path, { data, mode }] of payload) {
    const file = join(fresh, path);
    await mkdir(dirname(file), { recursive: true, mode: 0o755 });
    await writeFile(file, data);
    await chmod(file, mode); // not as an option of writeFile: the umask would take bits away
  }
  const next = join(directory, '..data_next');
  await rm(next, { force: true });
  await symlink(fresh.slice(directory.length + 1), next);
  await rename(next, join(directory, CURRENT));
  await linkNames(directory, payload);
  if (before !== undefined) await rm(join(directory, before), { recursive: true, force: true });
}

async function linkNames(directory: string, payload: Payload): Promise<void> {
  const wanted = new Set([...payload.keys()].map((path) => path.split('/')[0] ?? path));
  const present = (await readdir(directory, { withFileTypes: true })).filter(
    (entry) => entry.isSymbolicLink() && !entry.name.startsWith('..'),
  );
  for (const { name } of present) {
    const isOurs = (await readlink(join(directory, name))).startsWith(`${CURRENT}/`);
    if (isOurs && !wanted.delete(name)) await rm(join(directory, name));
  }
  for (const name of wanted) await symlink(join(CURRENT, name), join(directory, name));
}
