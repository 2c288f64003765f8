import type { AxisLane, AxisMark } from '../timeline/axis.ts';
import { firstAbove, firstAtLeast } from '../timeline/columns.ts';

/** A lane with its marks, in order of time. */
export interface MarkedLane {
  readonly lane: AxisLane;
  readonly marks: readonly AxisMark[];
}

/** Something that happened in a run. */
export interface ReplayEvent {
  /** Milliseconds since the start of the run. */
  readonly atMs: number;
  /** A clause without a full stop. */
  readonly text: string;
}

/** What happened, in order of time; of what happened at one moment, the events of the application first. Pure. */
export function eventsOf(lanes: readonly MarkedLane[], lengthMs: number): ReplayEvent[] {
  const workloads = new Set(
    lanes.filter(({ lane }) => lane.group === 'Workloads').map(({ lane }) => lane.of),
  );
  const events = lanes.flatMap((one) => (EVENTS[one.lane.group] ?? none)(one, workloads));
  return events
    .filter(({ atMs }) => atMs >= 0 && atMs <= lengthMs)
    .map(({ atMs, text }) => ({ atMs, text: shortened(text.replace(/[.\s]+$/, '')) }))
    .toSorted((a, b) => a.atMs - b.atMs);
}

/** Letters of an event: what a server has answered may be long. */
const MOST_LETTERS = 180;

function shortened(text: string): string {
  return text.length <= MOST_LETTERS ? text : `${text.slice(0, MOST_LETTERS)}…`;
}

const none = (): ReplayEvent[] => [];

/** The events of a lane, by its group. */
const EVENTS: Readonly<
  Record<string, (one: MarkedLane, workloads: ReadonlySet<string | undefined>) => ReplayEvent[]>
> = {
  Probes: ({ lane: { name }, marks }) =>
    marks
      .filter(({ kind }, index) => kind !== marks[index - 1]?.kind)
      .map(({ startMs, kind, label }) => ({
        atMs: startMs,
        text: kind === 'passed' ? `${name} holds` : `${name} fails: ${label}`,
      })),
  Workloads: ({ lane: { name, of = name }, marks }) =>
    marks.flatMap(({ kind, startMs, endMs, label }) => {
      if (kind !== 'unready') return [{ atMs: startMs, text: label }];
      const workload = of.slice(of.indexOf(' ') + 1);
      return [
        { atMs: startMs, text: `${workload} loses a pod` },
        { atMs: endMs, text: `${workload}: ${label}` },
      ];
    }),
  // Hits of a workload's pods are events of the workload, where that has a lane.
  Targets: ({ lane: { name, of }, marks }, workloads) =>
    marks.flatMap(({ kind, startMs, endMs, label }) => {
      if (kind === 'recovered') return [{ atMs: startMs, text: label }];
      const isSaid = of !== undefined && workloads.has(of);
      const hit = isSaid ? [] : [{ atMs: startMs, text: `${name}: ${label}` }];
      const isReverted = endMs > startMs && kind !== 'open';
      return isReverted ? [...hit, { atMs: endMs, text: `${name} is as before` }] : hit;
    }),
  // Its first state is no change.
  Pods: ({ marks }) => marks.slice(1).map(({ startMs, label }) => ({ atMs: startMs, text: label })),
  Experiments: ({ lane: { name }, marks }) =>
    marks
      .filter(({ kind }) => kind === 'step')
      .map(({ startMs, label }) => ({ atMs: startMs, text: withName(name, afterStep(label)) })),
  Steps: ({ lane: { name }, marks }) =>
    marks.flatMap(({ startMs, endMs }) => [
      { atMs: startMs, text: `step ${name} begins` },
      { atMs: endMs, text: `step ${name} ends` },
    ]),
  Run: ({ marks }) =>
    marks
      .filter(({ kind }) => kind === 'step')
      .map(({ startMs, label }) => ({ atMs: startMs, text: afterStep(label) })),
};

/** `15 s of chaos begin` of `ChaosStarted: 15 s of chaos begin`. */
function afterStep(label: string): string {
  return label.replace(/^\w+: /, '');
}

function withName(name: string, text: string): string {
  return text.startsWith(name) ? text : `${name}: ${text}`;
}

/** The moment of the next event, or of the one before; undefined if there is none. Pure. */
export function eventBeside(
  times: Float64Array,
  atMs: number,
  step: 'next' | 'previous',
): number | undefined {
  // Links keep whole milliseconds.
  if (step === 'next') return times[firstAbove(times, Math.floor(atMs) + 0.999)];
  return times[firstAtLeast(times, Math.floor(atMs)) - 1];
}
