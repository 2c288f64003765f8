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
    const mount = mounts.find(({ type, options }) => type === 'cgroup' && options.includes(controller));
    const path = own.get(controller);
    if (mount !== undefined && path !== undefined) roots.set(controller, below(mount, path));
  }
  if (roots.size > 0) return { version: 1, roots };
  const unified = mounts.find(({ type }) => type === 'cgroup2');
  const path = own.get('');
  if (unified === undefined || path === undefined) return undefined;
  return { version: 2, root: below(unified, path), mount: unified.point };
}

interface CgroupMount {
  readonly type: string;
  /** The part of the hierarchy that is mounted. */
  readonly root: string;
  readonly point: string;
  readonly options: readonly string[];
}

function cgroupMounts(mountInfo: string): CgroupMount[] {
  return mountInfo.split('\n').flatMap((line) => {
    const [left = '', right = ''] = line.split(' - ');
    const [, , , root = '/', point = ''] = left.split(' ');
    const [type = '', , options = ''] = right.split(' ');
    return type === 'cgroup' || type === 'cgroup2'
      ? [{ type, root, point, options: options.split(',') }]
      : [];
  });
}

/** Paths by controller; that of version 2 under the empty name. */
function ownPaths(ownCgroup: string): Map<string, string> {
  const paths = new Map<string, string>();
  for (const line of ownCgroup.split('\n')) {
    const [, controllers, ...path] = line.split(':');
    if (controllers === undefined) continue;
    for (const controller of controllers.split(',')) paths.set(controller, path.join(':'));
  }
  return paths;
}

/** In a container the mount may show only a part of the hierarchy, and paths begin with that part. */
function below({ root, point }: CgroupMount, path: string): string {
  const inside = root !== '/' && path.startsWith(root) ? path.slice(root.length) : path;
  const clean = inside.startsWith('/..') ? '' : inside.replace(/\/+$/, '');
  return `${point}${clean.startsWith('/') || clean === '' ? clean : `/${clean}`}`;
}
