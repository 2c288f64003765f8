import { processesOf, StrayKiller, sendSignal } from '../orphaned-processes.ts';
import type { ContainerGroup, ContainerGroups } from './container-groups.ts';

/**
 * The processes of containers where no cgroup can be made: each has its container's id in its environment. One that clears its environment
 * escapes for as long as the first process of its namespace lives, with which the kernel ends it. Nothing is limited or counted.
 */
export class MarkedProcesses implements ContainerGroups {
  readonly controllers = new Set<never>();
  readonly folders = [];
  readonly #killer = new StrayKiller();

  make(_path: string, _limits: unknown, containerId: string): ContainerGroup {
    const processes = (): number[] => processesOf(containerId);
    return {
      isByMark: true,
      joinFiles: [],
      processes,
      setLimits: () => {},
      oomKills: () => 0,
      usage: () => undefined,
      kill: () => {
        for (const pid of processes()) sendSignal(pid, 'SIGKILL');
      },
      remove: () => this.#killer.kill(containerId),
    };
  }

  removeEmpty(): void {}

  remove(): Promise<void> {
    return Promise.resolve();
  }
}
