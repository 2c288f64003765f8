import { type ReactElement, useSyncExternalStore } from 'react';
import { agoWords } from '../../models/words/duration.ts';
import { exactWords } from '../../models/words/time.ts';
import { sharedClock } from './shared-clock.ts';

/** For texts such as "2 min ago". */
const tenSeconds = sharedClock(10_000);

/** A relative time, `2 min ago`; exact, in the reader's zone, on hover. */
export function PastTime({ ms }: { readonly ms: number }): ReactElement {
  const nowMs = useSyncExternalStore(tenSeconds.listen, tenSeconds.now);
  if (!Number.isFinite(ms) || ms <= 0) return <>–</>;
  return (
    <time dateTime={new Date(ms).toISOString()} title={exactWords(ms)}>
      {agoWords(ms, Math.max(ms, nowMs))}
    </time>
  );
}
