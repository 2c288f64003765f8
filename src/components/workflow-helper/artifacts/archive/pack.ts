import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { isObject } from '@turnsole/kube/text/json';
import type { Artifact } from '@turnsole/workflows/kinds/parameters';
import { runProgram } from '../../programs.ts';
import { archiveOf } from './unpack.ts';

/**
 * Packs an output, from the tar that main's shell has left: a tarball, a zip, or the file or folder itself.
 *
 * @param scratch an empty folder
 * @returns its path
 */
export async function pack(
  artifact: Artifact,
  tar: string,
  scratch: string,
  signal: AbortSignal,
): Promise<string> {
  const kind = archiveOf(artifact) ?? 'tar';
  if (kind === 'tar') {
    const file = join(scratch, 'packed.tgz');
    await pipeline(createReadStream(tar), createGzip(levelOf(artifact)), createWriteStream(file), { signal });
    return file;
  }
  const folder = join(scratch, 'content');
  await mkdir(folder);
  await runProgram('tar', ['-xof', tar, '-C', folder], { signal });
  const [entry] = await readdir(folder);
  if (entry === undefined) throw new Error(`nothing is in the archive of ${artifact.name}`);
  if (kind === 'none') return join(folder, entry);
  const file = join(scratch, 'packed.zip');
  await (await import('./zip.ts')).zip(folder, file);
  return file;
}

/** 0 to 9; -1 is the default of gzip. */
function levelOf({ name, archive }: Artifact): { level?: number } {
  const tar = isObject(archive) && isObject(archive['tar']) ? archive['tar'] : {};
  const level = tar['compressionLevel'];
  if (level === undefined || level === null) return {};
  if (!Number.isInteger(level) || Number(level) < -1 || Number(level) > 9)
    throw new Error(
      `artifact ${name}: archive.tar.compressionLevel is ${String(level)}, and has to be -1 to 9`,
    );
  return { level: Number(level) };
}
