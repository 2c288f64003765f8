import type { InjectionEffect } from '../../../api/index.ts';
import { holding, isEnough, type LoadTally, shareOf } from '../load/load-effect.ts';

/** Clock ticks of a second in /proc; the kernel's interface has 100 on every machine that Linux runs on as a server. */
const TICKS_PER_SECOND = 100;

/** Findings about the commands of an injection. */
export interface CommandUsage {
  /** How many of their processes are alive, the ticks of CPU time that they have used, and the KiB that they hold: `2 341 1024`. */
  readonly alive: string;
  /** CPU time of those that have ended. */
  readonly endedSeconds: number;
  /** How the last of them ended. */
  readonly lastEnd: string | undefined;
  /** How many of them were killed. */
  readonly killed: number;
}

/** What commands are to use; of a fault that says neither, any CPU time is an effect. */
interface CommandsAsked {
  /** 0: not said. */
  readonly cpuSeconds: number;
  /** What the container's limit lets them have; undefined without one. */
  readonly limitSeconds?: number | undefined;
  readonly mebibytes: number | undefined;
}

/** What commands use, compared with what was asked for; undefined where it could not be read. Pure. */
export function commandEffect(
  { alive, endedSeconds, lastEnd, killed }: CommandUsage,
  { cpuSeconds, limitSeconds = cpuSeconds, mebibytes }: CommandsAsked,
): InjectionEffect | undefined {
  const [, count, ticks, kibibytes] = /^(\d+) (\d+) (\d+)$/.exec(alive.trim()) ?? [];
  if (count === undefined) return undefined;
  const usedSeconds = endedSeconds + Number(ticks) / TICKS_PER_SECOND;
  const tally: LoadTally = {
    ...{ cpuSeconds: usedSeconds, mostHeldBytes: Number(kibibytes) * 1024, writtenBytes: 0 },
    ...{ seconds: 0, kills: killed },
  };
  const asked = cpuSeconds > 0 ? ` of ${cpuSeconds.toFixed(2)}` : '';
  const { share, words } =
    mebibytes === undefined
      ? {
          share: shareOf(usedSeconds, Math.min(cpuSeconds, limitSeconds)),
          words: `used ${usedSeconds.toFixed(2)}${asked} s of CPU time${asked === '' ? '' : ' asked for'}`,
        }
      : holding(mebibytes * 1024 ** 2, tally);
  const seen = isEnough(share);
  const last = lastEnd === undefined || seen ? '' : `, the last ended with ${lastEnd}`;
  const processes = `${count} ${count === '1' ? 'process is' : 'processes are'} alive${last}`;
  return seen
    ? { seen, message: `the commands have ${words} (${processes})`, share }
    : {
        seen,
        message: `the commands have ${words} (${processes}); look at what is run, and at the limits of the container`,
        share,
      };
}
