import type { ContainerUsage } from '../types.ts';
import type { CgroupController } from './cgroup-layout.ts';

/** Gives the text of a file of a cgroup; empty when it is missing. */
type CgroupFile = (controller: CgroupController, file: string) => string;

/**
 * What a cgroup has used and uses, from the kernel's files (cgroups(7), memory and cpuacct of version 1, cgroup-v2.rst);
 * undefined when one of them is missing. Pure.
 *
 * Memory is what kubelet calls the working set: the usage without cached pages of files that were not used for a while, which
 * the kernel takes back first.
 */
export function cgroupUsage(version: 1 | 2, read: CgroupFile): ContainerUsage | undefined {
  const [cpuNanos, memory, inactive] =
    version === 1
      ? [
          numberOf(read('cpuacct', 'cpuacct.usage')),
          numberOf(read('memory', 'memory.usage_in_bytes')),
          lineOf(read('memory', 'memory.stat'), 'total_inactive_file'),
        ]
      : [
          microsToNanos(lineOf(read('cpu', 'cpu.stat'), 'usage_usec')),
          numberOf(read('memory', 'memory.current')),
          lineOf(read('memory', 'memory.stat'), 'inactive_file'),
        ];
  if (cpuNanos === undefined || memory === undefined) return undefined;
  return { cpuNanos, memoryBytes: Math.max(0, memory - (inactive ?? 0)) };
}

function numberOf(text: string | undefined): number | undefined {
  return text !== undefined && /^\d+\s*$/.test(text) ? Number(text) : undefined;
}

/** The number behind a word at the beginning of a line. */
function lineOf(text: string, word: string): number | undefined {
  return numberOf(new RegExp(`^${word} (\\d+)$`, 'm').exec(text)?.[1]);
}

function microsToNanos(micros: number | undefined): number | undefined {
  return micros === undefined ? undefined : micros * 1000;
}
