import { readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { readOrEmpty } from '../../../../process/machine.ts';
import { namesIn } from '../../files.ts';
import type { CgroupLayout } from './cgroup-layout.ts';
import { removeTree } from './cgroups.ts';

/** Identifies the process of a cluster for good: process numbers are used again, and differ between containers. */
interface ClusterOwner {
  /** Number of the process namespace. */
  readonly namespace: string;
  readonly pid: number;
  readonly startTicks: string;
}

/** This process. */
function thisOwner(): ClusterOwner {
  return { namespace: ownNamespace(), pid: process.pid, startTicks: startTicks(process.pid) ?? '0' };
}

/** Name of the cgroup of a process's cluster, the first, second, … of that process; pure. */
export function cgroupName({ namespace, pid, startTicks }: ClusterOwner, number: number): string {
  return `turnsole-${namespace}-${pid}-${startTicks}-${number}`;
}

let clusters = 0;

/** A name that no cluster has had. Two clusters of a process must not share a cgroup: the end of one would kill the other's pods. */
export function nextCgroupName(): string {
  clusters += 1;
  return cgroupName(thisOwner(), clusters);
}

/** The owner that a name stands for, undefined for names of others; earlier versions gave no number. Pure. */
export function parseOwner(name: string): ClusterOwner | undefined {
  const found = /^turnsole-(\d+)-(\d+)-(\d+)(?:-\d+)?$/.exec(name);
  const [, namespace, pid, startTicks] = found ?? [];
  if (namespace === undefined || pid === undefined || startTicks === undefined) return undefined;
  return { namespace, pid: Number(pid), startTicks };
}

/** Removes the cgroups of clusters whose process is dead, and kills the processes in them. Never rejects. */
export async function removeDeadCgroups(layout: CgroupLayout): Promise<void> {
  const parents = layout.version === 1 ? [...layout.roots.values()] : [layout.root, layout.mount];
  const own = ownNamespace();
  const dead = [...new Set(parents)].flatMap((parent) =>
    namesIn(parent)
      .filter((name) => {
        const owner = parseOwner(name);
        return owner !== undefined && owner.namespace === own && startTicks(owner.pid) !== owner.startTicks;
      })
      .map((name) => join(parent, name)),
  );
  await Promise.all(dead.map(removeTree));
}

function ownNamespace(): string {
  try {
    return /\d+/.exec(readlinkSync('/proc/self/ns/pid'))?.[0] ?? '0';
  } catch {
    return '0';
  }
}

/** When a process was started, in ticks since the machine's start; undefined when it does not exist. */
function startTicks(pid: number): string | undefined {
  const text = readOrEmpty(`/proc/${pid}/stat`);
  return text.slice(text.lastIndexOf(')') + 2).split(' ')[19];
}
