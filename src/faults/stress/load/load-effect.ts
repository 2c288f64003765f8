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
}

/** A load that gets less than this share of what was asked for is none. */
const LEAST_SHARE = 0.01;

/** One kind of load in a {@link ResolvedLoad}: what it got, in words, and whether that is an effect. */
interface Part {
  readonly seen: boolean;
  readonly words: string;
}

/**
 * The effect of a load: what it got, compared with what was asked for. Of several kinds at once the first of writing, memory and CPU time
 * is what the fault is about, and decides. Pure.
 *
 * @param cpus of the node, for a load of all of them
 */
export function loadEffect(asked: ResolvedLoad, tally: LoadTally, cpus: number): InjectionEffect {
  const parts = [
    ...(asked.io === undefined ? [] : [writing(asked.io.bytes, tally)]),
    ...(asked.memory === undefined ? [] : [holding(asked.memory.mebibytes * 1024 ** 2, tally)]),
    ...(asked.cpu === undefined
      ? []
      : [computing(((asked.cpu.workers || cpus) * asked.cpu.percent * tally.seconds) / 100, tally)]),
  ];
  const seen = parts[0]?.seen === true;
  const words = parts.map((part) => part.words).join('; ');
  return seen
    ? { seen, message: `the load has ${words}` }
    : {
        seen,
        message: `the load has ${words}, which is next to nothing; look at its settings and the limits of the container`,
      };
}

function writing(bytes: number, { writtenBytes }: LoadTally): Part {
  return {
    seen: isEnough(writtenBytes, bytes),
    words: `written ${mebibytes(writtenBytes)} MiB, in rounds of ${mebibytes(bytes)} MiB`,
  };
}

/** Memory that is held. Pure. */
export function holding(bytes: number, { mostHeldBytes, kills, limitBytes }: LoadTally): Part {
  const words = `held ${mebibytes(mostHeldBytes)} of ${mebibytes(bytes)} MiB asked for`;
  if (kills === 0) return { seen: isEnough(mostHeldBytes, bytes), words };
  const times = kills === 1 ? 'once' : `${kills} times`;
  const where = limitBytes === undefined ? '' : ` at the container's limit of ${mebibytes(limitBytes)} MiB`;
  // To be out of memory is the effect that was asked for.
  return { seen: true, words: `been killed by the kernel ${times}${where}; ${words}` };
}

function computing(seconds: number, { cpuSeconds }: LoadTally): Part {
  const share = seconds > 0 ? ` (${Math.round((cpuSeconds / seconds) * 100)} %)` : '';
  return {
    seen: isEnough(cpuSeconds, seconds),
    words: `got ${cpuSeconds.toFixed(2)} of ${seconds.toFixed(2)} s of CPU time asked for${share}`,
  };
}

/** Whether what was got is more than next to nothing of what was asked for. Pure. */
export function isEnough(got: number, asked: number): boolean {
  return got > 0 && got >= asked * LEAST_SHARE;
}
