import { cpus } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';

/** Over which the share is taken. */
const SAMPLE_MS = 1_000;

/** Waits until a share of this machine's CPU time was idle for a second; the share, in percent. @throws the signal's reason */
export async function untilIdle(percent: number, signal: AbortSignal): Promise<number> {
  for (let before = cpuTimes(); ; ) {
    await delay(SAMPLE_MS, undefined, { signal });
    const now = cpuTimes();
    const idle = (100 * (now.idle - before.idle)) / (now.all - before.all);
    if (idle >= percent) return idle;
    before = now;
  }
}

/** Milliseconds of all CPUs since boot. */
function cpuTimes(): { readonly idle: number; readonly all: number } {
  const times = cpus().map((one) => one.times);
  const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
  return {
    idle: sum(times.map(({ idle }) => idle)),
    all: sum(times.flatMap((one) => Object.values(one))),
  };
}
