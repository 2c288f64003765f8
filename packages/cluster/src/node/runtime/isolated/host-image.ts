import {
  accessSync,
  constants,
  copyFileSync,
  type Dirent,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { join } from 'node:path';
import { readOrEmpty } from '@turnsole/kube/base/machine';
import { mountsOf } from '../../machine/mounts.ts';

/** What of this machine's files stand-ins for images consist of. Containers see them with their changes kept apart. */
export interface HostImage {
  /** Folder that is the root of containers. */
  readonly root: string;
  /** Folders that lie over it, outermost first: absolute paths, the same in containers. */
  readonly others: readonly string[];
}

/** The parts of a root that is put together: absolute paths, the same in containers. */
interface RootPieces {
  /** Folders that are shown whole. */
  readonly overlays: readonly string[];
  readonly folders: readonly string[];
  /** Symbolic links to their targets. */
  readonly links: ReadonlyMap<string, string>;
  readonly files: readonly string[];
}

/** File systems that hold programs and data, as against those that the kernel or a session fills. */
const DATA_TYPES =
  /^(?:ext[234]|xfs|btrfs|zfs|f2fs|overlay|virtiofs|9p|nfs4?|fuseblk|bcachefs|squashfs|erofs)$/;
const OWN_PLACES = /^\/(?:proc|sys|dev|run|tmp|boot)(?:\/|$)/;
const MAX_HOST_MOUNTS = 16;
/** More folders than these no start of a container can wait for; what is beyond is empty there. */
const MAX_OVERLAYS = 128;
/** Files beside the folders are copied once for each cluster; larger ones are left out. */
const MAX_COPY_BYTES = 2 ** 20;

/** The mounted folders of a machine that belong to what containers see, outermost first; pure. */
export function hostMounts(mountInfo: string): string[] {
  const found = mountsOf(mountInfo)
    .filter(({ point, type }) => DATA_TYPES.test(type) && point !== '/' && isShown(point))
    .map(({ point }) => point);
  return [...new Set(found)].sort((a, b) => a.length - b.length).slice(0, MAX_HOST_MOUNTS);
}

/** Characters that separate the options of an overlay cannot be in its paths. */
function isShown(path: string): boolean {
  return !OWN_PLACES.test(path) && !/[,:\\]/.test(path);
}

/**
 * Reads the image, or puts it together.
 *
 * @param isMachine whether the process is root of the machine, and not of a namespace of its own
 * @param folder where a root that is put together goes; made where it is needed
 */
export function readHostImage(isMachine: boolean, folder: string): HostImage {
  const mountInfo = readFileSync('/proc/self/mountinfo', 'utf8');
  // Docker mounts single files over those of its image; a container has its own of these.
  if (isMachine)
    return { root: '/', others: hostMounts(mountInfo).filter((path) => isPassable(join(path, '.'))) };
  const pieces = piecesOf(mountInfo, listFolder);
  makeRoot(folder, pieces);
  return { root: folder, others: pieces.overlays };
}

function makeRoot(root: string, { overlays, folders, links, files }: RootPieces): void {
  for (const path of [...folders, ...overlays]) mkdirSync(join(root, path), { recursive: true, mode: 0o755 });
  for (const [path, target] of links) symlinkSync(target, join(root, path));
  for (const path of files) {
    const isSmall =
      (statSync(path, { throwIfNoEntry: false })?.size ?? Number.POSITIVE_INFINITY) <= MAX_COPY_BYTES;
    if (isSmall && isReadable(path)) copyFileSync(path, join(root, path));
  }
}

/** An entry of a folder: what it is; of a symbolic link, the target. */
export type FolderEntry = readonly [name: string, kind: 'folder' | 'file' | { readonly link: string }];

/**
 * The image of a user who is root of a namespace of his own; pure. The kernel gives him no overlay of a folder below which something is
 * mounted, as this would show what the mount hides: the root is put together from folders without mounts.
 *
 * @param list the entries of a folder, undefined where it cannot be read
 */
export function piecesOf(
  mountInfo: string,
  list: (folder: string) => readonly FolderEntry[] | undefined,
): RootPieces {
  const mounts = mountsOf(mountInfo).filter(({ point }) => point !== '/');
  // The last mount of several at one place is what one sees.
  const typeAt = new Map(mounts.map(({ point, type }) => [point, type]));
  const pieces = {
    overlays: [] as string[],
    folders: [] as string[],
    links: new Map<string, string>(),
    files: [] as string[],
  };
  const add = (folder: string): void => {
    for (const [name, kind] of list(folder) ?? []) {
      const path = join(folder, name);
      if (!isShown(path)) continue;
      if (typeof kind === 'object') pieces.links.set(path, kind.link);
      else if (kind === 'file') pieces.files.push(path);
      else addFolder(path);
    }
  };
  const addFolder = (path: string): void => {
    const type = typeAt.get(path);
    const isEmpty = (list(path) ?? []).length === 0 || (type !== undefined && !DATA_TYPES.test(type));
    if (isEmpty || pieces.overlays.length >= MAX_OVERLAYS) pieces.folders.push(path);
    else if (mounts.some(({ point }) => point.startsWith(`${path}/`))) {
      pieces.folders.push(path);
      add(path);
    } else pieces.overlays.push(path);
  };
  add('/');
  return pieces;
}

function listFolder(folder: string): FolderEntry[] | undefined {
  try {
    return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => entryOf(folder, entry));
  } catch {
    return undefined;
  }
}

function entryOf(folder: string, entry: Dirent): FolderEntry[] {
  const { name } = entry;
  if (entry.isDirectory()) return [[name, 'folder']];
  if (entry.isSymbolicLink()) return [[name, { link: readlinkSync(join(folder, name)) }]];
  return entry.isFile() ? [[name, 'file']] : [];
}

function isReadable(path: string): boolean {
  return isAllowed(path, constants.R_OK);
}

function isPassable(path: string): boolean {
  return isAllowed(path, constants.X_OK);
}

function isAllowed(path: string, mode: number): boolean {
  try {
    accessSync(path, mode);
    return true;
  } catch {
    return false;
  }
}

/** Options that a mount of a more powerful owner passes on to every copy of it, and that only he may take away. */
const LOCKED = ['nosuid', 'nodev', 'noexec'] as const;

/** Those of the mount that a path is on, which have to be said again where a bind mount of it is made read-only; pure. */
export function lockedOptions(mountInfo: string, path: string): string[] {
  const mounts = mountsOf(mountInfo).filter(
    ({ point }) => point === '/' || path === point || path.startsWith(`${point}/`),
  );
  const longest = Math.max(...mounts.map(({ point }) => point.length));
  const { options = [] } = mounts.findLast(({ point }) => point.length === longest) ?? {};
  return LOCKED.filter((option) => options.includes(option));
}

/** {@link lockedOptions} of a path as the mounts are now. */
export function readLockedOptions(path: string): string[] {
  return lockedOptions(readOrEmpty('/proc/self/mountinfo'), path);
}
