/** ChaosSchedule: repeats an engine. */
import Type from 'typebox';
import type { ObjectMeta, ObjectReference } from '../core.ts';
import { choice, fields, flag, listOf, optional, text, whole, word } from './build.ts';
import { chaosEngineSpecSchema } from './engine.ts';
import { conditionsSchema } from './parts.ts';
import { CONCURRENCY_POLICIES, SCHEDULE_STATES, type ScheduleStatus } from './vocabulary.ts';

const time = (description: string) => optional(text(description, { format: 'date-time', nullable: true }));

/** When the engine is run. */
const scheduleTimesSchema = fields('When the engine is run: now, once or repeated.', {
  now: optional(flag('Run at once.')),
  once: optional(
    fields('Run at one time.', { executionTime: text('When, RFC 3339.', { format: 'date-time' }) }),
  ),
  repeat: optional(
    fields('Run again and again.', {
      timeRange: optional(
        fields('Time in which runs start.', {
          startTime: time('First moment.'),
          endTime: time('Last moment.'),
        }),
      ),
      properties: optional(
        fields('How often.', {
          minChaosInterval: optional(
            fields('Least time between two runs.', {
              hour: optional(
                fields('In hours.', {
                  everyNthHour: optional(
                    whole('Every so many hours, at most a year.', { minimum: 0, maximum: 8760 }),
                  ),
                  minuteOfTheHour: optional(whole('At this minute.', { minimum: 0, maximum: 59 })),
                }),
              ),
              minute: optional(
                fields('In minutes.', {
                  everyNthMinute: optional(
                    whole('Every so many minutes, at most a year.', { minimum: 0, maximum: 525_600 }),
                  ),
                }),
              ),
            }),
          ),
          random: optional(flag('At random times.')),
        }),
      ),
      timeZone: optional(text('Zone of days, hours and minutes, such as Europe/Berlin. Default: UTC.')),
      workDays: optional(
        fields('Days on which runs start.', {
          includedDays: optional(text('Names, numbers (0 is Sunday) and ranges: Mon,Wed or Mon-Fri or 1-5.')),
        }),
      ),
      workHours: optional(
        fields('Hours in which runs start.', {
          includedHours: optional(text('Hours 0 to 23 and ranges, both ends included: 0-10 or 9,13-17.')),
        }),
      ),
    }),
  ),
});

/** What a schedule repeats, and when. */
const chaosScheduleSpecSchema = fields('What is repeated, and when.', {
  schedule: optional(scheduleTimesSchema),
  scheduleState: optional(choice('What the schedule should do.', ['', ...SCHEDULE_STATES])),
  concurrencyPolicy: optional(choice('When the run before still goes on.', ['', ...CONCURRENCY_POLICIES])),
  engineTemplateSpec: optional(chaosEngineSpecSchema),
  chaosServiceAccount: optional(text('Service account of engines whose template names none.')),
  historyLimit: optional(
    whole('How many ended engines are kept; absent: all.', { minimum: 0, maximum: 100_000 }),
  ),
});

/** How far a schedule is. */
const chaosScheduleStatusSchema = fields('How far the schedule is.', {
  schedule: optional(
    fields('State and next run.', {
      status: optional(word<ScheduleStatus>('running, halted, stopped or completed.')),
      startTime: time('Start.'),
      endTime: time('End.'),
      runInstances: optional(whole('Runs so far.')),
      expectedNextRunTime: time('Next run.'),
    }),
  ),
  lastScheduleTime: time('Start of the last run.'),
  lastScheduleCompletionTime: time('End of the last run.'),
  active: optional(listOf<ObjectReference>('Engines that run now.')),
  conditions: optional(conditionsSchema),
});

/** The whole object. */
export const chaosScheduleSchema = Type.Object(
  {
    apiVersion: optional(text('Version of the schema of this object.')),
    kind: optional(text('Kind of this object.')),
    metadata: Type.Unsafe<ObjectMeta>({ type: 'object' }),
    spec: chaosScheduleSpecSchema,
    status: optional(chaosScheduleStatusSchema),
  },
  { description: 'Repeats a ChaosEngine.' },
);

/** Repeats a ChaosEngine. */
export type ChaosSchedule = Type.Static<typeof chaosScheduleSchema>;
export type ChaosScheduleSpec = Type.Static<typeof chaosScheduleSpecSchema>;
