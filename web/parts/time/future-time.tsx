import { type ReactElement, useEffect, useState } from 'react';
import { inWords } from '../../models/words/duration.ts';
import { exactWords, hourWords } from '../../models/words/time.ts';

/** The current time, updated every minute. */
export function useMinute(): number {
  const [nowMs, setNowMs] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNowMs(Date.now()), 60_000);
    return () => clearInterval(timer);
  }, []);
  return nowMs;
}

/** A future time in the reader's zone: `Wed 25 Nov, 10:30, in 3 h`; exact on hover. */
export function FutureTime({ ms, nowMs }: { readonly ms: number; readonly nowMs: number }): ReactElement {
  return (
    <>
      <time dateTime={new Date(ms).toISOString()} title={exactWords(ms)}>
        {hourWords(ms)}
      </time>{' '}
      <span className="quiet">{inWords(ms, nowMs)}</span>
    </>
  );
}
