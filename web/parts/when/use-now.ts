import { useSyncExternalStore } from 'react';

/** How often the time moves, in milliseconds. */
const BEAT_MS = 1000;

/** One clock for everything that ticks, which runs while something that ticks is shown. */
let nowMs = Date.now();
let beat: ReturnType<typeof setInterval> | undefined;
const listeners = new Set<() => void>();

function look(): void {
  nowMs = Date.now();
  for (const listener of listeners) listener();
}

function listen(listener: () => void): () => void {
  listeners.add(listener);
  if (beat === undefined) {
    look();
    beat = setInterval(look, BEAT_MS);
  }
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(beat);
    beat = undefined;
  };
}

const NEVER = (): (() => void) => () => undefined;

/** The present time by the reader's clock, each second anew while `isMoving`, then as it was. */
export function useNow(isMoving: boolean): number {
  return useSyncExternalStore(isMoving ? listen : NEVER, () => nowMs);
}
