import type { PodUsage } from '../../apiserver/metrics/usage.ts';
import type { ContainerUsage } from '../runtime/types.ts';

/** The usage of one container at the time of the sample. */
export interface ContainerSample {
  readonly podUid: string;
  readonly name: string;
  readonly atMs: number;
  readonly usage: ContainerUsage;
}

/** Containers by their ids, all looked at in one go. */
export type Sample = ReadonlyMap<string, ContainerSample>;

/**
 * What pods used between two samples, by their uids; pure. CPU is the difference of the counters over the time between, memory
 * that of the later sample. A pod is included when each of its containers is in both samples, so that no sum leaves out a container
 * that has only just started.
 */
export function decideUsage(before: Sample, after: Sample): ReadonlyMap<string, PodUsage> {
  const found = new Map<string, PodUsage | undefined>();
  for (const [id, { podUid, name, atMs, usage }] of after) {
    const earlier = before.get(id);
    const windowMs = atMs - (earlier?.atMs ?? atMs);
    const known = found.get(podUid);
    const isIncomplete = found.has(podUid) && known === undefined;
    if (earlier === undefined || windowMs <= 0 || isIncomplete) {
      found.set(podUid, undefined);
      continue;
    }
    const used = Math.max(0, usage.cpuNanos - earlier.usage.cpuNanos);
    const rate = { name, cpuNanoCores: (used / windowMs) * 1000, memoryBytes: usage.memoryBytes };
    found.set(podUid, {
      atMs: Math.max(atMs, known?.atMs ?? 0),
      windowMs: Math.max(windowMs, known?.windowMs ?? 0),
      containers: [...(known?.containers ?? []), rate],
    });
  }
  return new Map([...found].flatMap(([uid, usage]) => (usage === undefined ? [] : [[uid, usage] as const])));
}
