import {
  chmodSync,
  chownSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readlinkSync,
  type Stats,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join, posix } from 'node:path';
import { pathDepth } from '../../files.ts';
import { makeFolder } from '../../volumes/folders.ts';
import type { LaunchMount } from '../types.ts';
import { bindEntry, formatFstab, type MountEntry, overlayEntry } from './fstab.ts';

/** The parts of a container's file system. */
interface RootInput {
  /** Folder of its own for this run of the container, not made yet; on a file system that overlays can write to. */
  readonly folder: string;
  /** Folder that has the device files; see {@link makeDevices}. */
  readonly devices: string;
  /** Folders of the host that are file systems of their own and belong to the image. */
  readonly hostMounts: readonly string[];
  /** Paths of the host that must be there although `/tmp` and `/run` are the container's own. */
  readonly support: readonly LaunchMount[];
  readonly mounts: readonly LaunchMount[];
  /** Paths of the host that programs of the image are at: the container's user may pass through the folders to them. */
  readonly programs: readonly string[];
  /** Memory that all containers of the pod share, at /dev/shm. */
  readonly sharedMemory: string;
  readonly privileged: boolean;
  readonly readOnly: boolean;
  readonly terminationMessagePath: string;
  /** Files of the container by path, such as /etc/hosts. */
  readonly files: ReadonlyMap<string, string>;
}

/** A container's file system, ready to be mounted. */
export interface ContainerRoot {
  /** File for `mount -a -T`. */
  readonly fstab: string;
  /** Where the root will be. */
  readonly root: string;
  /** Folder in the root that the old root is put at. */
  readonly oldRoot: string;
  /** Host path of a path in the container; only for files that the container has written, or mounts. */
  pathOf(path: string): string;
}

/** Device files that every container has (OCI runtime specification). */
const DEVICES = ['null', 'zero', 'full', 'random', 'urandom', 'tty'] as const;

/** The commands that make {@link DEVICES} in a folder, by numbers of Linux. */
export function deviceCommand(folder: string): readonly string[] {
  return ['cp', '-a', ...DEVICES.map((name) => `/dev/${name}`), folder];
}

/**
 * Makes the folders and files that a container's file system is mounted from.
 *
 * The host's root is the image: an overlay keeps what the container changes. `/tmp` and `/run` are its own. Synchronous
 * on purpose, as in the writer of config maps: it is some thirty tiny operations that a pod's start waits for.
 */
export function makeContainerRoot(input: RootInput): ContainerRoot {
  const { folder, privileged, readOnly, sharedMemory, terminationMessagePath } = input;
  const root = join(folder, 'root');
  const table = new Table(root);
  mkdirSync(root, { recursive: true, mode: 0o755 });
  table.overlay('/', '/', join(folder, 'upper'), join(folder, 'work'), readOnly);
  for (const [index, path] of input.hostMounts.entries()) {
    table.overlay(path, path, join(folder, `upper-${index}`), join(folder, `work-${index}`), readOnly);
  }
  table.own('/tmp', join(folder, 'tmp'), 0o1777, readOnly);
  table.own('/run', join(folder, 'run'), 0o755, readOnly);
  if (privileged) table.overlay('/dev', '/dev', join(folder, 'dev'), join(folder, 'work-dev'), readOnly);
  else makeDevices(join(folder, 'upper', 'dev'), input.devices);
  table.special('proc', '/proc', 'proc', ['nosuid', 'nodev', 'noexec']);
  table.special('sysfs', '/sys', 'sysfs', ['nosuid', 'nodev', 'noexec', privileged ? 'rw' : 'ro']);
  table.bindIfThere('/sys/fs/cgroup', !privileged);
  table.special('devpts', '/dev/pts', 'devpts', [
    'nosuid',
    'noexec',
    'newinstance',
    'ptmxmode=0666',
    'mode=0620',
  ]);
  table.bind({ source: sharedMemory, target: '/dev/shm', readOnly: false });
  for (const [path, text] of input.files) {
    const file = table.point(path, false);
    writeFileSync(file, text);
    chmodSync(file, 0o644);
  }
  for (const path of input.programs) table.openWayTo(path);
  for (const mount of input.support) table.bind(mount);
  const byDepth = [...input.mounts].sort((a, b) => pathDepth(a.target) - pathDepth(b.target));
  for (const mount of byDepth) table.bind(mount);
  const message = table.point(terminationMessagePath, false);
  chmodSync(message, 0o666);
  if (readOnly) table.bind({ source: message, target: terminationMessagePath, readOnly: false });
  const oldRoot = 'mnt';
  table.point(`/${oldRoot}`, true);
  const fstab = join(folder, 'fstab');
  writeFileSync(fstab, formatFstab(table.entries));
  return { fstab, root, oldRoot, pathOf: (path) => table.hostPath(path) };
}

function makeDevices(target: string, devices: string): void {
  mkdirSync(target, { recursive: true });
  chmodSync(target, 0o755);
  for (const name of DEVICES) linkSync(join(devices, name), join(target, name));
  symlinkSync('/proc/self/fd', join(target, 'fd'));
  for (const [index, name] of ['stdin', 'stdout', 'stderr'].entries()) {
    symlinkSync(`/proc/self/fd/${index}`, join(target, name));
  }
  symlinkSync('pts/ptmx', join(target, 'ptmx'));
}

