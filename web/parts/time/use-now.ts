import { useSyncExternalStore } from 'react';
import { sharedClock } from './shared-clock.ts';

/** For everything that ticks. */
const seconds = sharedClock(1000);

const NEVER = (): (() => void) => () => undefined;

/** The present time by the reader's clock, each second anew while `isMoving`, then as it was. */
export function useNow(isMoving: boolean): number {
  return useSyncExternalStore(isMoving ? seconds.listen : NEVER, seconds.now);
}
