import { constants } from 'node:fs';
import { cp, mkdir, readdir, rename, rm } from 'node:fs/promises';
import { dirname, join, posix } from 'node:path';
import { isThere } from '../../is-there.ts';
import { type ArtifactStore, NotPossibleError } from '../store.ts';

/** A folder, such as a mounted claim. */
export class VolumeStore implements ArtifactStore {
  readonly name = 'the volume of the artifact repository';
  readonly #folder: string;

  /** @param at a path of a mount as this process sees it */
  constructor({ folder }: Readonly<Record<string, unknown>>, at: (path: string) => string) {
    if (typeof folder !== 'string' || folder === '') throw new TypeError('a volume store needs its folder');
    this.#folder = at(folder);
  }

  async fetch(key: string, path: string, signal: AbortSignal): Promise<boolean> {
    const source = this.#pathOf(key);
    if (!(await isThere(source))) return false;
    signal.throwIfAborted();
    await copy(source, path);
    return true;
  }

  /** A half-written file never lies at the key. */
  async store(path: string, key: string, signal: AbortSignal): Promise<void> {
    const target = this.#pathOf(key);
    const beside = join(dirname(target), `.${posix.basename(target)}.${process.pid}.new`);
    await mkdir(dirname(target), { recursive: true });
    try {
      await copy(path, beside);
      signal.throwIfAborted();
      await rm(target, { recursive: true, force: true });
      await rename(beside, target);
    } finally {
      await rm(beside, { recursive: true, force: true });
    }
  }

  async list(prefix: string): Promise<string[]> {
    const folder = prefix.endsWith('/') ? prefix : prefix.slice(0, prefix.lastIndexOf('/') + 1);
    const found = await readdir(this.#pathOf(folder || '.'), { recursive: true, withFileTypes: true }).catch(
      (error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return [];
        throw error;
      },
    );
    const root = this.#pathOf('.');
    return found
      .filter((entry) => entry.isFile())
      .map((entry) => posix.relative(root, join(entry.parentPath, entry.name)))
      .filter((key) => key.startsWith(prefix))
      .toSorted();
  }

  async remove(key: string): Promise<void> {
    await rm(this.#pathOf(key), { recursive: true, force: true });
  }

  /** Keys are of users: none leads out of the store. */
  #pathOf(key: string): string {
    const path = posix.normalize(`/${key}`);
    if (key.split('/').includes('..') || (path === '/' && key !== '.'))
      throw new NotPossibleError(
        `${JSON.stringify(key)} is no key: it has to name something below the store`,
      );
    return join(this.#folder, path);
  }
}

/** Links are kept as links: what they point to is not of the artifact. */
function copy(source: string, target: string): Promise<void> {
  return cp(source, target, {
    recursive: true,
    verbatimSymlinks: true,
    errorOnExist: true,
    mode: constants.COPYFILE_FICLONE,
  });
}
