import type { ReactElement } from 'react';
import { SelectInput, TextInput } from './field.tsx';
import { NextTimes } from './next-times.tsx';
import { type PartProps, problemAt } from './part-props.ts';

const PRESETS: readonly (readonly [cron: string, words: string])[] = [
  ['', 'only when it is asked for'],
  ['0 * * * *', 'every hour'],
  ['0 3 * * *', 'every day at 3:00'],
  ['0 10 * * 1-5', 'Monday to Friday at 10:00'],
  ['0 10 * * 1', 'every Monday at 10:00'],
];
const OTHER = 'other';

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
              help="Time zone of the schedule; empty for that of the cluster, mostly UTC."
              onChange={(value) => onChange((before) => ({ ...before, timezone: value }))}
            />
          </>
        )}
      </div>
      {cron === '' ? null : <NextTimes crons={[cron]} timezone={timezone} />}
    </>
  );
}

const ZONES: readonly string[] = ['UTC', ...Intl.supportedValuesOf('timeZone')];
