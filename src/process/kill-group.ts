import type { ChildProcess } from 'node:child_process';

/** Signals a child that leads a process group, and everything it has started that stayed in the group; one that has ended is fine. */
export function killGroup(child: Pick<ChildProcess, 'pid'>, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, signal);
  } catch {
    // It has ended.
  }
}
