import { type FieldError, forbidden, invalid, required } from '@turnsole/kube/schema/field-error';
import { validateObjectMeta } from '@turnsole/kube/schema/object-meta';
import type { PathSegment } from '@turnsole/kube/schema/path';
import { parseSchedule, ScheduleError } from '@turnsole/kube/text/cron/schedule';
import { isTimeZone } from '@turnsole/kube/text/cron/time-zone';
import type { ChaosSchedule } from '../schema/schedule.ts';
import { validateEngineSpec } from './engine.ts';
import { validateServiceAccountName } from './pod-parts.ts';

/** A repeated engine is called `<schedule>-<seconds since 1970>`, and that is a label value of at most 63 characters. */
const MAX_REPEATED_NAME = 52;

/** All problems of a schedule that its structure cannot show. The value has passed the structural check. */
export function validateSchedule(schedule: ChaosSchedule): FieldError[] {
  const { spec } = schedule;
  const errors = [
    ...validateObjectMeta(schedule.metadata),
    ...timesErrors(spec.schedule),
    ...validateServiceAccountName(spec.chaosServiceAccount, ['spec', 'chaosServiceAccount']),
  ];
  const { name } = schedule.metadata;
  if (spec.schedule?.repeat !== undefined && name.length > MAX_REPEATED_NAME) {
    const problem = `must be no more than ${MAX_REPEATED_NAME} characters, because the time of the run is appended to it`;
    errors.push(invalid(['metadata', 'name'], name, problem));
  }
  if (spec.engineTemplateSpec === undefined) errors.push(required(['spec', 'engineTemplateSpec']));
  else errors.push(...validateEngineSpec(spec.engineTemplateSpec, ['spec', 'engineTemplateSpec']));
  return errors;
}

function timesErrors(times: ChaosSchedule['spec']['schedule']): FieldError[] {
  const path = ['spec', 'schedule'];
  const { now, once, repeat } = times ?? {};
  const given = Object.entries({ now: now === true, once: once !== undefined, repeat: repeat !== undefined })
    .filter(([, isGiven]) => isGiven)
    .map(([name]) => name);
  const errors: FieldError[] = [];
  if (given.length === 0) errors.push(required(path, 'give now: true, once or repeat'));
  const [first, ...others] = given;
  errors.push(
    ...others.map((name) => forbidden([...path, name], `give only one of now, once, repeat; found ${first}`)),
  );
  return repeat === undefined ? errors : [...errors, ...repeatErrors(repeat)];
}

type Repeat = NonNullable<NonNullable<ChaosSchedule['spec']['schedule']>['repeat']>;

function repeatErrors({ timeRange, properties, timeZone, workDays, workHours }: Repeat): FieldError[] {
  const path = ['spec', 'schedule', 'repeat'];
  const errors: FieldError[] = [];
  const { startTime, endTime } = timeRange ?? {};
  if (startTime && endTime && Date.parse(startTime) >= Date.parse(endTime)) {
    errors.push(
      invalid([...path, 'timeRange', 'endTime'], endTime, `must be later than startTime (${startTime})`),
    );
  }
  const { hour, minute } = properties?.minChaosInterval ?? {};
  const interval = [...path, 'properties', 'minChaosInterval'];
  if (hour === undefined && minute === undefined) {
    errors.push(required(interval, 'give hour or minute, the least time between two runs'));
  } else if (hour !== undefined && minute !== undefined) {
    errors.push(forbidden([...interval, 'minute'], 'give hour or minute, not both'));
  } else if ((hour?.everyNthHour ?? 0) < 1 && (minute?.everyNthMinute ?? 0) < 1) {
    const field = hour === undefined ? ['minute', 'everyNthMinute'] : ['hour', 'everyNthHour'];
    errors.push(required([...interval, ...field], 'a whole number above 0'));
  }
  if (timeZone !== undefined && timeZone !== '' && !isTimeZone(timeZone)) {
    errors.push(
      invalid([...path, 'timeZone'], timeZone, 'must be a zone of the IANA database, such as Europe/Berlin'),
    );
  }
  return [
    ...errors,
    ...cronErrors([...path, 'workDays', 'includedDays'], workDays?.includedDays, (days) => `* * * * ${days}`),
    ...cronErrors(
      [...path, 'workHours', 'includedHours'],
      workHours?.includedHours,
      (hours) => `* ${hours} * * *`,
    ),
  ];
}

/** Days and hours are fields of a cron schedule: upstream puts them into one as they are. */
function cronErrors(
  path: readonly PathSegment[],
  text: string | undefined,
  cron: (field: string) => string,
): FieldError[] {
  if (text === undefined || text === '') return [];
  try {
    parseSchedule(cron(text.replaceAll(' ', '')));
    return [];
  } catch (error) {
    if (error instanceof ScheduleError) return [invalid(path, text, error.message)];
    throw error;
  }
}
