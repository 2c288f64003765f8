import type { TimelineEntry } from '../../api/timeline.ts';
import type { SpanEvent } from '../../tracing/trace-record.ts';

/** Lines of a timeline, at least one. */
export type Steps = readonly [TimelineEntry, ...TimelineEntry[]];

/** The lines that pass, in order of time; undefined when none does. Lines without a readable time are left out. Pure. */
export function stepsWhere(
  timeline: readonly TimelineEntry[],
  isMeant: (entry: TimelineEntry) => boolean,
): Steps | undefined {
  const [first, ...others] = timeline
    .filter((entry) => isMeant(entry) && !Number.isNaN(msOf(entry)))
    .sort((a, b) => msOf(a) - msOf(b));
  return first === undefined ? undefined : [first, ...others];
}

export function msOf({ time }: Pick<TimelineEntry, 'time'>): number {
  return Date.parse(time);
}

/** From the first of the steps to the last, with each of them as an event. Pure. */
export function lifeOf(steps: Steps): {
  readonly startMs: number;
  readonly endMs: number;
  readonly events: readonly SpanEvent[];
} {
  return {
    startMs: msOf(steps[0]),
    endMs: msOf(steps.at(-1) ?? steps[0]),
    events: steps.map(({ time, step, message, object, actor }) => ({
      atMs: msOf({ time }),
      name: step,
      attributes: { message, actor, ...(object === undefined ? {} : { object }) },
    })),
  };
}
