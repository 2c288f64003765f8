import {
  chmodSync,
  chownSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join, posix } from 'node:path';
import { pathDepth } from '../../files.ts';
import type { UserNamespace } from '../../user-namespace.ts';
import { makeFolder } from '../../volumes/folders.ts';
import type { LaunchMount } from '../types.ts';
import { OLD_ROOT, TOOLS_IN_CONTAINER } from './container-tools.ts';
import { bindEntry, formatFstab, type MountEntry, overlayEntry } from './fstab.ts';
import { type HostImage, readLockedOptions } from './host-image.ts';
import { HostFiles, LayeredFiles, type LowerFiles, linkIn, resolveLinks } from './lower-files.ts';

/** The parts of a container's file system. */
interface RootInput {
  /** Folder of its own for this run of the container, not made yet; on a file system that overlays can write to. */
  readonly folder: string;
  /** Folder that has the device files; see {@link makeDevices}. Undefined: those of the host are shown. */
  readonly devices: string | undefined;
  /** What it starts with. */
  readonly base: HostBase | ImageBase;
  readonly mounts: readonly LaunchMount[];
  /** Memory that all containers of the pod share, at /dev/shm. */
  readonly sharedMemory: string;
  readonly privileged: boolean;
  readonly readOnly: boolean;
  /** Whether its processes are in the process namespace of the cluster. */
  readonly hasHostProcesses: boolean;
  /** The users that its files can belong to. */
  readonly users: UserNamespace;
  readonly terminationMessagePath: string;
  /** Files of the container by path, such as /etc/hosts. */
  readonly files: ReadonlyMap<string, string>;
}

/** The root of the host, which stands for an image. */
export interface HostBase {
  readonly kind: 'host';
  readonly image: HostImage;
  /** Paths of the host that must be there although `/tmp` and `/run` are the container's own. */
  readonly support: readonly LaunchMount[];
  /** Paths of the host that programs of the image are at: the container's user may pass through the folders to them. */
  readonly programs: readonly string[];
}

/** The layers of an image. */
export interface ImageBase {
  readonly kind: 'image';
  /** Absolute folders, the lowest first. */
  readonly layers: readonly string[];
  /** Paths of the image that can be written to also where its root cannot. */
  readonly volumes: readonly string[];
  /** Where a program starts; made where it is missing. */
  readonly workingDirectory: string;
  /** Folder of the programs that the container begins with (container-tools.ts). */
  readonly tools: string;
}

/** A container's file system, ready to be mounted. */
export interface ContainerRoot {
  /** Folder in which the lower folders that the fstab names are: the kernel takes no more than a page of options. */
  readonly lowerDirectory: string;
  /** File for `mount -a -T`. */
  readonly fstab: string;
  /** Where the root will be. */
  readonly root: string;
  /** Folder in the root that the old root is put at. */
  readonly oldRoot: string;
  /** Host path of a path in the container; only for files that the container has written, or mounts. */
  pathOf(path: string): string;
  /** Whether the container starts with something at a path, links followed. */
  has(path: string): boolean;
}

/** Device files that every container has (OCI runtime specification). */
const DEVICES = ['null', 'zero', 'full', 'random', 'urandom', 'tty'] as const;

/** The commands that make {@link DEVICES} in a folder, by numbers of Linux. */
export function deviceCommand(folder: string): readonly string[] {
  return ['cp', '-a', ...DEVICES.map((name) => `/dev/${name}`), folder];
}

/**
 * Makes the folders and files that a container's file system is mounted from: an overlay keeps what the container changes. Where the host's root is
 * the image, `/tmp` and `/run` are the container's own. Synchronous on purpose, as in the writer of config maps: it is some thirty tiny
 * operations that a pod's start waits for.
 */
