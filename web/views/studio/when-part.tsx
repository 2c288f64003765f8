import { type ReactElement, useEffect, useMemo, useState } from 'react';
import { nextTimes } from '../../models/studio/next-times.ts';
import { inWords } from '../../models/words/duration.ts';
import { SelectInput, TextInput } from './field.tsx';
import { type PartProps, problemAt } from './part-props.ts';

const PRESETS: readonly (readonly [cron: string, words: string])[] = [
  ['', 'only when it is asked for'],
  ['0 * * * *', 'every hour'],
  ['0 3 * * *', 'every day at 3:00'],
  ['0 10 * * 1-5', 'Monday to Friday at 10:00'],
  ['0 10 * * 1', 'every Monday at 10:00'],
];
const OTHER = 'other';
const SHOWN_TIMES = 5;

/** When an experiment runs: on demand, or by a schedule whose next times are shown. */
export function WhenPart({ draft, problems, onChange }: PartProps): ReactElement {
  const { cron, timezone } = draft;
  const isPreset = PRESETS.some(([one]) => one === cron);
  return (
    <>
      <div className="form">
        <SelectInput
          label="It runs"
          value={isPreset ? cron : OTHER}
          choices={[...PRESETS, [OTHER, 'by another schedule']]}
          onChange={(value) =>
            onChange((before) => ({ ...before, cron: value === OTHER ? '30 4 * * *' : value }))
          }
        />
        {cron === '' ? null : (
          <>
            <TextInput
              label="Schedule"
              unit="as cron"
              value={cron}
              problem={problemAt(problems, 'cron')}
              help="Minute, hour, day of the month, month, day of the week; or @daily, @every 6h."
              onChange={(value) => onChange((before) => ({ ...before, cron: value.trimStart() || ' ' }))}
            />
            <TextInput
              label="Time zone"
              value={timezone}
              placeholder="UTC"
              choices={ZONES}
              problem={problemAt(problems, 'timezone')}
              help="Whose clocks the schedule goes by; empty for those of the cluster, mostly UTC."
              onChange={(value) => onChange((before) => ({ ...before, timezone: value }))}
            />
          </>
        )}
      </div>
      {cron === '' ? null : <NextTimes cron={cron} timezone={timezone} />}
    </>
  );
}

const ZONES: readonly string[] = ['UTC', ...Intl.supportedValuesOf('timeZone')];

/** The next times of a schedule, by its clocks and by those of the reader. */
function NextTimes({ cron, timezone }: { readonly cron: string; readonly timezone: string }): ReactElement {
  const nowMs = useMinute();
  const times = useMemo(() => nextTimes(cron, timezone, nowMs, SHOWN_TIMES), [cron, timezone, nowMs]);
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
              <time dateTime={new Date(time).toISOString()}>{timeIn(time, zone)}</time>
              <span className="quiet">
                {zone === own ? '' : `${timeIn(time, own)} here · `}
                {inWords(time, nowMs)}
              </span>
            </li>
          ))}
        </ol>
      )}
    </section>
  );
}

function timeIn(timeMs: number, timeZone: string): string {
  const format = new Intl.DateTimeFormat(undefined, {
    timeZone,
    weekday: 'short',
    year: 'numeric',
    month: 'short',
    day: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    timeZoneName: 'short',
  });
  return format.format(timeMs);
}

/** Now, again with each minute. */
function useMinute(): number {
  const [nowMs, setNowMs] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNowMs(Date.now()), 60_000);
    return () => clearInterval(timer);
  }, []);
  return nowMs;
}
