import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { readOrEmpty } from '@turnsole/kube/base/machine';
import { sendSignal } from '../orphaned-processes.ts';
import type { ContainerUsage } from '../types.ts';
import { type CgroupController, type CgroupLayout, cgroupLayout } from './cgroup-layout.ts';
import { type CgroupLimits, cgroupSettings, oomKills } from './cgroup-limits.ts';
import { cgroupUsage } from './cgroup-usage.ts';
import type { ContainerGroup, ContainerGroups } from './container-groups.ts';

/** Pauses while killed processes are still dying. */
const ROUND_PAUSES_MS = [0, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000] as const;

/** Where cgroups can be made on this machine; undefined when nowhere. */
export function readCgroupLayout(): CgroupLayout | undefined {
  return cgroupLayout(readOrEmpty('/proc/self/mountinfo'), readOrEmpty('/proc/self/cgroup'));
}

/** The cgroups of one cluster: a folder of its own in each hierarchy, with those of the containers below it. */
export class ClusterCgroups implements ContainerGroups {
  readonly #layout: CgroupLayout;
  readonly #roots: ReadonlyMap<CgroupController, string>;
  /** Controllers whose limits hold. */
  readonly controllers: ReadonlySet<CgroupController>;

  /**
   * Makes the cluster's cgroups.
   *
   * @throws Error of the file system when none can be made
   */
  constructor(layout: CgroupLayout, name: string) {
    this.#layout = layout;
    if (layout.version === 1) {
      this.#roots = new Map([...layout.roots].map(([controller, root]) => [controller, join(root, name)]));
      for (const root of this.#roots.values()) mkdirSync(root, { recursive: true });
      this.controllers = new Set(this.#roots.keys());
      return;
    }
    const { root, controllers } = openUnified(layout, name);
    this.#roots = new Map([['memory', root]]);
    this.controllers = controllers;
  }

  /** The cluster's folders, for the process that removes them after its death. */
  get folders(): readonly string[] {
    return [...new Set(this.#roots.values())];
  }

  /** Makes a cgroup below the cluster's with these limits. */
  make(path: string, limits: CgroupLimits): Cgroup {
    if (this.#layout.version === 2) this.#delegate(path);
    const folders = new Map(
      [...this.#roots].map(([controller, root]) => [controller, join(root, path)] as const),
    );
    for (const folder of folders.values()) mkdirSync(folder, { recursive: true });
    const cgroup = new Cgroup(folders, this.#layout.version, this.controllers);
    cgroup.setLimits(limits);
    return cgroup;
  }

  /** Removes a folder that has become empty, such as a pod's; one that is not stays. */
  removeEmpty(path: string): void {
    for (const root of this.#roots.values()) {
      try {
        rmdirSync(join(root, path));
      } catch {
        // Not empty yet, or not there.
      }
    }
  }

  /** Kills the processes in them and removes all. Never rejects. */
  async remove(): Promise<void> {
    await Promise.all(this.folders.map(removeTree));
  }

  /** Version 2 wants each level to hand its controllers down before the next one can use them. */
  #delegate(path: string): void {
    const root = this.folders[0] ?? '';
    const text = [...this.controllers].map((controller) => `+${controller}`).join(' ');
    let folder = root;
    for (const part of path.split('/')) {
      writeFileSync(join(folder, 'cgroup.subtree_control'), text);
      folder = join(folder, part);
      mkdirSync(folder, { recursive: true });
    }
  }
}

/** Below the process's own cgroup where that may have children with controllers, else at the top. */
function openUnified(
  { root, mount }: Extract<CgroupLayout, { version: 2 }>,
  name: string,
): { root: string; controllers: Set<CgroupController> } {
  for (const parent of new Set([root, mount])) {
    const own = join(parent, name);
    try {
      const offered = readFileSync(join(parent, 'cgroup.controllers'), 'utf8').trim().split(' ');
      const wanted = (['memory', 'cpu', 'pids'] as const).filter((name) => offered.includes(name));
      writeFileSync(join(parent, 'cgroup.subtree_control'), wanted.map((name) => `+${name}`).join(' '));
      mkdirSync(own);
      return { root: own, controllers: new Set(wanted) };
    } catch {
      // A cgroup that has processes must not have children with controllers: try the next.
    }
  }
  const own = join(mount, name);
  mkdirSync(own, { recursive: true });
  return { root: own, controllers: new Set() };
}

/** A cgroup of one container. */
class Cgroup implements ContainerGroup {
  readonly isByMark = false;
  readonly #folders: ReadonlyMap<CgroupController, string>;
  readonly #version: 1 | 2;
  /** Those whose limits hold. */
  readonly #controllers: ReadonlySet<CgroupController>;

  constructor(
    folders: ReadonlyMap<CgroupController, string>,
    version: 1 | 2,
    controllers: ReadonlySet<CgroupController>,
  ) {
    this.#folders = folders;
    this.#version = version;
    this.#controllers = controllers;
  }

  setLimits(limits: CgroupLimits): void {
    for (const { controller, file, value } of cgroupSettings(limits, this.#version)) {
      const folder = this.#folders.get(controller) ?? this.#folders.get('memory');
      if (folder !== undefined && this.#controllers.has(controller)) writeFileSync(join(folder, file), value);
    }
  }

  /** Files into which a process writes 0 to join. */
  get joinFiles(): readonly string[] {
    return [...new Set(this.#folders.values())].map((folder) => join(folder, 'cgroup.procs'));
  }

  /** Processes in it, also below it. */
  processes(): number[] {
    const [folder] = this.#folders.values();
    return folder === undefined ? [] : processesBelow(folder);
  }

  /** How often the kernel has killed one of its processes for want of memory. */
  oomKills(): number {
    return oomKills(this.#read('memory', this.#version === 1 ? 'memory.oom_control' : 'memory.events'));
  }

  /** What its processes have used and use; undefined where the kernel does not count by cgroup. */
  usage(): ContainerUsage | undefined {
    return cgroupUsage(this.#version, (controller, file) => this.#read(controller, file));
  }

  /** Empty where the kernel has no such file. */
  #read(controller: CgroupController, file: string): string {
    // Version 2 has one folder for all controllers.
    const folder = this.#folders.get(this.#version === 1 ? controller : 'memory');
    return folder === undefined ? '' : readOrEmpty(join(folder, file));
  }

  /** SIGKILL to all of its processes. */
  kill(): void {
    for (const pid of this.processes()) sendSignal(pid, 'SIGKILL');
  }

  /** Resolves when none of its processes is left and it is removed. Never rejects. */
  async remove(): Promise<void> {
    await Promise.all([...new Set(this.#folders.values())].map(removeTree));
  }
}

/** Kills the processes in a cgroup folder and below, and removes it. Never rejects. */
export async function removeTree(folder: string): Promise<void> {
  for (const pauseMs of ROUND_PAUSES_MS) {
    if (!existsSync(folder)) return;
    for (const pid of processesBelow(folder)) sendSignal(pid, 'SIGKILL');
    if (removeFolders(folder)) return;
    await delay(pauseMs);
  }
}

function processesBelow(folder: string): number[] {
  return [folder, ...foldersBelow(folder)].flatMap((each) =>
    readOrEmpty(join(each, 'cgroup.procs'))
      .split('\n')
      .map(Number)
      .filter((pid) => pid > 1),
  );
}

function foldersBelow(folder: string): string[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .flatMap(({ name }) => [join(folder, name), ...foldersBelow(join(folder, name))]);
  } catch {
    return [];
  }
}

function removeFolders(folder: string): boolean {
  try {
    for (const each of foldersBelow(folder).reverse()) rmdirSync(each);
    rmdirSync(folder);
    return true;
  } catch {
    return false;
  }
}
