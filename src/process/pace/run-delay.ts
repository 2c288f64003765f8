/** How long processes have waited for a processor, as Linux counts it. */
import { childrenOf, readOrEmpty } from '@turnsole/kube/base/machine';

/**
 * Milliseconds that a process has been ready to work and had no processor, since it started: the second number of /proc/PID/schedstat.
 * Undefined without such a text, as of a process that has ended, and where the kernel does not count. Pure.
 */
export function parseRunDelay(schedstat: string): number | undefined {
  const [, ran, waited] = /^(\d+) (\d+) \d+\s*$/.exec(schedstat) ?? [];
  if (ran === undefined || waited === undefined) return undefined;
  return Number(waited) / 1e6;
}

/** The wait of the main thread of this process, which is that of its event loop; 0 where the kernel does not count. */
export function ownRunDelayMs(): number {
  return parseRunDelay(readOrEmpty('/proc/self/schedstat')) ?? 0;
}

/** What {@link RunDelay} reads of processes. */
interface ProcessReader {
  /** See {@link parseRunDelay}. */
  readonly runDelayMs: (pid: number) => number | undefined;
  readonly children: (pid: number) => readonly number[];
}

const LINUX: ProcessReader = {
  runDelayMs: (pid) => parseRunDelay(readOrEmpty(`/proc/${pid}/schedstat`)),
  children: childrenOf,
};

/**
 * The wait of a process and of all that it has started. What a process waited between the last reading and its end is not known; so it is
 * read often, as a {@link PacedLimit} does.
 */
export class RunDelay {
  readonly #pid: number;
  readonly #read: ProcessReader;
  readonly #known = new Map<number, number>();
  #totalMs = 0;

  /** @param pid of the process at the top; undefined for one that could not be started, which waits for nothing */
  constructor(pid: number | undefined, read: ProcessReader = LINUX) {
    this.#pid = pid ?? 0;
    this.#read = read;
  }

  /** Milliseconds since the processes started, summed up over them; never less than before. */
  totalMs(): number {
    if (this.#pid > 0) this.#add(this.#pid);
    return this.#totalMs;
  }

  #add(pid: number): void {
    const waitedMs = this.#read.runDelayMs(pid);
    if (waitedMs === undefined) return;
    // A smaller number is that of another process, which has got the id of one that has ended.
    const before = this.#known.get(pid) ?? 0;
    this.#totalMs += waitedMs >= before ? waitedMs - before : waitedMs;
    this.#known.set(pid, waitedMs);
    for (const child of this.#read.children(pid)) this.#add(child);
  }
}
