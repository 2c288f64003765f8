import { type ControlPlane, serverContext } from '../access/context.ts';
import type { Duty } from '../access/noun.ts';
import type { DutyLock } from '../store/duty-lock.ts';

/** How often a replica without the duties tries to get them. */
const ASK_MS = 2_000;

/**
 * Runs the periodic work of the server in one replica, the holder of the lock. When it is gone, another one takes over within seconds.
 *
 * @returns resolves when the plane's signal has aborted and running work has ended
 */
export async function doDuties(plane: ControlPlane, lock: DutyLock, duties: readonly Duty[]): Promise<void> {
  while (!plane.signal.aborted) {
    const held = await lock.take(plane.signal).catch((error: unknown) => {
      plane.logger.warn({ err: error }, 'cannot ask for the duties; another replica may have them');
      return undefined;
    });
    if (held === undefined) {
      await plane.clock.sleep(ASK_MS, plane.signal).catch(() => {});
      continue;
    }
    const signal = AbortSignal.any([plane.signal, held.lost]);
    await Promise.all(duties.map((duty) => keepDoing(plane, duty, signal)));
    await held.release();
  }
}

async function keepDoing(plane: ControlPlane, duty: Duty, signal: AbortSignal): Promise<void> {
  const context = serverContext(plane, duty.name, signal);
  while (!signal.aborted) {
    try {
      await duty.run(context);
    } catch (error) {
      if (!signal.aborted)
        plane.logger.error({ err: error, duty: duty.name }, 'a duty failed; it is tried again');
    }
    await plane.clock.sleep(duty.everyMs, signal).catch(() => {});
  }
}