export function makeContainerRoot(input: RootInput): ContainerRoot {
  const { folder, base, readOnly, terminationMessagePath } = input;
  const root = join(folder, 'root');
  const table = new Table(folder, root, readOnly, input.users);
  mkdirSync(root, { recursive: true, mode: 0o755 });
  if (base.kind === 'host') layHost(table, base, input);
  else layImage(table, base, input);
  laySystem(table, input);
  for (const [path, text] of input.files) {
    const file = table.point(path, false);
    writeFileSync(file, text);
    chmodSync(file, 0o644);
  }
  if (base.kind === 'host') {
    for (const path of base.programs) table.openWayTo(path);
    for (const mount of base.support) table.bind(mount);
  }
  const byDepth = [...input.mounts].sort((a, b) => pathDepth(a.target) - pathDepth(b.target));
  for (const mount of byDepth) table.bind(mount);
  const message = table.point(terminationMessagePath, false);
  chmodSync(message, 0o666);
  if (readOnly) table.bind({ source: message, target: terminationMessagePath, readOnly: false });
  if (base.kind === 'image') {
    table.point(base.workingDirectory, true);
    table.bind({ source: base.tools, target: TOOLS_IN_CONTAINER, readOnly: true });
  }
  const oldRoot = base.kind === 'image' ? OLD_ROOT : 'mnt';
  if (base.kind === 'host') table.point(`/${oldRoot}`, true);
  const fstab = join(folder, 'fstab');
  writeFileSync(fstab, formatFstab(table.entries));
  return {
    fstab,
    root,
    oldRoot,
    lowerDirectory: folder,
    pathOf: (path) => table.hostPath(path),
    has: (path) => table.has(path),
  };
}

function layHost(table: Table, { image }: HostBase, { folder, devices, privileged }: RootInput): void {
  table.overlay('/', new HostFiles(image.root), 'upper');
  for (const [index, path] of image.others.entries())
    table.overlay(path, new HostFiles(path), `upper-${index}`);
  table.own('/tmp', join(folder, 'tmp'), 0o1777);
  table.own('/run', join(folder, 'run'), 0o755);
  if (devices === undefined) table.showDevices(join(folder, 'upper', 'dev'));
  else if (privileged) table.overlay('/dev', new HostFiles('/dev'), 'dev');
  else makeDevices(join(folder, 'upper', 'dev'), devices);
}

function layImage(table: Table, base: ImageBase, { folder, devices, privileged, readOnly }: RootInput): void {
  table.overlay('/', new LayeredFiles(base.layers), 'upper');
  table.point('/dev', true);
  if (privileged && devices !== undefined) table.overlay('/dev', new HostFiles('/dev'), 'dev');
  else {
    // The image's own devices are left out, as under any container runtime.
    const source = join(folder, 'dev');
    if (devices === undefined) makeDeviceFolder(source);
    else makeDevices(source, devices);
    table.bind({ source, target: '/dev', readOnly: false });
    if (devices === undefined) table.showDevices();
  }
  for (const [index, path] of base.volumes.entries()) {
    table.point(path, true);
    if (readOnly) table.writable(path, `volume-${index}`);
  }
}

/** The file systems that every container has (OCI runtime specification). */
function laySystem(table: Table, { privileged, sharedMemory, hasHostProcesses, users }: RootInput): void {
  // Only the owner of a process namespace may mount its files anew.
  if (hasHostProcesses && !users.isMachine) table.bind({ source: '/proc', target: '/proc', readOnly: false });
  else table.special('proc', '/proc', 'proc', ['nosuid', 'nodev', 'noexec']);
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
}

function makeDevices(target: string, devices: string): void {
  makeDeviceFolder(target);
  for (const name of DEVICES) linkSync(join(devices, name), join(target, name));
}

/** The folder of devices, with the links that stand beside them. */
function makeDeviceFolder(target: string): void {
  mkdirSync(target, { recursive: true });
  chmodSync(target, 0o755);
  symlinkSync('/proc/self/fd', join(target, 'fd'));
  for (const [index, name] of ['stdin', 'stdout', 'stderr'].entries()) {
    symlinkSync(`/proc/self/fd/${index}`, join(target, name));
  }
  symlinkSync('pts/ptmx', join(target, 'ptmx'));
}

