import { type Mount, mountsOf } from '../../machine/mounts.ts';

/** A mounted cgroup file system; the options of a hierarchy are its controllers. */
export type CgroupMount = Mount & { readonly type: 'cgroup' | 'cgroup2' };

/** The cgroup file systems among mounts; pure. @param mountInfo text of /proc/<pid>/mountinfo (proc(5)) */
export function cgroupMounts(mountInfo: string): CgroupMount[] {
  return mountsOf(mountInfo).filter(
    (mount): mount is CgroupMount => mount.type === 'cgroup' || mount.type === 'cgroup2',
  );
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
