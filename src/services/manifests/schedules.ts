import type { ChaosSchedule } from '../../api/index.ts';
import { drawsOf } from '../../chaos/schedule/draw-time.ts';
import { occurrenceOf } from '../../chaos/schedule/occurrence.ts';
import { schedulePatternOf } from '../../chaos/schedule/schedule-pattern.ts';
import type { InputProblem } from '../errors.ts';
import { placeOf } from './apply.ts';
import type { Manifest } from './load.ts';

/** Times that a plan lists. */
const LISTED_TIMES = 3;

/** Manifests of schedules as the engines of their next occurrence, and those that have none. */
interface Occurrences {
  readonly engines: readonly Manifest[];
  readonly problems: readonly InputProblem[];
}

/** The engine that each schedule would create next, under the name that it would have. Pure. */
export function nextOccurrences(schedules: readonly Manifest[], nowMs: number): Occurrences {
  const engines: Manifest[] = [];
  const problems: InputProblem[] = [];
  for (const manifest of schedules) {
    const occurrence = nextOccurrence(manifest, nowMs);
    if ('message' in occurrence) problems.push(occurrence);
    else engines.push(occurrence);
  }
  return { engines, problems };
}

function nextOccurrence(manifest: Manifest, nowMs: number): Manifest | InputProblem {
  // Its structure has been checked when it was loaded.
  const schedule = manifest.object as ChaosSchedule;
  const { scheduleState = '', schedule: times } = schedule.spec;
  if (scheduleState !== '' && scheduleState !== 'active') {
    const message = `found ${JSON.stringify(scheduleState)}, with which nothing is run; set it to "active"`;
    return {
      ...placeOf(manifest, 'spec', 'scheduleState'),
      field: 'spec.scheduleState',
      code: 'NOTHING_TO_RUN',
      message,
    };
  }
  const [first, ...further] = timesOf(times, nowMs);
  if (first === undefined) {
    const message = 'no time is left in which it would run; correct its time range, days or hours';
    return {
      ...placeOf(manifest, 'spec', 'schedule'),
      field: 'spec.schedule',
      code: 'NOTHING_TO_RUN',
      message,
    };
  }
  const { name } = schedule.metadata;
  const once = times?.repeat === undefined ? Date.parse(times?.once?.executionTime ?? '') : Number.NaN;
  const missed = once < nowMs ? once : undefined;
  const engineName = times?.repeat === undefined ? name : `${name}-${Math.floor(first / 1000)}`;
  const object = occurrenceOf(schedule, engineName);
  return {
    file: manifest.file,
    line: manifest.line,
    object,
    lineOf: ([head, ...rest]) =>
      manifest.lineOf(
        head === 'spec' ? ['spec', 'engineTemplateSpec', ...rest] : [head ?? 'metadata', ...rest],
      ),
    schedule: {
      name,
      nextTimes: [first, ...further].map(timeText),
      ...(missed === undefined ? {} : { missedTime: timeText(missed) }),
    },
  };
}

function timeText(time: number): string {
  return new Date(time).toISOString().replace('.000Z', 'Z');
}

/** The next times from now on; a time that has passed and was to be run once is made up for at once, as the operator does. */
function timesOf(times: ChaosSchedule['spec']['schedule'], nowMs: number): number[] {
  const { once, repeat } = times ?? {};
  if (repeat === undefined)
    return [once === undefined ? nowMs : Math.max(nowMs, Date.parse(once.executionTime))];
  const { startTime, endTime } = repeat.timeRange ?? {};
  const startMs = Math.floor(Math.max(startTime ? Date.parse(startTime) : 0, nowMs) / 1000) * 1000;
  const endMs = endTime ? Date.parse(endTime) : undefined;
  const pattern = schedulePatternOf(repeat, { startMs, endMs, lastRunMs: undefined, draw: drawsOf('') });
  const found: number[] = [];
  for (let time = pattern.next(startMs - 1); time !== undefined && found.length < LISTED_TIMES; ) {
    found.push(time);
    time = pattern.next(time);
  }
  return found;
}
