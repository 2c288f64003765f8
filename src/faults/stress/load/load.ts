/** CPU time, in workers that each use a share of one CPU. */
interface CpuLoad {
  /** 0: one for each CPU of the node. */
  readonly workers: number;
  readonly percent: number;
}

/** Memory that is touched and held, in total. */
interface MemoryLoad {
  readonly workers: number;
  readonly mebibytes: number;
}

/** Writing, in workers that share the size. */
export interface IoLoad {
  readonly workers: number;
  /** Share of the free space of the file system at the beginning, or an absolute size. */
  readonly size: { readonly percent: number } | { readonly gibibytes: number };
  /** Folder as the target sees it; empty: its `/tmp`, or `/` where that cannot be written to. */
  readonly directory: string;
}

/** What a stress fault makes a target's cgroup carry; JSON, as part of a ledger entry. */
export interface Load {
  readonly cpu?: CpuLoad;
  readonly memory?: MemoryLoad;
  readonly io?: IoLoad;
}

/** A load with everything known that only the node knows. */
export interface ResolvedLoad {
  readonly cpu?: CpuLoad;
  readonly memory?: MemoryLoad;
  readonly io?: { readonly workers: number; readonly bytes: number; readonly directory: string };
}

/** The program that makes a load. */
type Stressor = 'stress-ng' | 'built-in';

/** A helper has little memory; this many loaders of our own find room in it while they start. */
const ROOM_FOR_LOADERS = 2;
/** And this many workers in one of them. */
const ROOM_FOR_WORKERS = 8;

/**
 * Whether a loader of our own starts in the helper's cgroup and moves then, so that what Node needs is not the target's; pure.
 *
 * @param others that this helper has already
 */
export function startsOutside(load: Load, others: number, cpus: number): boolean {
  const workers = (load.cpu === undefined ? 0 : load.cpu.workers || cpus) + (load.io?.workers ?? 0);
  return others < ROOM_FOR_LOADERS && workers <= ROOM_FOR_WORKERS;
}

/**
 * Chooses the program for a load; pure. stress-ng where it is installed and exact: whole CPUs and memory, for which it needs a few
 * megabytes itself. The built-in one for shares of a CPU, since it counts the CPU time that it got (stress-ng counts time,
 * and gives less on a busy machine), unless memory is too short for it; and for files, since its files have no name and so
 * cannot stay.
 */
export function chooseStressor(load: Load, hasStressNg: boolean, hasRoom: boolean): Stressor {
  const isExact = load.cpu === undefined || load.cpu.percent === 100 || !hasRoom;
  return hasStressNg && load.io === undefined && isExact ? 'stress-ng' : 'built-in';
}

/** Words of stress-ng after its name; pure. The time is a last resort: the process that started it ends it. */
export function stressNgArguments({ cpu, memory }: ResolvedLoad, seconds: number): string[] {
  return [
    ...(cpu === undefined ? [] : ['--cpu', String(cpu.workers), '--cpu-load', String(cpu.percent)]),
    ...(memory === undefined
      ? []
      : // Held and not let go and taken again: a user who asks for 500 MB wants them to be gone all the time.
        [
          '--vm',
          String(memory.workers),
          '--vm-bytes',
          `${memory.mebibytes}M`,
          '--vm-keep',
          '--vm-hang',
          '0',
        ]),
    ...['--timeout', `${seconds}s`, '--temp-path', '/tmp'],
  ];
}

/** Why a load is none, on any target; undefined where it is one. Pure. */
export function idleLoad({ cpu, memory, io }: Load): string | undefined {
  const isOther = memory !== undefined || io !== undefined;
  return !isOther && cpu?.percent === 0 ? 'CPU_LOAD is 0 %, so that no CPU time is used' : undefined;
}

/** Bytes to write for a size, given the free space; pure. */
export function ioBytes(size: IoLoad['size'], freeBytes: number): number {
  return 'percent' in size ? Math.floor((freeBytes * size.percent) / 100) : size.gibibytes * 1024 ** 3;
}
