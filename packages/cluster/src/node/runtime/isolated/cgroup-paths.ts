/** A mounted cgroup file system. */
export interface CgroupMount {
  readonly type: 'cgroup' | 'cgroup2';
  /** The part of the hierarchy that is mounted. */
  readonly root: string;
  readonly point: string;
  readonly options: readonly string[];
}

/** The cgroup file systems among mounts; pure. @param mountInfo text of /proc/<pid>/mountinfo (proc(5)) */
export function cgroupMounts(mountInfo: string): CgroupMount[] {
  return mountInfo.split('\n').flatMap((line) => {
    const [left = '', right = ''] = line.split(' - ');
    const [, , , root = '/', point = ''] = left.split(' ');
    const [type = '', , options = ''] = right.split(' ');
    return type === 'cgroup' || type === 'cgroup2'
      ? [{ type, root, point, options: options.split(',') }]
      : [];
  });
}

/** A hierarchy that a process is in, and where. */
interface CgroupMembership {
  /** None for version 2. */
  readonly controllers: readonly string[];
  readonly path: string;
}

/** The cgroups of a process; pure. @param cgroups text of /proc/<pid>/cgroup (cgroups(7)) */
export function cgroupMemberships(cgroups: string): CgroupMembership[] {
  return cgroups.split('\n').flatMap((line) => {
    const [, controllers, ...path] = line.split(':');
    if (controllers === undefined || path.length === 0) return [];
    return [{ controllers: controllers === '' ? [] : controllers.split(','), path: path.join(':') }];
  });
}

/**
 * A path of the hierarchy as one below the mount point, without a final slash: where the mount shows only a part of the hierarchy (a
 * node that is a container itself), paths begin with that part. Pure.
 */
export function pathBelow({ root }: Pick<CgroupMount, 'root'>, path: string): string {
  const inside = root !== '/' && path.startsWith(root) ? path.slice(root.length) : path;
  return inside.replace(/\/+$/, '');
}
