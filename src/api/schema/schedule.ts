/** ChaosSchedule: repeats an engine. */

import type { ObjectMeta, ObjectReference } from '@turnsole/kube/kinds/core';
import Type from 'typebox';
import { choice, fields, flag, listOf, optional, text, whole, word } from './build.ts';
import { chaosEngineSpecSchema } from './engine.ts';
import { conditionsSchema } from './parts.ts';
import { CONCURRENCY_POLICIES, SCHEDULE_STATES, type ScheduleStatus } from './vocabulary.ts';

const time = (description: string) => optional(text(description, { format: 'date-time', nullable: true }));

/** When the engine is run. */
const scheduleTimesSchema = fields('When the engine is run; exactly one of now, once and repeat is given.', {
  now: optional(flag('true: the engine is run once, immediately. Default: false.')),
  once: optional(
    fields('The engine is run once, at a given time.', {
      executionTime: text('Time of the run, RFC 3339. A time in the past: at once.', { format: 'date-time' }),
    }),
  ),
  repeat: optional(
    fields('The engine is run again and again. An interval is required (properties.minChaosInterval).', {
      timeRange: optional(
        fields('Span of time in which runs start. Absent: from the creation of the schedule, without end.', {
          startTime: time(
            'No run starts before this time (RFC 3339); it is also the time of the first run. Absent, or earlier than the creation of the schedule: the creation.',
          ),
          endTime: time(
            'No run starts after this time (RFC 3339). Absent: runs start until the schedule is stopped.',
          ),
        }),
      ),
      properties: optional(
        fields('How often the engine is run.', {
          minChaosInterval: optional(
            fields('Interval between two runs, in hours or in minutes; exactly one of both is given.', {
              hour: optional(
                fields('Interval in hours.', {
                  everyNthHour: optional(
                    whole('The engine is run every so many hours; at least 1, at most 8760 (a year).', {
                      minimum: 0,
                      maximum: 8760,
                    }),
                  ),
                  minuteOfTheHour: optional(
                    whole(
                      'Minute of the hour, 0 to 59, at which runs start. Default: 0. With an interval of 24 hours and more it is not used: runs count from the first.',
                      { minimum: 0, maximum: 59 },
                    ),
                  ),
                }),
              ),
              minute: optional(
                fields('Interval in minutes.', {
                  everyNthMinute: optional(
                    whole('The engine is run every so many minutes; at least 1, at most 525600 (a year).', {
                      minimum: 0,
                      maximum: 525_600,
                    }),
                  ),
                }),
              ),
            }),
          ),
          random: optional(
            flag(
              'true: each run comes at a random time, one to two intervals after the one before. Default: false.',
            ),
          ),
        }),
      ),
      timeZone: optional(
        text(
          'Time zone of workDays, workHours and minutes, as in the IANA database, such as Europe/Berlin. Default: UTC.',
        ),
      ),
      workDays: optional(
        fields('Days of the week on which runs start. Absent: every day.', {
          includedDays: optional(
            text(
              'Days as names, numbers (0 is Sunday) and ranges, such as Mon,Wed or Mon-Fri or 1-5. Absent or empty: every day.',
            ),
          ),
        }),
      ),
      workHours: optional(
        fields('Hours of the day in which runs start. Absent: every hour.', {
          includedHours: optional(
            text(
              'Hours from 0 to 23 and ranges that include both ends, such as 0-10 or 9,13-17. Absent or empty: every hour.',
            ),
          ),
        }),
      ),
    }),
  ),
});

/** What a schedule repeats, and when. */
const chaosScheduleSpecSchema = fields('Which engine is run, and when.', {
  schedule: optional(scheduleTimesSchema),
  scheduleState: optional(
    choice(
      'What the user wants of the schedule. active (default): it makes engines; halt: it makes none until it is active again, and running engines go on; stop: its running engines are aborted; complete: it makes none any more. The operator sets complete when no run is left.',
      ['', ...SCHEDULE_STATES],
    ),
  ),
  concurrencyPolicy: optional(
    choice(
      'What happens at the time of a run while an engine of the schedule is still running. Forbid (default): the run is left out; Allow: both run; Replace: the running engine is stopped first.',
      ['', ...CONCURRENCY_POLICIES],
    ),
  ),
  engineTemplateSpec: optional(chaosEngineSpecSchema),
  chaosServiceAccount: optional(
    text(
      'Service account of engines whose template names none (engineTemplateSpec.chaosServiceAccount). Absent: the default service account of the namespace.',
    ),
  ),
  historyLimit: optional(
    whole(
      'How many ended engines of the schedule are kept, with their ChaosResults; older ones are deleted, but for a result that records something not reverted. Absent: all are kept.',
      { minimum: 0, maximum: 100_000 },
    ),
  ),
});

/** How far a schedule is. */
const chaosScheduleStatusSchema = fields(
  'State of the schedule, written by the operator. Absent: the operator has not seen the schedule yet.',
  {
    schedule: optional(
      fields('State of the schedule and time of its next run.', {
        status: optional(
          word<ScheduleStatus>(
            'running, halted, stopped or completed. Absent: the operator has not seen the schedule yet.',
          ),
        ),
        startTime: time('When the schedule began to make engines, RFC 3339. Absent: it has not.'),
        endTime: time('When the schedule was stopped or completed, RFC 3339. Absent: it has not ended.'),
        runInstances: optional(whole('How many engines the schedule has made so far. Absent: none.')),
        expectedNextRunTime: time('When the next run is due, RFC 3339. Absent: no further run is known.'),
      }),
    ),
    lastScheduleTime: time('Time that the last run was due at, RFC 3339. Absent: there was none.'),
    lastScheduleCompletionTime: time('When the last run ended, RFC 3339. Absent: none has ended.'),
    active: optional(listOf<ObjectReference>('The engines of the schedule that are running now.')),
    conditions: optional(conditionsSchema),
  },
);

/** The whole object. */
export const chaosScheduleSchema = Type.Object(
  {
    apiVersion: optional(text('API group and version of the object: litmuschaos.io/v1alpha1.')),
    kind: optional(text('Kind of the object: ChaosSchedule.')),
    metadata: Type.Unsafe<ObjectMeta>({ type: 'object' }),
    spec: chaosScheduleSpecSchema,
    status: optional(chaosScheduleStatusSchema),
  },
  { description: 'Runs a ChaosEngine at once, at a given time, or again and again.' },
);

/** Repeats a ChaosEngine. */
export type ChaosSchedule = Type.Static<typeof chaosScheduleSchema>;
export type ChaosScheduleSpec = Type.Static<typeof chaosScheduleSpecSchema>;
