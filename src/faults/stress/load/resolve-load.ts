import { constants } from 'node:fs';
import { access, statfs } from 'node:fs/promises';
import { InjectError } from '../../../experiment/injection/errors.ts';
import type { LocatedProcess } from '../../../experiment/node/container-locator.ts';
import { ioBytes, type Load, type ResolvedLoad } from './load.ts';

/** Places to write to where no path was given. */
const USUAL_PLACES = ['/tmp', '/'] as const;

/**
 * Fills in what only the node knows: where the target's files are, and how much is free there.
 *
 * @throws InjectError when the folder is not there or cannot be written to
 */
export async function resolveLoad(load: Load, target: LocatedProcess | undefined): Promise<ResolvedLoad> {
  const { io, ...rest } = load;
  if (io === undefined) return rest;
  const root = target === undefined ? '' : `/proc/${target.pid}/root`;
  const directory = await findDirectory(root, io.directory);
  const { bavail, bsize } = await statfs(directory);
  return { ...rest, io: { workers: io.workers, bytes: ioBytes(io.size, bavail * bsize), directory } };
}

async function findDirectory(root: string, wanted: string): Promise<string> {
  const places = wanted === '' ? USUAL_PLACES : [wanted];
  for (const place of places) {
    if (await isWritable(`${root}${place}`)) return `${root}${place}`;
  }
  throw new InjectError(
    wanted === ''
      ? 'neither /tmp nor / of the container can be written to; set VOLUME_MOUNT_PATH to a folder that can'
      : `VOLUME_MOUNT_PATH ${wanted} is no folder of the container that can be written to; name the path of a mounted volume`,
  );
}

function isWritable(path: string): Promise<boolean> {
  return access(`${path}/.`, constants.W_OK).then(
    () => true,
    () => false,
  );
}
