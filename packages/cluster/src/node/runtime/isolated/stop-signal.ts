import { constants } from 'node:os';
import type { StopSignal } from '../types.ts';

/** Signals that end a process which has not said otherwise, and that it can say otherwise of (signal(7)). */
const ENDING: ReadonlySet<NodeJS.Signals> = new Set([
  'SIGHUP',
  'SIGINT',
  'SIGQUIT',
  'SIGABRT',
  'SIGUSR1',
  'SIGUSR2',
  'SIGALRM',
  'SIGTERM',
]);

const ENDS: ReadonlySet<number> = new Set([...ENDING].map(signalNumber));
/** SIGRTMIN as programs see it: the two before it are the C library's. All real-time signals end a process. */
const FIRST_REAL_TIME = 34;
const LAST = 64;

export function signalNumber(signal: StopSignal): number {
  return typeof signal === 'number' ? signal : constants.signals[signal];
}

/**
 * Reads the `stopSignal` of an image: `SIGQUIT`, `QUIT`, `3`, `SIGRTMIN+3`; pure. What is none of these is SIGTERM, as with container
 * runtimes.
 */
export function parseStopSignal(text: string | undefined): StopSignal {
  const word = (text ?? '').trim().toUpperCase();
  const number = Number(word);
  if (word !== '' && Number.isInteger(number)) return number >= 1 && number <= LAST ? number : 'SIGTERM';
  const realTime = /^(?:SIG)?RTM(?:IN(?:\+(\d{1,2}))?|AX(?:-(\d{1,2}))?)$/.exec(word);
  if (realTime !== null) {
    const [, above, below] = realTime;
    const found = word.includes('MIN') ? FIRST_REAL_TIME + Number(above ?? 0) : LAST - Number(below ?? 0);
    return found >= FIRST_REAL_TIME && found <= LAST ? found : 'SIGTERM';
  }
  const name = `SIG${word.replace(/^SIG/, '')}`;
  return Object.hasOwn(constants.signals, name) ? (name as NodeJS.Signals) : 'SIGTERM';
}

/**
 * Whether a process leaves a signal to the kernel that would end it; pure. The kernel spares the first process of a process
 * namespace then.
 *
 * @param status text of its /proc/PID/status
 */
export function leavesToKernel(status: string, signal: StopSignal): boolean {
  const number = signalNumber(signal);
  if (!ENDS.has(number) && number < FIRST_REAL_TIME) return false;
  const bit = 1n << BigInt(number - 1);
  const isIn = (field: string): boolean => {
    const mask = new RegExp(`^${field}:\\s*([0-9a-f]+)$`, 'm').exec(status)?.[1];
    return mask === undefined || (BigInt(`0x${mask}`) & bit) !== 0n;
  };
  // A process that blocks a signal waits for it in another way.
  return !isIn('SigCgt') && !isIn('SigIgn') && !isIn('SigBlk');
}
