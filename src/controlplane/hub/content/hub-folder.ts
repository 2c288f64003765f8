import { constants } from 'node:fs';
import { open, readdir, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { isHubName } from './names.ts';

/** Largest file of a hub that is read or unpacked, in bytes. */
export const MOST_FILE_BYTES = 1024 * 1024;

/** Maximum number of entries read from a folder. */
const MOST_ENTRIES = 2_000;

/** The files of a hub. Reads nothing outside of it, whatever its names and links. */
export class HubFolder {
  /** Resolved path; each fetched copy has a new one. */
  readonly path: string;

  private constructor(path: string) {
    this.path = path;
  }

  /** The hub in a folder; undefined if there is none. */
  static async open(path: string): Promise<HubFolder | undefined> {
    try {
      return new HubFolder(await realpath(path));
    } catch (error) {
      if (isAbsent(error)) return undefined;
      throw error;
    }
  }

  /** Names of the folders in a folder, sorted; none if it does not exist. */
  async folders(...parts: readonly string[]): Promise<string[]> {
    const path = await this.#inside(parts);
    if (path === undefined) return [];
    const entries = await readdir(path, { withFileTypes: true }).catch(ofAbsent);
    const names = entries
      .filter((entry) => entry.isDirectory() && isHubName(entry.name))
      .map(({ name }) => name);
    return names.toSorted().slice(0, MOST_ENTRIES);
  }

  /** A file as text; undefined if it does not exist, or is too large. */
  async text(...parts: readonly string[]): Promise<string | undefined> {
    return (await this.bytes(...parts))?.toString('utf8');
  }

  /** A file; undefined if it does not exist, or is too large. */
  async bytes(...parts: readonly string[]): Promise<Buffer | undefined> {
    const path = await this.#inside(parts);
    if (path === undefined) return undefined;
    const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      const found = await file.stat();
      return found.isFile() && found.size <= MOST_FILE_BYTES ? await file.readFile() : undefined;
    } finally {
      await file.close();
    }
  }

  /** The path in the hub, if it exists and contains no link. */
  async #inside(parts: readonly string[]): Promise<string | undefined> {
    if (!parts.every(isHubName)) return undefined;
    const path = join(this.path, ...parts);
    try {
      return (await realpath(path)) === path ? path : undefined;
    } catch (error) {
      if (isAbsent(error)) return undefined;
      throw error;
    }
  }
}

function isAbsent(error: unknown): boolean {
  const code = (error as NodeJS.ErrnoException).code ?? '';
  return ['ENOENT', 'ENOTDIR', 'ELOOP', 'ENAMETOOLONG'].includes(code);
}

function ofAbsent(error: unknown): [] {
  if (isAbsent(error)) return [];
  throw error;
}