/** The known mounts: later entries lie over earlier ones. */
class Table {
  readonly entries: MountEntry[] = [];
  readonly #root: string;
  /** Path in the container to the folder of the host that holds it; `copies` for the upper side of an overlay. */
  readonly #places: { readonly path: string; readonly source: string; readonly copies?: string }[] = [];

  constructor(root: string) {
    this.#root = root;
  }

  /** A folder of the host, with changes kept apart. */
  overlay(path: string, lower: string, upper: string, work: string, readOnly: boolean): void {
    mkdirSync(upper, { recursive: true });
    copyAttributes(lower, upper);
    mkdirSync(work, { recursive: true });
    this.entries.push(overlayEntry({ lower, upper, work, target: this.#target(path), readOnly }));
    this.#places.push({ path, source: upper, copies: lower });
  }

  /** An empty folder of the container's own. */
  own(path: string, source: string, mode: number, readOnly: boolean): void {
    mkdirSync(source);
    chmodSync(source, mode);
    this.bind({ source, target: path, readOnly });
  }

  special(source: string, path: string, type: string, options: readonly string[]): void {
    this.point(path, true);
    this.entries.push({ source, target: this.#target(path), type, options });
    this.#places.push({ path, source: '/dev/null' });
  }

  bindIfThere(path: string, readOnly: boolean): void {
    if (statSync(path, { throwIfNoEntry: false }) === undefined) return;
    this.entries.push(bindEntry(path, this.#target(path), readOnly));
  }

  bind({ source, target, readOnly }: LaunchMount): void {
    const path = this.resolve(target);
    // A hostPath without a type need not be there: container runtimes make a folder of it.
    if (!existsSync(source)) makeFolder(source, 0o755);
    this.point(path, statSync(source).isDirectory());
    this.entries.push(bindEntry(source, this.#target(path), readOnly));
    this.#places.push({ path, source });
  }

  /** Host path of a path in the container. */
  hostPath(path: string): string {
    const resolved = this.resolve(path);
    const place = this.#placeOf(resolved);
    return resolved === place.path ? place.source : join(place.source, posix.relative(place.path, resolved));
  }

  /** Makes a path be there, so that something can be mounted on it; gives where the host has it. */
  point(path: string, isFolder: boolean): string {
    const resolved = this.resolve(path);
    const place = this.#placeOf(resolved);
    if (place.path === resolved) return place.source;
    const rest = posix.relative(place.path, resolved).split('/');
    let at = place.source;
    let below = place.copies;
    for (const [index, part] of rest.entries()) {
      at = join(at, part);
      if (below !== undefined) below = join(below, part);
      if (lstatSync(at, { throwIfNoEntry: false }) !== undefined) continue;
      if (index === rest.length - 1 && !isFolder) {
        writeFileSync(at, '');
        continue;
      }
      mkdirSync(at);
      chmodSync(at, 0o755);
      if (below !== undefined) copyAttributes(below, at);
    }
    return at;
  }

  /** Lets every user pass through the folders to a path, and through that if it is one, in this container only. */
  openWayTo(path: string): void {
    const parts = this.resolve(path).split('/').filter(Boolean);
    for (const index of parts.keys()) {
      const folder = `/${parts.slice(0, index + 1).join('/')}`;
      const { copies } = this.#placeOf(folder);
      const found = statSync(folder, { throwIfNoEntry: false });
      // What is not the host's is made for this container.
      if (copies === undefined || found?.isDirectory() !== true || (found.mode & PASS) === PASS) continue;
      chmodSync(this.point(folder, true), (found.mode & 0o7777) | PASS);
    }
  }

  /** The path without symbolic links of the host's folders, so that a mount cannot end up outside of the root. */
  resolve(path: string): string {
    let parts = posix.normalize(`/${path}`).split('/').filter(Boolean);
    let done = '';
    for (let links = 0; parts.length > 0; ) {
      const [part = '', ...rest] = parts;
      parts = rest;
      const next = `${done}/${part}`;
      const place = this.#placeOf(next);
      const target = place.copies === undefined || place.path === next ? undefined : linkAt(place, next);
      if (target === undefined || links >= MAX_LINKS) {
        done = next;
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

  #target(path: string): string {
    return path === '/' ? this.#root : join(this.#root, path);
  }

  #placeOf(path: string): { readonly path: string; readonly source: string; readonly copies?: string } {
    const found = this.#places.findLast(
      (place) => place.path === '/' || path === place.path || path.startsWith(`${place.path}/`),
    );
    if (found === undefined) throw new Error(`nothing is mounted at ${path}`);
    return found;
  }
}

const MAX_LINKS = 40;
/** Permission of group and others to pass through a folder. */
const PASS = 0o011;

/** The target of a symbolic link in an overlay, undefined for anything else. */
function linkAt(
  place: { readonly path: string; readonly source: string; readonly copies?: string },
  path: string,
): string | undefined {
  const relative = posix.relative(place.path, path);
  for (const side of [place.source, place.copies]) {
    if (side === undefined) continue;
    const full = join(side, relative);
    const found = lstatSync(full, { throwIfNoEntry: false });
    if (found === undefined) continue;
    return found.isSymbolicLink() ? readlinkSync(full) : undefined;
  }
  return undefined;
}

/** A folder of the upper side hides the one below it, and so must look like it. */
function copyAttributes(from: string, to: string): void {
  const found: Stats | undefined = statSync(from, { throwIfNoEntry: false });
  if (found === undefined) return;
  chmodSync(to, found.mode & 0o7777);
  chownSync(to, found.uid, found.gid);
}
