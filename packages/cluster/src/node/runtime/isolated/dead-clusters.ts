import { join } from 'node:path';
import { namesIn } from '../../files.ts';
import { type ClusterOwner, hasOwnerEnded, thisOwner } from '../cluster-owner.ts';
import type { CgroupLayout } from './cgroup-layout.ts';
import { removeTree } from './cgroups.ts';

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
  const dead = [...new Set(parents)].flatMap((parent) =>
    namesIn(parent)
      .filter((name) => {
        const owner = parseOwner(name);
        return owner !== undefined && hasOwnerEnded(owner);
      })
      .map((name) => join(parent, name)),
  );
  await Promise.all(dead.map(removeTree));
}
