import { existsSync, readFileSync, readlinkSync } from 'node:fs';
import {
  cgroupMemberships,
  cgroupMounts,
  pathBelow,
} from '@turnsole/cluster/node/runtime/isolated/cgroup-paths';
import { runCommand } from './command.ts';
import { NodeError } from './node-error.ts';

/** The cgroups of one process, as folders this process can open. */
interface CgroupFolders {
  /** 1 where any controller is mounted on its own (systemd's hybrid layout too), else 2. */
  readonly version: 1 | 2;
  /** Folder by controller: version 1 `memory`, `cpu`, `cpuacct`, `blkio`, `pids`…; version 2 the same folder for all. */
  readonly byController: ReadonlyMap<string, string>;
  /** Each folder once: write a pid into `cgroup.procs` of all of them to join. */
  readonly all: readonly string[];
}

/**
 * Finds the cgroup folders of a process on this node. They are looked for in the file system of process 1 (`hostPID`), because
 * what a helper has at /sys/fs/cgroup itself may be only its own part of the tree, or read-only. Where process 1 may not be looked
 * into, in the helper's own, and then in that of whatever started the container: a runtime's supervisor lives on the node itself.
 *
 * @throws NodeError when no cgroup file system is mounted, or the process has ended
 */
export async function cgroupFoldersOf(pid: number): Promise<CgroupFolders> {
  return foldersOf(pid, await readCgroups(pid));
}

function foldersOf(pid: number, cgroups: string): CgroupFolders {
  for (const process of ['1', 'self', ...ancestorsOf(pid, readText)]) {
    const root = process === 'self' ? '' : `/proc/${process}/root`;
    if (!existsSync(`${root}/sys/fs/cgroup`)) continue;
    const found = cgroupFolders(readText(`/proc/${process}/mountinfo`), cgroups, root);
    if (found.all.length > 0 && found.all.every((folder) => existsSync(folder))) return found;
  }
  throw new NodeError(
    `no cgroup folder of process ${pid} is mounted here; the helper needs hostPID and the file system of its node`,
  );
}

/**
 * The cgroups that this process would have to join to count as another. Not those that both are in already: these need not be open to a
 * cluster of an ordinary user. Errors as of {@link cgroupFoldersOf}.
 */
export async function cgroupsToJoin(pid: number): Promise<readonly string[]> {
  const further = furtherCgroups(await readCgroups('self'), await readCgroups(pid));
  return further === '' ? [] : foldersOf(pid, further).all;
}

/** The lines of another process's cgroups that one does not have; pure. @param own text of /proc/<pid>/cgroup (cgroups(7)) */
export function furtherCgroups(own: string, others: string): string {
  const lines = new Set(own.split('\n'));
  return others
    .split('\n')
    .filter((line) => !lines.has(line))
    .join('\n');
}

/**
 * The processes that a process descends from, the eldest below process 1 first: of a container's, the supervisor of its runtime, then
 * those inside. Pure but for `read`, which gives the text of a file of /proc.
 */
export function ancestorsOf(pid: number, read: (path: string) => string): string[] {
  const found: string[] = [];
  for (let at = String(pid); ; ) {
    const parent = /^PPid:\s*(\d+)$/m.exec(read(`/proc/${at}/status`))?.[1] ?? '0';
    if (parent === '0' || parent === '1') return found;
    found.unshift(parent);
    at = parent;
  }
}

/**
 * Folders of a process; pure.
 *
 * @param mountInfo text of /proc/1/mountinfo (proc(5))
 * @param cgroups text of /proc/<pid>/cgroup (cgroups(7)), as seen from the cgroup namespace of process 1
 * @param root put in front of all folders
 */
export function cgroupFolders(mountInfo: string, cgroups: string, root = ''): CgroupFolders {
  const mounts = cgroupMounts(mountInfo);
  const byController = new Map<string, string>();
  let unified: string | undefined;
  for (const { controllers, path } of cgroupMemberships(cgroups)) {
    const isUnified = controllers.length === 0;
    const mount = mounts.find(({ type, superOptions }) =>
      isUnified
        ? type === 'cgroup2'
        : type === 'cgroup' && controllers.every((name) => superOptions.includes(name)),
    );
    if (mount === undefined) continue;
    const folder = `${root}${mount.point}${pathBelow(mount, path)}`;
    if (isUnified) unified = folder;
    else for (const name of controllers) byController.set(name, folder);
  }
  // A named hierarchy (systemd's) accounts for nothing; it alone makes no version 1.
  const isFirst = [...byController.keys()].some((name) => !name.startsWith('name='));
  if (!isFirst && unified !== undefined) {
    const folder = unified;
    const all = ['memory', 'cpu', 'cpuacct', 'io', 'blkio', 'pids'] as const;
    return { version: 2, byController: new Map(all.map((name) => [name, folder])), all: [folder] };
  }
  return { version: 1, byController, all: [...new Set(byController.values())] };
}

/** The kernel shows paths relative to the cgroup namespace of the reader, so a reader in another one has to enter that of process 1. */
async function readCgroups(pid: number | 'self'): Promise<string> {
  const path = `/proc/${pid}/cgroup`;
  if (hasHostCgroups()) return readText(path);
  const { stdout } = await runCommand(['nsenter', '--cgroup=/proc/1/ns/cgroup', '--', 'cat', path]);
  return stdout;
}

/** Whether this process is in the cgroup namespace of process 1, as far as it can see, or the kernel has no such namespaces. */
export function hasHostCgroups(): boolean {
  try {
    return readlinkSync('/proc/self/ns/cgroup') === readlinkSync('/proc/1/ns/cgroup');
  } catch {
    return true;
  }
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    throw new NodeError(
      `cannot read ${path}: the process has ended, or is not to be seen from here (hostPID)`,
      {
        cause,
      },
    );
  }
}
