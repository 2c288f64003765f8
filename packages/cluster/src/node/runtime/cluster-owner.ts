import { readlinkSync } from 'node:fs';
import { readOrEmpty } from '@turnsole/kube/base/machine';

/** Identifies the process of a cluster for good: process numbers are used again, and differ between containers. */
export interface ClusterOwner {
  /** Number of the process namespace; 0 where there is none. */
  readonly namespace: string;
  readonly pid: number;
  readonly startTicks: string;
}

/** This process. */
export function thisOwner(): ClusterOwner {
  return { namespace: ownNamespace(), pid: process.pid, startTicks: startTicks(process.pid) ?? '0' };
}

/** Whether a process has ended. Of one of another process namespace that is not known, and so it has not. */
export function hasOwnerEnded({ namespace, pid, startTicks: started }: ClusterOwner): boolean {
  return namespace !== '0' && namespace === ownNamespace() && startTicks(pid) !== started;
}

function ownNamespace(): string {
  try {
    return /\d+/.exec(readlinkSync('/proc/self/ns/pid'))?.[0] ?? '0';
  } catch {
    return '0';
  }
}

/** When a process was started, in ticks since the machine's start; undefined when it does not exist, or is a zombie. */
function startTicks(pid: number): string | undefined {
  return startTicksOf(readOrEmpty(`/proc/${pid}/stat`));
}

/** The same of a text of /proc/<pid>/stat (proc_pid_stat(5): the 22nd field, and the state in the third). Pure. */
export function startTicksOf(stat: string): string | undefined {
  // The second field, the name, may contain anything.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields[0] === 'Z' || fields[0] === 'X' ? undefined : fields[22 - 3];
}
