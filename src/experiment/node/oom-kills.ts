import { readOrEmpty } from '@turnsole/kube/base/machine';
import { cgroupFoldersOf } from './cgroup-folders.ts';

/** What a memory cgroup says of want of memory. */
export interface MemoryPressure {
  /** How many of its processes the kernel has killed for want of memory since it was made. */
  readonly kills: number;
  /** Its limit; undefined without one. */
  readonly limitBytes: number | undefined;
}

/** Of the cgroup of a process; undefined where it cannot be read, or the kernel does not count. */
export async function memoryPressureOf(pid: number): Promise<MemoryPressure | undefined> {
  const folders = await cgroupFoldersOf(pid).catch(() => undefined);
  const folder = folders?.byController.get('memory');
  if (folders === undefined || folder === undefined) return undefined;
  const [events, limit] =
    folders.version === 2
      ? (['memory.events', 'memory.max'] as const)
      : (['memory.oom_control', 'memory.limit_in_bytes'] as const);
  return parseMemoryPressure(readOrEmpty(`${folder}/${events}`), readOrEmpty(`${folder}/${limit}`));
}

/** No limit, as version 1 writes it: the largest number of whole pages. */
const UNLIMITED = 2 ** 60;

/** Reads the two files of a memory cgroup, of either version. Pure. */
export function parseMemoryPressure(events: string, limit: string): MemoryPressure | undefined {
  const kills = /^oom_kill (\d+)$/m.exec(events)?.[1];
  if (kills === undefined) return undefined;
  const bytes = Number(limit.trim() || 'none');
  return { kills: Number(kills), limitBytes: bytes < UNLIMITED ? bytes : undefined };
}
