import { constants } from 'node:os';

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

/**
 * Whether a process leaves a signal to the kernel that would end it; pure. The kernel spares the first process of a process
 * namespace then.
 *
 * @param status text of its /proc/PID/status
 */
export function leavesToKernel(status: string, signal: NodeJS.Signals): boolean {
  if (!ENDING.has(signal)) return false;
  const bit = 1n << BigInt(constants.signals[signal] - 1);
  const isIn = (field: string): boolean => {
    const mask = new RegExp(`^${field}:\\s*([0-9a-f]+)$`, 'm').exec(status)?.[1];
    return mask === undefined || (BigInt(`0x${mask}`) & bit) !== 0n;
  };
  // A process that blocks a signal waits for it in another way.
  return !isIn('SigCgt') && !isIn('SigIgn') && !isIn('SigBlk');
}
