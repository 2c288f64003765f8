import { type CgroupMount, cgroupMemberships, cgroupMounts, pathBelow } from './cgroup-paths.ts';

/** A controller that containers are limited or accounted by. */
export type CgroupController = 'memory' | 'cpu' | 'cpuacct' | 'pids';

/** Where cgroups of this process can be made: below these folders, which exist. */
export type CgroupLayout =
  | { readonly version: 1; readonly roots: ReadonlyMap<CgroupController, string> }
  | { readonly version: 2; readonly root: string; readonly mount: string };

/** `cpuacct` counts CPU time in version 1; in version 2 every cgroup does. */
const CONTROLLERS: readonly CgroupController[] = ['memory', 'cpu', 'cpuacct', 'pids'];

/**
 * Finds the cgroup folders of a process; pure. Version 1 counts where its controllers are mounted, also beside a
 * version 2 hierarchy without any (systemd's hybrid layout).
 *
 * @param mountInfo text of /proc/self/mountinfo (proc(5))
 * @param ownCgroup text of /proc/self/cgroup (cgroups(7))
 */
export function cgroupLayout(mountInfo: string, ownCgroup: string): CgroupLayout | undefined {
  const mounts = cgroupMounts(mountInfo);
  const own = ownPaths(ownCgroup);
  const roots = new Map<CgroupController, string>();
  for (const controller of CONTROLLERS) {
    const mount = mounts.find(
      ({ type, superOptions }) => type === 'cgroup' && superOptions.includes(controller),
    );
    const path = own.get(controller);
    if (mount !== undefined && path !== undefined) roots.set(controller, below(mount, path));
  }
  if (roots.size > 0) return { version: 1, roots };
  const unified = mounts.find(({ type }) => type === 'cgroup2');
  const path = own.get('');
  if (unified === undefined || path === undefined) return undefined;
  return { version: 2, root: below(unified, path), mount: unified.point };
}

/** Paths by controller; that of version 2 under the empty name. */
function ownPaths(ownCgroup: string): Map<string, string> {
  return new Map(
    cgroupMemberships(ownCgroup).flatMap(({ controllers, path }) =>
      (controllers.length === 0 ? [''] : controllers).map((name) => [name, path] as const),
    ),
  );
}

/** A path outside of the mount stands for the mount itself: nothing above it can be reached. */
function below(mount: CgroupMount, path: string): string {
  const inside = pathBelow(mount, path);
  if (inside === '' || inside.startsWith('/..')) return mount.point;
  return `${mount.point}${inside.startsWith('/') ? inside : `/${inside}`}`;
}
