import type { ObservedTarget } from '../../../experiment/injection/fault.ts';
import type { Load } from './load.ts';

/** Limits of a container; undefined without one. */
export interface ContainerLimits {
  readonly cpus: number | undefined;
  readonly memoryBytes: number | undefined;
}

const MEBIBYTE = 1024 ** 2;

/** The limits of a target as `observeContainer` has seen them. */
export function limitsOf({ observed }: ObservedTarget): ContainerLimits {
  // Read by `observeContainer`, which gives these.
  return (observed?.limits ?? {}) as ContainerLimits;
}

/** Why a container allows only a part of a load; undefined where it allows all of it, or has no limit. Pure. */
export function beyondLimits(
  { cpu, memory }: Pick<Load, 'cpu' | 'memory'>,
  limits: ContainerLimits,
): string | undefined {
  const reasons: string[] = [];
  const { cpus, memoryBytes } = limits;
  if (memory !== undefined && memoryBytes !== undefined && memory.mebibytes * MEBIBYTE > memoryBytes) {
    reasons.push(
      `${memory.mebibytes} MiB of memory are asked for, and the container has a limit of ${mebibytes(memoryBytes)} MiB: ` +
        'the kernel kills the load there again and again',
    );
  }
  // All CPUs of a node are at least one.
  const asked = cpu === undefined ? 0 : ((cpu.workers || 1) * cpu.percent) / 100;
  if (cpu !== undefined && cpus !== undefined && asked > cpus) {
    const what = cpu.workers === 0 ? 'all CPUs of the node' : `${asked} CPUs`;
    reasons.push(
      `${what} are asked for, and the container has a limit of ${cpus}: it gets no more than that`,
    );
  }
  return reasons.length === 0 ? undefined : reasons.join('; ');
}

/** Bytes in MiB, with one digit below ten. */
export function mebibytes(bytes: number): string {
  const amount = bytes / MEBIBYTE;
  return amount >= 10 ? String(Math.round(amount)) : String(Math.round(amount * 10) / 10);
}
