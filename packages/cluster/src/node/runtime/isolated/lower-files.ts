/** What lies below the changes of a container: a folder of the host, or the layers of an image. */
import { lstatSync, readFileSync, readlinkSync, type Stats } from 'node:fs';
import { join, posix } from 'node:path';

/** The files that a container starts with, as an overlay shows them. */
export interface LowerFiles {
  /** The folders of the overlay, the highest first. */
  readonly folders: readonly string[];
  /** Host path of what is at an absolute path, itself a link perhaps, but behind none; undefined where nothing is. */
  find(path: string): string | undefined;
}

/** A folder of the host with all in it. */
export class HostFiles implements LowerFiles {
  readonly folders: readonly string[];
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
    this.folders = [folder];
  }

  find(path: string): string | undefined {
    const full = join(this.#folder, path);
    return lstatSync(full, { throwIfNoEntry: false }) === undefined ? undefined : full;
  }
}

/** The layers of an image, each over those below it. A device 0/0 in one hides what lies below it (overlayfs). */
export class LayeredFiles implements LowerFiles {
  readonly folders: readonly string[];

  /** @param layers absolute folders, the lowest first */
  constructor(layers: readonly string[]) {
    this.folders = layers.toReversed();
  }

  find(path: string): string | undefined {
    const parts = posix.normalize(`/${path}`).split('/').filter(Boolean);
    for (const folder of this.folders) {
      const found = findIn(folder, parts);
      if (found === 'hidden') return undefined;
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /** The text of a file, by way of links, which cannot lead out of the image; empty where it has none. At most 1 MiB. */
  read(path: string): string {
    const found = this.find(resolveLinks(path, (at) => linkIn(this, at)));
    const stats = found === undefined ? undefined : lstatSync(found);
    if (found === undefined || stats?.isFile() !== true || stats.size > MAX_TEXT_BYTES) return '';
    return readFileSync(found, 'utf8');
  }
}

const MAX_TEXT_BYTES = 1 << 20;
const MAX_LINKS = 40;

function findIn(folder: string, parts: readonly string[]): string | 'hidden' | undefined {
  let at = folder;
  for (const [index, part] of parts.entries()) {
    at = join(at, part);
    const found = lstatSync(at, { throwIfNoEntry: false });
    if (found === undefined) return undefined;
    const isLast = index === parts.length - 1;
    if (isWhiteout(found) || (!isLast && !found.isDirectory())) return 'hidden';
  }
  return at;
}

function isWhiteout(found: Stats): boolean {
  return found.isCharacterDevice() && found.rdev === 0;
}

/** The target of a link; undefined for anything else. */
export function linkIn(files: LowerFiles, path: string): string | undefined {
  const found = files.find(path);
  return found !== undefined && lstatSync(found).isSymbolicLink() ? readlinkSync(found) : undefined;
}

/** An absolute path without links, as the kernel follows them in a root that it cannot leave; `linkAt` gives the target of what is one. */
export function resolveLinks(path: string, linkAt: (path: string) => string | undefined): string {
  let parts = posix.normalize(`/${path}`).split('/').filter(Boolean);
  let done = '';
  for (let links = 0; parts.length > 0; ) {
    const [part = '', ...rest] = parts;
    parts = rest;
    const target = links < MAX_LINKS ? linkAt(`${done}/${part}`) : undefined;
    if (target === undefined) {
      done = `${done}/${part}`;
      continue;
    }
    links += 1;
    parts = [
      ...posix
        .resolve(done === '' ? '/' : done, target)
        .split('/')
        .filter(Boolean),
      ...parts,
    ];
    done = '';
  }
  return done === '' ? '/' : done;
}
