/** Effects in a container: its processes, what they use, what is on its disk. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { KubeClient } from '@turnsole/kube/client/types';
import type { Pod } from '@turnsole/kube/kinds/core';
import { PODS } from '@turnsole/kube/kinds/resources';
import { waitForList } from '@turnsole/kube/runtime/wait';
import { ContainerMeter, cpuSeconds } from '../../test/faults/support/cgroup-meter.ts';
import { layerOf } from '../../test/faults/support/container-layer.ts';
import { isReady } from '../../test/faults/support/fault-cluster.ts';
import { LOOK_EVERY_MS, type Onlooker, onlook, pollOnlooker, type Sight } from './sightings.ts';

/** Two ticks of the kernel's clock: a load has begun. */
const BUSY_SECONDS = 0.02;
const LIMIT_MS = 60_000;

/** Processes that were not there before use the CPU; none of them is there any more. */
export async function cpuOnlooker(pod: Pod): Promise<Onlooker> {
  return pollOnlooker(cpuLook(await ContainerMeter.of(pod), () => true));
}

/** The same in the helper's own pod, beside the helper. Seen from when the node says that it runs. */
export function helperCpuOnlooker(client: KubeClient, namespace: string, fault: string): Onlooker {
  return onlook(async (sightings, signal) => {
    sightings.note(false);
    const isHelper = (pod: Pod): boolean => pod.metadata.name.startsWith(`${fault}-helper-`) && isReady(pod);
    const pods = await waitForList<Pod>(client, PODS, (all) => all.some(isHelper), {
      namespace,
      timeoutMs: LIMIT_MS,
      signal,
    });
    const helper = pods.find(isHelper);
    if (helper === undefined) throw new Error('there is no helper');
    const look = cpuLook(await ContainerMeter.of(helper, fault), isLoader);
    for (;;) {
      const isThere = look();
      if (isThere !== undefined) sightings.note(isThere);
      await delay(LOOK_EVERY_MS, undefined, { signal });
    }
  });
}

/** Usage before a process joined the cgroup does not count. */
function cpuLook(meter: ContainerMeter, isMeant: (pid: number) => boolean): () => Sight {
  const first = new Map<number, number>(meter.processes().map((pid) => [pid, Number.POSITIVE_INFINITY]));
  return () => {
    let used = 0;
    let count = 0;
    for (const pid of meter.processes()) {
      const since = first.get(pid);
      if (since === Number.POSITIVE_INFINITY || !isMeant(pid)) continue;
      const now = cpuSeconds([pid]);
      if (since === undefined) first.set(pid, now);
      used += Math.max(0, now - (since ?? now));
      count += 1;
    }
    return count === 0 ? false : used >= BUSY_SECONDS ? true : undefined;
  };
}

function isLoader(pid: number): boolean {
  try {
    return /stress-ng|loader/.test(readFileSync(`/proc/${pid}/cmdline`, 'utf8'));
  } catch {
    return false;
  }
}

/** Nine tenths of the memory are taken; all but 2 MiB are given back. */
export async function memoryOnlooker(pod: Pod, mebibytes: number): Promise<Onlooker> {
  const meter = await ContainerMeter.of(pod);
  const before = meter.memoryMebibytes();
  return pollOnlooker(() => {
    const more = meter.memoryMebibytes() - before;
    return more > 0.9 * mebibytes ? true : more < 2 ? false : undefined;
  });
}

/** The effect: a mebibyte has been written. It is over when no process is left that writes. */
export async function writingOnlooker(pod: Pod): Promise<Onlooker> {
  const meter = await ContainerMeter.of(pod);
  const before = meter.written();
  return pollOnlooker(() => {
    if (meter.processes().length <= 1) return false;
    return meter.written() - before > 1024 ** 2 ? true : undefined;
  });
}

/** The file of disk-fill takes up its space; it takes up none, or is gone. */
export async function fillOnlooker(pod: Pod, mebibytes: number): Promise<Onlooker> {
  const folder = await layerOf(pod);
  return pollOnlooker(() => {
    const bytes = readdirSync(folder)
      .filter((name) => name.startsWith('diskfill-'))
      .reduce((sum, name) => sum + blockBytes(join(folder, name)), 0);
    return bytes === 0 ? false : bytes > 0.98 * mebibytes * 1024 ** 2 ? true : undefined;
  });
}

/** In units of 512 bytes, whatever the file system's own blocks are (stat(2)). */
function blockBytes(path: string): number {
  return (statSync(path, { throwIfNoEntry: false })?.blocks ?? 0) * 512;
}
