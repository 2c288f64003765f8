import type { Container, Pod } from '@turnsole/kube/kinds/core';
import { parseQuantity, quantityToNumber } from '@turnsole/kube/text/quantity';
import { qosClass } from '../../../apiserver/kinds/qos-class.ts';
import type { CgroupController } from './cgroup-layout.ts';

/** A file of a cgroup and the value to write into it. */
interface CgroupSetting {
  readonly controller: CgroupController;
  readonly file: string;
  readonly value: string;
}

/** Limits in plain numbers; undefined means no limit. */
export interface CgroupLimits {
  readonly memoryBytes?: number;
  readonly cpuMillis?: number;
  readonly cpuRequestMillis?: number;
}

const PERIOD_US = 100_000;
/** The kernel takes no quota below a millisecond. */
const MIN_QUOTA_US = 1_000;
const MIN_SHARES = 2;
const MAX_SHARES = 262_144;

/** Path of a container's cgroup below the cluster's, in the form that kubelet's cgroupfs driver gives it; pure. */
export function containerCgroup(pod: Pod, containerId: string): string {
  return `${podCgroup(pod)}/${containerId}`;
}

/** Path of a pod's cgroup below the cluster's; pure. */
export function podCgroup(pod: Pod): string {
  const { status, spec, metadata } = pod;
  const qos = (status?.qosClass ?? qosClass({ ...spec })).toLowerCase();
  return `kubepods/${qos === 'guaranteed' ? '' : `${qos}/`}pod${metadata.uid ?? ''}`;
}

/** The limits and requests of a container; pure. A limit is also the request where none is given. */
export function containerLimits({ resources }: Pick<Container, 'resources'>): CgroupLimits {
  const number = (text: string | number | undefined): number | undefined =>
    text === undefined ? undefined : quantityToNumber(parseQuantity(String(text)));
  const memory = number(resources?.limits?.memory);
  const cpu = number(resources?.limits?.cpu);
  const request = number(resources?.requests?.cpu) ?? cpu;
  return {
    ...(memory === undefined || memory === 0 ? {} : { memoryBytes: Math.floor(memory) }),
    ...(cpu === undefined || cpu === 0 ? {} : { cpuMillis: Math.ceil(cpu * 1000) }),
    ...(request === undefined ? {} : { cpuRequestMillis: Math.ceil(request * 1000) }),
  };
}

/** The files to write for limits, in this order; pure. */
export function cgroupSettings(limits: CgroupLimits, version: 1 | 2): CgroupSetting[] {
  const { memoryBytes, cpuMillis, cpuRequestMillis = 0 } = limits;
  const shares = Math.min(Math.max(Math.floor((cpuRequestMillis * 1024) / 1000), MIN_SHARES), MAX_SHARES);
  const quotaUs =
    cpuMillis === undefined ? undefined : Math.max(Math.floor((cpuMillis * PERIOD_US) / 1000), MIN_QUOTA_US);
  const found: CgroupSetting[] = [];
  const set = (controller: CgroupController, file: string, value: number | string): void => {
    found.push({ controller, file, value: String(value) });
  };
  if (version === 1) {
    if (memoryBytes !== undefined) set('memory', 'memory.limit_in_bytes', memoryBytes);
    set('cpu', 'cpu.shares', shares);
    if (quotaUs !== undefined) {
      set('cpu', 'cpu.cfs_period_us', PERIOD_US);
      set('cpu', 'cpu.cfs_quota_us', quotaUs);
    }
    return found;
  }
  if (memoryBytes !== undefined) set('memory', 'memory.max', memoryBytes);
  set('cpu', 'cpu.weight', weightOf(shares));
  if (quotaUs !== undefined) set('cpu', 'cpu.max', `${quotaUs} ${PERIOD_US}`);
  return found;
}

/** Version 2's weight, 1 to 10,000, for shares of 2 to 262,144 (the conversion of the OCI runtimes); pure. */
export function weightOf(shares: number): number {
  return 1 + Math.floor(((shares - MIN_SHARES) * 9999) / (MAX_SHARES - MIN_SHARES));
}

/** Processes of a cgroup that were killed for want of memory, out of `memory.oom_control` or `memory.events`; pure. */
export function oomKills(text: string): number {
  return Number(/^oom_kill (\d+)$/m.exec(text)?.[1] ?? 0);
}
