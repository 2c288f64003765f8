import type { ReactElement } from 'react';
import { nextTimesOfAll } from '../../models/studio/next-times.ts';
import { inWords } from '../../models/words/duration.ts';
import { minuteWords } from '../../models/words/time.ts';
import { useMinute } from '../../parts/time/future-time.tsx';
import './next-times.css';

/** Number of shown times. */
export const SHOWN_TIMES = 5;

/** The next times of one or more schedules, in their time zone and the reader's. */
export function NextTimes({
  crons,
  timezone,
}: {
  readonly crons: readonly string[];
  readonly timezone: string;
}): ReactElement {
  const nowMs = useMinute();
  return (
    <Times times={nextTimesOfAll(crons, timezone, nowMs, SHOWN_TIMES)} timezone={timezone} nowMs={nowMs} />
  );
}

/** Future times, in a time zone and the reader's. */
export function Times({
  times,
  timezone,
  nowMs,
}: {
  /** Unix milliseconds. */
  readonly times: readonly number[];
  /** Empty for UTC. */
  readonly timezone: string;
  readonly nowMs: number;
}): ReactElement {
  const own = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const zone = timezone === '' ? 'UTC' : timezone;
  return (
    <section aria-label="Next times">
      <h3>Next times</h3>
      {times.length === 0 ? (
        <p className="hint">It never comes.</p>
      ) : (
        <ol className="next-times">
          {times.map((time) => (
            <li key={time}>
              <time dateTime={new Date(time).toISOString()}>{minuteWords(time, zone)}</time>
              <span className="quiet">
                {zone === own ? '' : `${minuteWords(time, own)} here · `}
                {inWords(time, nowMs)}
              </span>
            </li>
          ))}
        </ol>
      )}
    </section>
  );
}
