import type { ContainerUsage } from '../types.ts';
import type { CgroupController } from './cgroup-layout.ts';
import type { CgroupLimits } from './cgroup-limits.ts';

/** How the processes of a cluster's containers are held together: by cgroups, or where there are none by their environment. */
export interface ContainerGroups {
  /** Controllers whose limits hold. */
  readonly controllers: ReadonlySet<CgroupController>;
  /** Cgroups, for the process that removes them after the cluster's death. */
  readonly folders: readonly string[];
  /** Makes the group of a container with these limits, at a path below the cluster's. */
  make(path: string, limits: CgroupLimits, containerId: string): ContainerGroup;
  /** Removes a folder that has become empty, such as a pod's; one that is not stays. */
  removeEmpty(path: string): void;
  /** Kills the processes and removes all. Never rejects. */
  remove(): Promise<void>;
}

/** The processes of one container. */
export interface ContainerGroup {
  /** Whether its processes are known by their environment alone. */
  readonly isByMark: boolean;
  /** Files into which a process writes 0 to join. */
  readonly joinFiles: readonly string[];
  processes(): number[];
  /** Changes its limits, as far as there are any. Throws where the kernel refuses them. */
  setLimits(limits: CgroupLimits): void;
  /** How often the kernel has killed one of its processes for want of memory. */
  oomKills(): number;
  /** What its processes have used and use; undefined where the kernel does not count by group. */
  usage(): ContainerUsage | undefined;
  /** SIGKILL to all of its processes. */
  kill(): void;
  /** Resolves when none of its processes is left and it is removed. Never rejects. */
  remove(): Promise<void>;
}
