/** The present time by the reader's clock, for everything on the page that shows it equally often. */
interface SharedClock {
  /** The time of the last beat, in milliseconds. */
  now(): number;
  /** Calls back at each beat; gives what ends that. The clock runs while anything listens. */
  listen(listener: () => void): () => void;
}

/** Makes a clock that looks at the time each `beatMs` milliseconds. */
export function sharedClock(beatMs: number): SharedClock {
  let nowMs = Date.now();
  let beat: ReturnType<typeof setInterval> | undefined;
  const listeners = new Set<() => void>();
  const look = (): void => {
    nowMs = Date.now();
    for (const listener of listeners) listener();
  };
  return {
    now: () => nowMs,
    listen: (listener) => {
      listeners.add(listener);
      if (beat === undefined) {
        look();
        beat = setInterval(look, beatMs);
      }
      return () => {
        listeners.delete(listener);
        if (listeners.size > 0) return;
        clearInterval(beat);
        beat = undefined;
      };
    },
  };
}
