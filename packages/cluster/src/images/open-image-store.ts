/** Opens the store of a user's images. */
import { lstatSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Clock, type Random, systemClock } from '@turnsole/kube/base/clock';
import { messageOf } from '@turnsole/kube/text/error-message';
import { imagesDirectory } from './directory.ts';
import { ImageError } from './errors.ts';
import { LocalImageStore } from './local-image-store.ts';
import { thisPlatform } from './reference/platform.ts';
import { HttpSender } from './registry/http.ts';
import { Blobs } from './store/blobs.ts';
import { StoreDatabase } from './store/database.ts';
import { Garbage } from './store/garbage.ts';
import { Holds } from './store/holds.ts';
import { ImageIndex } from './store/images.ts';
import { Owners } from './store/owners.ts';
import { Trash } from './store/trash.ts';
import { Trees } from './store/trees.ts';
import type { ImageStore, ImageStoreOptions } from './types.ts';

/** Time and chance, by which tries are made again. */
export interface Surroundings {
  readonly clock: Clock;
  readonly random: Random;
  /** How long a registry may send nothing. @default a minute */
  readonly idleMs?: number;
}

const DEFAULT_MAX_BYTES = 30 * 2 ** 30;

/**
 * Opens the store, and removes what processes have left there that were killed. Several may be open on one folder, in this process and others.
 *
 * @throws ImageError `store` when the folder cannot be used
 */
export async function openImageStore(
  options: ImageStoreOptions = {},
  { clock, random, idleMs }: Surroundings = { clock: systemClock, random: Math.random },
): Promise<ImageStore> {
  const { env = process.env, enter = [], maxBytes = DEFAULT_MAX_BYTES } = options;
  const directory = options.directory ?? imagesDirectory(env);
  makeOwnFolder(directory);
  const database = new StoreDatabase(directory);
  const now = (): number => clock.now();
  const owners = new Owners(directory);
  const holds = new Holds(directory, database, owners);
  const blobs = new Blobs(directory, holds);
  const trash = new Trash(directory, enter);
  await blobs.prepare();
  await trash.prepare();
  mkdirSync(join(directory, 'layers'), { recursive: true, mode: 0o700 });
  const index = new ImageIndex(database, now);
  const trees = new Trees({ directory, database, holds, blobs, trash, enter, owner: () => owners.own() });
  const garbage = new Garbage({ directory, database, owners, holds, blobs, index, trash, now });
  garbage.sweep();
  void trash.empty();
  return new LocalImageStore({
    ...{
      directory,
      database,
      owners,
      holds,
      blobs,
      trash,
      index,
      trees,
      garbage,
      maxBytes,
      env,
      clock,
      random,
    },
    sender: new HttpSender(env, idleMs),
    onNote: options.onNote ?? (() => {}),
    platform: options.platform ?? thisPlatform(),
    // A user who is root nowhere cannot unpack for the namespace in which containers will run.
    unpacks: process.geteuid?.() === 0 || enter.length > 0,
  });
}

/** @throws ImageError `store` unless the folder is this user's, and nobody else may write to it */
function makeOwnFolder(directory: string): void {
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    const { uid, mode } = lstatSync(directory);
    const own = process.geteuid?.() ?? uid;
    if (uid !== own) throw new Error(`it belongs to user ${uid}`);
    if ((mode & 0o022) !== 0) throw new Error('others may write to it');
  } catch (error) {
    throw new ImageError(
      'store',
      `cannot keep images in ${directory}: ${messageOf(error)}; XDG_CACHE_HOME names another place`,
      {
        cause: error,
      },
    );
  }
}
