import { childrenOf, readOrEmpty } from '@turnsole/kube/base/machine';

/** Bytes that a process and those below it hold: pages that several processes share count in parts (Pss of proc_pid_smaps(5)). */
export function treeBytes(pid: number): number {
  const [, kibibytes = '0'] = /^Pss:\s+(\d+) kB/m.exec(readOrEmpty(`/proc/${pid}/smaps_rollup`)) ?? [];
  return Number(kibibytes) * 1024 + childrenOf(pid).reduce((sum, child) => sum + treeBytes(child), 0);
}
