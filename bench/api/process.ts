import { readdirSync, readFileSync } from 'node:fs';

/** Resident memory of processes, in megabytes; 0 without /proc. */
export function residentMegabytes(pids: readonly number[]): number {
  let kilobytes = 0;
  for (const pid of pids) kilobytes += Number(/VmRSS:\s+(\d+)/.exec(readProc(pid, 'status'))?.[1] ?? 0);
  return kilobytes / 1024;
}

/** The most that a process has ever had resident, in megabytes; 0 without /proc. */
export function highestMegabytes(pid: number): number {
  return Number(/VmHWM:\s+(\d+)/.exec(readProc(pid, 'status'))?.[1] ?? 0) / 1024;
}

/** Memory of a process in megabytes, by the kernel's own count; 0 without /proc. */
export interface ProcessMemory {
  /** All that is resident (VmRSS). */
  readonly resident: number;
  /** The same with what others share counted in parts (PSS). */
  readonly share: number;
  /** What is nobody else's: what one more of it costs a machine that has the others. */
  readonly own: number;
}

export function memoryOf(pid: number): ProcessMemory {
  const text = readProc(pid, 'smaps_rollup');
  const megabytes = (field: string): number =>
    Number(new RegExp(`^${field}:\\s+(\\d+)`, 'm').exec(text)?.[1] ?? 0) / 1024;
  return {
    resident: megabytes('Rss'),
    share: megabytes('Pss'),
    own: megabytes('Private_Clean') + megabytes('Private_Dirty'),
  };
}

/** Processor time that processes have used so far, in seconds. Linux counts in hundredths. */
export function cpuSeconds(pids: readonly number[]): number {
  let ticks = 0;
  for (const pid of pids) {
    // The name may hold spaces and parentheses; the numbers come after the last one.
    const fields = readProc(pid, 'stat')
      .replace(/^.*\) /s, '')
      .split(' ');
    ticks += Number(fields[11] ?? 0) + Number(fields[12] ?? 0);
  }
  return ticks / 100;
}

/** Processor time that the threads of a process that live have used so far, in milliseconds; exact, for what takes less than hundredths. */
export function exactCpuMs(pid: number): number {
  let nanoseconds = 0;
  for (const thread of threadsOf(pid)) {
    nanoseconds += Number(readProc(pid, `task/${thread}/schedstat`).split(' ')[0] ?? 0);
  }
  return nanoseconds / 1e6;
}

function threadsOf(pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/task`);
  } catch {
    return [];
  }
}

function readProc(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return '';
  }
}
