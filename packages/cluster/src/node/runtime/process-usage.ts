import { readFileSync } from 'node:fs';
import { oncePerTurn, processesByContainer } from './orphaned-processes.ts';
import type { ContainerUsage } from './types.ts';

/** What /proc counts times in: always a hundredth of a second (proc(5), USER_HZ). */
const TICK_NANOS = 10_000_000;

/** Positions in /proc/PID/stat behind the name: user and system time of the process, and of children that have ended. */
const TIMES = [11, 12, 13, 14] as const;

/** What one process has used and uses, from its `stat` and `status` in /proc; undefined for texts of another form. Pure. */
export function processUsage(stat: string, status: string): ContainerUsage | undefined {
  // The name is in brackets and may contain any character.
  const fields = stat
    .slice(stat.lastIndexOf(')') + 1)
    .trim()
    .split(' ');
  const ticks = TIMES.reduce((sum, index) => sum + Number(fields[index]), 0);
  if (!Number.isFinite(ticks)) return undefined;
  // A process that has ended and was not waited for has no memory.
  const kibibytes = Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0);
  return { cpuNanos: ticks * TICK_NANOS, memoryBytes: kibibytes * 1024 };
}

/** The sum over processes; those that end meanwhile do not count. Undefined when none is left. */
export function usageOfProcesses(pids: readonly number[]): ContainerUsage | undefined {
  const usages = pids.map(readUsage).filter((usage) => usage !== undefined);
  if (usages.length === 0) return undefined;
  return {
    cpuNanos: usages.reduce((sum, { cpuNanos }) => sum + cpuNanos, 0),
    memoryBytes: usages.reduce((sum, { memoryBytes }) => sum + memoryBytes, 0),
  };
}

function readUsage(pid: number): ContainerUsage | undefined {
  try {
    return processUsage(
      readFileSync(`/proc/${pid}/stat`, 'utf8'),
      readFileSync(`/proc/${pid}/status`, 'utf8'),
    );
  } catch {
    return undefined;
  }
}

/**
 * Makes a counter that never goes back from sums over the present processes: when one has ended and its parent did not
 * wait for it, its time is missing from the sum. What was counted stays counted.
 */
export class CpuCounter {
  #total = 0;
  #lastSum = 0;

  /** Takes the latest sum; gives the count so far. */
  advance(sum: number): number {
    this.#total += Math.max(0, sum - this.#lastSum);
    this.#lastSum = sum;
    return this.#total;
  }
}

/** Reads the usage of containers by the processes that carry their ids. */
export class ProcessUsageReader {
  readonly #processes = oncePerTurn(processesByContainer);

  async read(containerId: string): Promise<ContainerUsage | undefined> {
    return usageOfProcesses((await this.#processes(containerId)).get(containerId) ?? []);
  }
}
