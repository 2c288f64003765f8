import { readFile } from 'node:fs/promises';
import { ContainerRuntimeError } from '../injection/errors.ts';
import { type ProcessSnapshot, takeSnapshot } from './process-snapshot.ts';

/** A process as /proc shows it, as far as finding containers needs. */
interface ProcessFacts {
  readonly pid: number;
  readonly parentPid: number;
  /** Clock ticks since boot; with the pid it identifies a process for good. */
  readonly startTicks: number;
  /** Whether it belongs to the container that is looked for. */
  readonly inContainer: boolean;
}

/** A process to act on. */
export interface LocatedProcess {
  readonly pid: number;
  readonly startTicks: number;
}

/** Where processes are read. @default /proc */
interface LocatorOptions {
  readonly procDir?: string;
}

/** Variable that marks the processes of a pod without a cgroup of its own (docs/architecture.md). */
const ID_VARIABLE = 'TURNSOLE_CONTAINER_ID';

/**
 * Finds the first process of a container in the process table of the node, without asking a container runtime.
 *
 * @param containerId as in the pod status: `containerd://<id>`, `cri-o://<id>`, `docker://<id>`, `turnsole://<id>`
 * @throws ContainerRuntimeError when none is found: the container has ended, or this process does not see the node's processes
 */
export async function locateContainer(
  containerId: string,
  options: LocatorOptions = {},
): Promise<LocatedProcess> {
  const procDir = options.procDir ?? '/proc';
  const id = containerId.replace(/^[a-z0-9+.-]+:\/\//, '');
  if (!/^[A-Za-z0-9][A-Za-z0-9_.-]{5,}$/.test(id)) {
    throw new ContainerRuntimeError(
      `${JSON.stringify(containerId)} is no container id; is the container running?`,
    );
  }
  const snapshot = await takeSnapshot(procDir);
  const found =
    firstOf(
      snapshot,
      snapshot.pidsWhere('cgroup', (text) => hasCgroup(text, id)),
    ) ??
    firstOf(
      snapshot,
      snapshot.pidsWhere('environ', (text) => hasVariable(text, id)),
    );
  if (found !== undefined) return found;
  throw new ContainerRuntimeError(
    `no process of container ${containerId} found in ${procDir}; the container has ended, ` +
      'or this pod does not see the processes of its node (hostPID)',
  );
}

/** Whether it is still the same process: its number may have been given to another one in between. */
export async function isSameProcess(
  { pid, startTicks }: LocatedProcess,
  options: LocatorOptions = {},
): Promise<boolean> {
  const stat = await readText(`${options.procDir ?? '/proc'}/${pid}/stat`);
  return stat !== undefined && parseStat(stat)?.startTicks === startTicks;
}

/**
 * The first process of a container: one whose parent is outside of it, and the oldest of those (a command run in the container
 * from outside has such a parent too). Pure.
 */
export function firstProcess(processes: readonly ProcessFacts[]): LocatedProcess | undefined {
  const inside = processes.filter(({ inContainer }) => inContainer);
  const pids = new Set(inside.map(({ pid }) => pid));
  return inside
    .filter(({ parentPid }) => !pids.has(parentPid))
    .sort((a, b) => a.startTicks - b.startTicks || a.pid - b.pid)[0];
}

/**
 * Whether a line of /proc/<pid>/cgroup is in the cgroup of a container, under cgroup v1 and v2 and the drivers cgroupfs and
 * systemd: a path segment is the id, alone or in the form of a runtime (`cri-containerd-<id>.scope`, `crio-<id>.scope`,
 * `docker-<id>.scope`, `…:cri-containerd:<id>`). The monitor of CRI-O (`crio-conmon-<id>`) is not in the container. Pure.
 */
export function isCgroupOf(line: string, id: string): boolean {
  // hierarchy:controllers:path; the path may contain colons itself.
  const path = line.split(':').slice(2).join(':');
  return path.split('/').some((segment) => {
    if (segment.includes('conmon')) return false;
    const name = segment.replace(/\.scope$/, '');
    return name === id || name.endsWith(`-${id}`) || name.endsWith(`:${id}`);
  });
}

/** Parent and start time out of /proc/<pid>/stat; the command in parentheses may hold spaces and parentheses. Pure. */
export function parseStat(text: string): { parentPid: number; startTicks: number } | undefined {
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const [parentPid, startTicks] = [Number(fields[1]), Number(fields[19])];
  return Number.isInteger(parentPid) && Number.isInteger(startTicks) ? { parentPid, startTicks } : undefined;
}

function firstOf(snapshot: ProcessSnapshot, pids: readonly number[]): LocatedProcess | undefined {
  const processes = pids.flatMap((pid): ProcessFacts[] => {
    const text = snapshot.read(pid, 'stat');
    const stat = isZombie(text) ? undefined : parseStat(text);
    return stat === undefined ? [] : [{ pid, ...stat, inContainer: true }];
  });
  return firstProcess(processes);
}

/** Ended, and only not yet waited for. */
function isZombie(stat: string): boolean {
  return / Z /.test(stat.slice(stat.lastIndexOf(')')));
}

function hasCgroup(text: string, id: string): boolean {
  // The quick test first: it runs for every process and every container.
  return text.includes(id) && text.split('\n').some((line) => isCgroupOf(line, id));
}

function hasVariable(text: string, id: string): boolean {
  return text.includes(id) && text.split('\0').includes(`${ID_VARIABLE}=${id}`);
}

/** Undefined when the process has ended or is not ours to read. */
export function readText(path: string): Promise<string | undefined> {
  return readFile(path, 'utf8').catch(() => undefined);
}