/** A known mount. */
interface Place {
  /** In the container. */
  readonly path: string;
  /** Folder or file of the host that holds it. */
  readonly source: string;
  /** What an overlay shows below that. */
  readonly lower?: LowerFiles;
}

/** The known mounts: later entries lie over earlier ones. */
class Table {
  readonly entries: MountEntry[] = [];
  readonly #folder: string;
  readonly #root: string;
  readonly #readOnly: boolean;
  readonly #users: UserNamespace;
  readonly #places: Place[] = [];
  #links = 0;

  constructor(folder: string, root: string, readOnly: boolean, users: UserNamespace) {
    this.#folder = folder;
    this.#root = root;
    this.#readOnly = readOnly;
    this.#users = users;
  }

  /** Shows the host's device files, where none can be made. @param folder that is to be made for them; undefined: it is there */
  showDevices(folder?: string): void {
    if (folder !== undefined) makeDeviceFolder(folder);
    for (const name of DEVICES)
      this.bind({ source: `/dev/${name}`, target: `/dev/${name}`, readOnly: false });
  }

  #bindEntry(source: string, target: string, readOnly: boolean): void {
    const isLocked = readOnly && !this.#users.isMachine;
    this.entries.push(bindEntry(source, target, readOnly, isLocked ? readLockedOptions(source) : []));
  }

  /** Files with changes kept apart, in a folder of that name. */
  overlay(path: string, lower: LowerFiles, name: string): void {
    const [upper, work] = [join(this.#folder, name), join(this.#folder, `${name}-work`)];
    mkdirSync(upper, { recursive: true });
    copyAttributes(lower.find('/'), upper, this.#users);
    mkdirSync(work, { recursive: true });
    const folders = lower.folders.length > 0 ? lower.folders : [emptyFolder(this.#folder)];
    this.#mount(path, this.#shortNames(folders), upper, work, this.#readOnly);
    this.#places.push({ path, source: upper, lower });
  }

  /** Lets a folder be written to in a root that cannot be: what is there, with changes of its own. */
  writable(path: string, name: string): void {
    const resolved = this.resolve(path);
    const place = this.#placeOf(resolved);
    const [upper, work] = [join(this.#folder, name), join(this.#folder, `${name}-work`)];
    mkdirSync(upper);
    mkdirSync(work);
    copyAttributes(place.lower?.find(posix.relative(place.path, resolved)), upper, this.#users);
    this.#mount(resolved, [this.#target(resolved)], upper, work, false);
    this.#places.push({ path: resolved, source: upper });
  }

  #mount(path: string, lower: readonly string[], upper: string, work: string, readOnly: boolean): void {
    const ofUser = !this.#users.isMachine;
    this.entries.push(overlayEntry({ lower, upper, work, target: this.#target(path), readOnly, ofUser }));
  }

  /** Links in the folder from which mounts are made. The host's folders keep their names, which are single ones. */
  #shortNames(folders: readonly string[]): string[] {
    if (folders.length === 1) return [...folders];
    return folders.map((folder) => {
      const name = `l${this.#links++}`;
      symlinkSync(folder, join(this.#folder, name));
      return name;
    });
  }

  /** An empty folder of the container's own. */
  own(path: string, source: string, mode: number): void {
    mkdirSync(source);
    chmodSync(source, mode);
    this.bind({ source, target: path, readOnly: this.#readOnly });
  }

  special(source: string, path: string, type: string, options: readonly string[]): void {
    this.point(path, true);
    this.entries.push({ source, target: this.#target(path), type, options });
    this.#places.push({ path, source: NOWHERE });
  }

  bindIfThere(path: string, readOnly: boolean): void {
    if (statSync(path, { throwIfNoEntry: false }) === undefined) return;
    this.#bindEntry(path, this.#target(path), readOnly);
  }

  bind({ source, target, readOnly }: LaunchMount): void {
    const path = this.resolve(target);
    // A hostPath without a type need not be there: container runtimes make a folder of it.
    if (!existsSync(source)) makeFolder(source, 0o755);
    this.point(path, statSync(source).isDirectory());
    this.#bindEntry(source, this.#target(path), readOnly);
    this.#places.push({ path, source });
  }

  /** Host path of a path in the container. */
  hostPath(path: string): string {
    const resolved = this.resolve(path);
    const place = this.#placeOf(resolved);
    return resolved === place.path ? place.source : join(place.source, posix.relative(place.path, resolved));
  }

  has(path: string): boolean {
    const resolved = this.resolve(path);
    const { source, lower, path: at } = this.#placeOf(resolved);
    const inside = posix.relative(at, resolved);
    return existsSync(join(source, inside)) || lower?.find(inside) !== undefined;
  }

  /** Makes a path be there, so that something can be mounted on it; gives where the host has it. */
  point(path: string, isFolder: boolean): string {
    const resolved = this.resolve(path);
    const place = this.#placeOf(resolved);
    // What the kernel fills has its folders, or cannot have them.
    if (place.path === resolved || place.source === NOWHERE) return place.source;
    const rest = posix.relative(place.path, resolved).split('/');
    let at = place.source;
    for (const [index, part] of rest.entries()) {
      at = join(at, part);
      if (lstatSync(at, { throwIfNoEntry: false }) !== undefined) continue;
      if (index === rest.length - 1 && !isFolder) {
        writeFileSync(at, '');
        continue;
      }
      mkdirSync(at);
      chmodSync(at, 0o755);
      // A folder of the upper side hides the one below it, and so must look like it.
      copyAttributes(place.lower?.find(rest.slice(0, index + 1).join('/')), at, this.#users);
    }
    return at;
  }

  /** Lets every user pass through the folders to a path, and through that if it is one, in this container only. */
  openWayTo(path: string): void {
    const parts = this.resolve(path).split('/').filter(Boolean);
    for (const index of parts.keys()) {
      const folder = `/${parts.slice(0, index + 1).join('/')}`;
      const { lower } = this.#placeOf(folder);
      const found = statSync(folder, { throwIfNoEntry: false });
      // What is not the host's is made for this container.
      if (lower === undefined || found?.isDirectory() !== true || (found.mode & PASS) === PASS) continue;
      chmodSync(this.point(folder, true), (found.mode & 0o7777) | PASS);
    }
  }

  /** The path without symbolic links of what is shown, so that a mount cannot end up outside of the root. */
  resolve(path: string): string {
    return resolveLinks(path, (at) => {
      const place = this.#placeOf(at);
      if (place.lower === undefined || place.path === at) return undefined;
      const inside = posix.relative(place.path, at);
      const changed = join(place.source, inside);
      const isChanged = lstatSync(changed, { throwIfNoEntry: false }) !== undefined;
      return isChanged ? linkIn(new HostFiles(place.source), inside) : linkIn(place.lower, inside);
    });
  }

  #target(path: string): string {
    return path === '/' ? this.#root : join(this.#root, path);
  }

  #placeOf(path: string): Place {
    const found = this.#places.findLast(
      (place) => place.path === '/' || path === place.path || path.startsWith(`${place.path}/`),
    );
    if (found === undefined) throw new Error(`nothing is mounted at ${path}`);
    return found;
  }
}

/** Holds no file: where the kernel fills a folder. */
const NOWHERE = '/dev/null';
/** Permission of group and others to pass through a folder. */
const PASS = 0o011;

/** An overlay needs something below it, also for an image without layers. */
function emptyFolder(folder: string): string {
  const path = join(folder, 'empty');
  mkdirSync(path, { mode: 0o755 });
  return path;
}

/** Mode and owner. An owner whom this user namespace does not have is not taken over: root of the namespace keeps the folder and can write to it. */
function copyAttributes(from: string | undefined, to: string, users: UserNamespace): void {
  const found = from === undefined ? undefined : statSync(from, { throwIfNoEntry: false });
  if (found === undefined) return;
  chmodSync(to, found.mode & 0o7777);
  if (users.hasUser(found.uid) && users.hasGroup(found.gid)) chownSync(to, found.uid, found.gid);
}
