import { type ReactElement, useSyncExternalStore } from 'react';
import { agoWords } from '../../models/words/duration.ts';
import { exactWords } from '../../models/words/time.ts';

/** How often texts such as "2 min ago" are updated, in milliseconds. */
const BEAT_MS = 10_000;

/** A relative time, `2 min ago`; exact, in the reader's zone, on hover. */
export function When({ ms }: { readonly ms: number }): ReactElement {
  const nowMs = useSyncExternalStore(listen, () => now);
  if (!Number.isFinite(ms) || ms <= 0) return <>–</>;
  return (
    <time dateTime={new Date(ms).toISOString()} title={exactWords(ms)}>
      {agoWords(ms, Math.max(ms, nowMs))}
    </time>
  );
}

/** One clock for all times of the page, which runs while one of them is shown. */
let now = Date.now();
let beat: ReturnType<typeof setInterval> | undefined;
const listeners = new Set<() => void>();

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

function look(): void {
  now = Date.now();
  for (const listener of listeners) listener();
}
