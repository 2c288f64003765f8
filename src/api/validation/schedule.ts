import type { ChaosSchedule } from '../schema/schedule.ts';
import { validateEngineSpec } from './engine.ts';
import { type FieldError, forbidden, invalid, notSupported, required } from './field-error.ts';
import { validateObjectMeta } from './object-meta.ts';
import { validateServiceAccountName } from './pod-parts.ts';

const WORK_DAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];

/** All problems of a schedule that its structure cannot show. The value has passed the structural check. */
export function validateSchedule(schedule: ChaosSchedule): FieldError[] {
  const { spec } = schedule;
  const errors = [
    ...validateObjectMeta(schedule.metadata),
    ...timesErrors(spec.schedule),
    ...validateServiceAccountName(spec.chaosServiceAccount, ['spec', 'chaosServiceAccount']),
  ];
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

function repeatErrors({ timeRange, properties, workDays, workHours }: Repeat): FieldError[] {
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
  for (const day of split(workDays?.includedDays)) {
    if (!WORK_DAYS.includes(day))
      errors.push(notSupported([...path, 'workDays', 'includedDays'], day, WORK_DAYS));
  }
  for (const range of split(workHours?.includedHours)) {
    const [from, to] = (/^(\d{1,2})-(\d{1,2})$/.exec(range) ?? []).slice(1).map(Number);
    if (from === undefined || to === undefined || from > 24 || to > 24 || from >= to) {
      errors.push(
        invalid(
          [...path, 'workHours', 'includedHours'],
          range,
          'must be two hours from 0 to 24, such as 9-17',
        ),
      );
    }
  }
  return errors;
}

function split(text: string | undefined): string[] {
  return (text ?? '')
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
}
