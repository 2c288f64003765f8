import type { InjectionEffect } from '../../../api/index.ts';
import { childrenOf, readOrEmpty } from '../../../process/machine.ts';

/** Clock ticks of a second in /proc; the kernel's interface has 100 on every machine that Linux runs on as a server. */
const TICKS_PER_SECOND = 100;

/** CPU time that a process and its descendants have used so far, with the children that they have waited for. */
export function treeCpuSeconds(pid: number): number {
  const stat = readOrEmpty(`/proc/${pid}/stat`);
  // Fields 14 to 17 of proc(5), of which the second is a name that may have anything in it.
  const ticks = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 15)
    .reduce((sum, field) => sum + Number(field), 0);
  return ticks / TICKS_PER_SECOND + childrenOf(pid).reduce((sum, child) => sum + treeCpuSeconds(child), 0);
}

/** The effect by the CPU time of a load in force: taking memory or writing needs CPU time. Pure. */
export function loadEffect(cpuSeconds: number): InjectionEffect {
  return cpuSeconds > 0
    ? { seen: true, message: `the load is in force, and has used ${cpuSeconds.toFixed(2)} s of CPU time` }
    : {
        seen: false,
        message: 'the load has used no CPU time; look at its settings, and at the CPU limit of the container',
      };
}
