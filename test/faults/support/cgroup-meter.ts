/** What a container uses, read from the node: its processes and its cgroup. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Pod } from '@turnsole/kube/kinds/core';
import { PATIENCE_MS } from '@turnsole/kube/testing/until';
import { cgroupFoldersOf } from '../../../src/experiment/node/cgroup-folders.ts';
import { firstProcessOf } from '../../support/first-process.ts';

/** Ticks of a second in /proc/<pid>/stat; 100 on every machine that Linux runs on as a server. */
const TICKS = 100;
/** Each look may read files of all processes of the machine. */
const LOOK_MS = 25;

/** Reads what a container uses. Lives as long as the container. */
export class ContainerMeter {
  readonly #folder: string;
  readonly #cpu: string;
  readonly #version: 1 | 2;
  /** Its first process, or the one by which it was found. */
  readonly pid: number;

  private constructor(folder: string, cpu: string, version: 1 | 2, pid: number) {
    this.#folder = folder;
    this.#cpu = cpu;
    this.#version = version;
    this.pid = pid;
  }

  static async of(pod: Pod, container = 'main'): Promise<ContainerMeter> {
    return ContainerMeter.ofProcess(await firstProcessOf(pod, container));
  }

  /** By one of its processes: for a container of which the kubelet has not told yet. */
  static async ofProcess(pid: number): Promise<ContainerMeter> {
    const { version, byController } = await cgroupFoldersOf(pid);
    return new ContainerMeter(byController.get('memory') ?? '', byController.get('cpu') ?? '', version, pid);
  }

  /** Has the kernel prefer it to everything else on this machine, so that other work does not take what is measured. */
  prefer(): void {
    const [file, most] = this.#version === 1 ? ['cpu.shares', '262144'] : ['cpu.weight', '10000'];
    for (let folder = this.#cpu; /kubepods|turnsole/.test(folder); folder = dirname(folder)) {
      writeFileSync(join(folder, file), most);
    }
  }

  /** Processes in the container's cgroup; none when that is gone. */
  processes(): number[] {
    return readText(join(this.#folder, 'cgroup.procs')).split('\n').map(Number).filter(Boolean);
  }

  /** MiB of the cgroup that are no file cache. */
  memoryMebibytes(): number {
    const [file, word] = this.#version === 1 ? ['memory.stat', 'rss'] : ['memory.stat', 'anon'];
    const text = readFileSync(join(this.#folder, file), 'utf8');
    return Number(new RegExp(`^${word} (\\d+)$`, 'm').exec(text)?.[1] ?? 0) / 1024 ** 2;
  }

  /** CPUs in use, on average over a time, by the processes that are in the cgroup. */
  async cpus(ms: number): Promise<number> {
    const from = performance.now();
    const before = this.cpuSeconds();
    await delay(ms);
    return (this.cpuSeconds() - before) / ((performance.now() - from) / 1000);
  }

  /** CPU time that the processes in the cgroup have used. */
  cpuSeconds(): number {
    return cpuSeconds(this.processes());
  }

  /** Bytes its processes have written. */
  written(): number {
    return this.processes()
      .map((pid) => Number(/^wchar: (\d+)$/m.exec(readText(`/proc/${pid}/io`))?.[1] ?? 0))
      .reduce((sum, each) => sum + each, 0);
  }
}

/**
 * Whether a use is as great as asked for, and neither none nor all: a load that works by turns, and the kernel's periods of a limit, are
 * exact only where nothing else runs.
 */
export function isAbout(cpus: number, wanted: number): boolean {
  return cpus > wanted / 2 && cpus < wanted * 1.5;
}

/** Resolves when a condition holds: for what nobody tells, such as the use of memory. @throws Error when it never does */
export async function eventually<T>(
  what: string,
  look: () => T | undefined | false | Promise<T | undefined | false>,
): Promise<T> {
  for (const until = performance.now() + PATIENCE_MS; ; await delay(LOOK_MS)) {
    const found = await look();
    if (found !== undefined && found !== false) return found;
    if (performance.now() > until) throw new Error(`${what}: not within ${PATIENCE_MS} ms`);
  }
}

/** Processes of this machine in whose environment each of these patterns is found; others' tests may have such as well. */
export function processesWith(...patterns: readonly RegExp[]): number[] {
  return readdirSync('/proc')
    .filter((name) => {
      const text = /^\d+$/.test(name) ? readText(`/proc/${name}/environ`) : '';
      return patterns.every((pattern) => pattern.test(text));
    })
    .map(Number);
}

/** The first processes of the helpers of a namespace's run that are at work; a kubelet may be late to tell of them. */
export function helperProcesses(namespace: string): number[] {
  const isOfNamespace = new RegExp(`CHAOS_NAMESPACE=${namespace}\\0`);
  // What starts one on an embedded node has its variables as well, and is not in its cgroup.
  const isNode = (pid: number): boolean =>
    /^\S*node$/.test(readText(`/proc/${pid}/cmdline`).split('\0')[0] ?? '');
  return processesWith(/TURNSOLE_ASSIGNMENT=/, isOfNamespace).filter(isNode);
}

/** What the helper of a namespace's run uses, as soon as it is at work. */
export async function helperMeter(namespace: string): Promise<ContainerMeter> {
  return ContainerMeter.ofProcess(await eventually('a helper', () => helperProcesses(namespace)[0]));
}

/** CPU time that processes have used since they began; nothing for those that have ended. */
export function cpuSeconds(pids: readonly number[]): number {
  return pids.reduce((sum, pid) => {
    const stat = readText(`/proc/${pid}/stat`);
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return sum + (Number(fields[11] ?? 0) + Number(fields[12] ?? 0)) / TICKS;
  }, 0);
}

/** Empty for a process that has ended. */
function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
