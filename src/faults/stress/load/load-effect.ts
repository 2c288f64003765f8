import type { InjectionEffect } from '../../../api/index.ts';
import { mebibytes } from './limits.ts';
import type { ResolvedLoad } from './load.ts';

/** What a load has got, over all of its starts. */
export interface LoadTally {
  readonly cpuSeconds: number;
  /** Most memory held at a time. */
  readonly mostHeldBytes: number;
  readonly writtenBytes: number;
  /** How long it was in force, in seconds. */
  readonly seconds: number;
  /** How often the kernel has killed a process for want of memory since it began. */
  readonly kills: number;
  /** Memory limit of the container; undefined without one. */
  readonly limitBytes?: number | undefined;
  /** CPU limit of the container, in processors; undefined without one. */
  readonly cpuLimit?: number | undefined;
}

/** A load that gets less than this share of what was asked for is none. */
const LEAST_SHARE = 0.01;

/** One kind of load in a {@link ResolvedLoad}: what it got, as a share of what it could get and in words. */
interface Part {
  readonly share: number;
  readonly words: string;
}

/**
 * The effect of a load: what it got, compared with what was asked for. Of several kinds at once the first of writing, memory and CPU time
 * is what the fault is about, and decides. A container at its limit of CPU time has all that there is to get. Pure.
 *
 * @param cpus of the node, for a load of all of them
 */
export function loadEffect(asked: ResolvedLoad, tally: LoadTally, cpus: number): InjectionEffect {
  const parts = [
    ...(asked.io === undefined ? [] : [writing(asked.io.bytes, tally)]),
    ...(asked.memory === undefined ? [] : [holding(asked.memory.mebibytes * 1024 ** 2, tally)]),
    ...(asked.cpu === undefined
      ? []
      : [computing(((asked.cpu.workers || cpus) * asked.cpu.percent) / 100, tally)]),
  ];
  const share = parts[0]?.share ?? 0;
  const seen = isEnough(share);
  const words = parts.map((part) => part.words).join('; ');
  return seen
    ? { seen, message: `the load has ${words}`, share }
    : {
        seen,
        message: `the load has ${words}, which is next to nothing; look at its settings and the limits of the container`,
        share,
      };
}

function writing(bytes: number, { writtenBytes }: LoadTally): Part {
  return {
    share: shareOf(writtenBytes, bytes),
    words: `written ${mebibytes(writtenBytes)} MiB, in rounds of ${mebibytes(bytes)} MiB`,
  };
}

/** Memory that is held. Pure. */
export function holding(bytes: number, { mostHeldBytes, kills, limitBytes }: LoadTally): Part {
  const words = `held ${mebibytes(mostHeldBytes)} of ${mebibytes(bytes)} MiB asked for`;
  if (kills === 0) return { share: shareOf(mostHeldBytes, bytes), words };
  const times = kills === 1 ? 'once' : `${kills} times`;
  const where = limitBytes === undefined ? '' : ` at the container's limit of ${mebibytes(limitBytes)} MiB`;
  // To be out of memory is the effect that was asked for.
  return { share: 1, words: `been killed by the kernel ${times}${where}; ${words}` };
}

/** @param cores asked for */
function computing(cores: number, { cpuSeconds, seconds, cpuLimit }: LoadTally): Part {
  const asked = cores * seconds;
  const limit = cpuLimit === undefined || cpuLimit >= cores ? undefined : cpuLimit;
  const percent = asked > 0 ? ` (${Math.round((cpuSeconds / asked) * 100)} %)` : '';
  const limited = limit === undefined ? '' : `, at the container's limit of ${limit} CPUs`;
  return {
    share: shareOf(cpuSeconds, (limit ?? cores) * seconds),
    words: `got ${cpuSeconds.toFixed(2)} of ${asked.toFixed(2)} s of CPU time asked for${percent}${limited}`,
  };
}

/** What was got of what was asked for, 1 at most; anything at all is all where no amount was asked for. Pure. */
export function shareOf(got: number, asked: number): number {
  if (got <= 0) return 0;
  return asked > 0 ? Math.min(1, Math.round((got / asked) * 1000) / 1000) : 1;
}

/** Whether a share of what was asked for is more than next to nothing. Pure. */
export function isEnough(share: number): boolean {
  return share >= LEAST_SHARE;
}
