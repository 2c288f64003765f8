import type { InjectionEffect } from '../../../api/index.ts';

/** Clock ticks of a second in /proc; the kernel's interface has 100 on every machine that Linux runs on as a server. */
const TICKS_PER_SECOND = 100;

/** Findings about the commands of an injection. */
export interface CommandUsage {
  /** How many of their processes are alive and the ticks of CPU time that they have used: `2 341`. */
  readonly alive: string;
  /** CPU time of those that have ended. */
  readonly endedSeconds: number;
  /** How the last of them ended. */
  readonly lastEnd: string | undefined;
}

/** What the CPU time of commands says of their effect; undefined where it could not be read. Pure. */
export function commandEffect({ alive, endedSeconds, lastEnd }: CommandUsage): InjectionEffect | undefined {
  const [, count, ticks] = /^(\d+) (\d+)$/.exec(alive.trim()) ?? [];
  if (count === undefined) return undefined;
  const seconds = endedSeconds + Number(ticks) / TICKS_PER_SECOND;
  const processes = `${count} ${count === '1' ? 'process is' : 'processes are'} alive`;
  if (seconds > 0) return { seen: true, message: `${seconds.toFixed(2)} s of CPU time used, ${processes}` };
  const last = lastEnd === undefined ? '' : `, the last ended with ${lastEnd}`;
  return {
    seen: false,
    message: `the commands have used no CPU time (${processes}${last}); look at what is run, and at the CPU limit of the container`,
  };
}
