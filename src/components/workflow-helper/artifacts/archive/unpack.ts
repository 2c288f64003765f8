import { createReadStream } from 'node:fs';
import { lstat, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { createGunzip } from 'node:zlib';
import { isObject } from '@turnsole/kube/text/json';
import type { Artifact } from '@turnsole/workflows/kinds/parameters';
import { runProgram } from '../../programs.ts';

type ArchiveKind = 'none' | 'tar' | 'zip';

/** How an artifact is packed, as far as its template says it. */
export function archiveOf({ archive }: Artifact): ArchiveKind | undefined {
  if (!isObject(archive)) return undefined;
  return (['none', 'tar', 'zip'] as const).find((kind) => archive[kind] !== undefined);
}

/**
 * Unpacks a fetched file to a path. When the template does not say how, a tarball is unpacked and everything else is taken as it is.
 * An archive with one entry becomes that entry; others become a folder.
 *
 * @param scratch a folder on the same file system as the path
 */
export async function unpack(
  file: string,
  path: string,
  wanted: ArchiveKind | undefined,
  scratch: string,
  signal: AbortSignal,
): Promise<void> {
  const kind = wanted ?? ((await isTarball(file, signal)) ? 'tar' : 'none');
  if (kind === 'none') return move(file, path);
  const folder = join(scratch, 'unpacked');
  await mkdir(folder, { recursive: true });
  if (kind === 'zip') await (await import('./unzip.ts')).unzip(file, folder);
  else await untar(file, folder, signal);
  const entries = await readdir(folder);
  const only = entries.length === 1 ? entries[0] : undefined;
  await move(only === undefined ? folder : join(folder, only), path);
}

/**
 * A folder that is there already, such as a volume, stays and takes the entries; everything else at the path gives way. The place itself
 * may be a link, as volumes are for pods without isolation. Below it no link is followed, neither one of the archive nor one that lies there:
 * what they lead to is not of the artifact.
 */
async function move(from: string, to: string, lookAt = stat): Promise<void> {
  const [source, target] = await Promise.all([lstat(from), lookAt(to).catch(() => undefined)]);
  if (!source.isDirectory() || target?.isDirectory() !== true) {
    await rm(to, { recursive: true, force: true });
    await rename(from, to);
    return;
  }
  for (const entry of await readdir(from)) await move(join(from, entry), join(to, entry), lstat);
}

/** Whether a file is a tarball: compressed by gzip, and `tar` can read its content. */
async function isTarball(file: string, signal: AbortSignal): Promise<boolean> {
  const handle = await open(file);
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(2), 0, 2, 0);
    if (bytesRead < 2 || buffer[0] !== 0x1f || buffer[1] !== 0x8b) return false;
  } finally {
    await handle.close();
  }
  try {
    await tar(['-tf', '-'], file, signal);
    return true;
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof Error && error.cause !== undefined) throw error;
    return false;
  }
}

async function untar(file: string, folder: string, signal: AbortSignal): Promise<void> {
  // Who unpacks it may be root: no program of a stranger runs as root for that.
  await tar(['-xof', '-', '--no-same-permissions', '-C', folder], file, signal);
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const device = entries.find((entry) => entry.isCharacterDevice() || entry.isBlockDevice());
  if (device !== undefined) throw new Error(`the entry ${device.name} of the tarball is a device`);
}

function tar(args: readonly string[], file: string, signal: AbortSignal): Promise<string> {
  const stdin = createReadStream(file).pipe(createGunzip());
  return runProgram('tar', args, { stdin, signal });
}
