import type { Axis, AxisMark } from '../timeline/axis.ts';
import type { Curve } from '../timeline/curve.ts';
import { eventsOf, type MarkedLane, type ReplayEvent } from './events.ts';
import { placeInSlots, type Span, spanOf, type Target, targetOf } from './targets.ts';

/** A box of the picture: a workload with its pods, or targets without one. */
export interface Box {
  /** As its lane is called: `deployment shop/web`; `node` for targets without a workload. */
  readonly key: string;
  readonly kind: string;
  /** `shop/web`. */
  readonly name: string;
  /** Pods before the fault; of targets without a workload how many there are. */
  readonly before: number;
  /** Ready pods over time, one for each engine that has hit the workload, oldest first. Empty if they are not known. */
  readonly ready: readonly Curve[];
  /** For each place of the box those that were in it, in the order in which they came. */
  readonly slots: readonly (readonly Target[])[];
}

/** A probe of the picture. */
export interface Asker {
  readonly name: string;
  /** What it asks, in short; empty if that is not known. */
  readonly asks: string;
  /** Index of the box that it asks; undefined if that is none of them, or not known. */
  readonly box: number | undefined;
  /** In order of time. */
  readonly marks: readonly AxisMark[];
  readonly curve: Curve | undefined;
}

/** What a run is replayed from, made once of its time axis. */
export interface Replay {
  readonly lengthMs: number;
  readonly boxes: readonly Box[];
  readonly askers: readonly Asker[];
  /** Times of chaos, with their experiments. */
  readonly chaos: readonly (Span & { readonly name: string; readonly isOver: boolean })[];
  /** Times of the steps of a workflow. */
  readonly steps: readonly (Span & { readonly name: string })[];
  /** What happened, in order of time. */
  readonly events: readonly ReplayEvent[];
  /** The times of the events. */
  readonly eventTimes: Float64Array;
}

/** The replay of a run, by its axis alone. Pure. */
export function replayOf(axis: Axis): Replay {
  const byLane = Map.groupBy(axis.marks, ({ lane }) => lane);
  const lanes = axis.lanes.map(
    (lane, index): MarkedLane => ({
      lane,
      marks: (byLane.get(index) ?? []).toSorted((a, b) => a.startMs - b.startMs),
    }),
  );
  const ofGroup = (group: string): MarkedLane[] => lanes.filter(({ lane }) => lane.group === group);
  const events = eventsOf(lanes, axis.lengthMs);
  const boxes = boxesOf(ofGroup('Workloads'), ofGroup('Targets'), ofGroup('Pods'));
  return {
    lengthMs: axis.lengthMs,
    boxes,
    askers: ofGroup('Probes').map((probe) => askerOf(probe, boxes)),
    chaos: ofGroup('Experiments').flatMap(({ lane: { name }, marks }) =>
      marks
        .filter(({ kind }) => kind === 'chaos')
        .map((mark) => ({ ...spanOf(mark), name, isOver: mark.endMs < axis.lengthMs })),
    ),
    steps: ofGroup('Steps').flatMap(({ lane: { name }, marks }) =>
      marks.map((mark) => ({ ...spanOf(mark), name })),
    ),
    events,
    eventTimes: Float64Array.from(events, ({ atMs }) => atMs),
  };
}

function boxesOf(
  workloads: readonly MarkedLane[],
  targets: readonly MarkedLane[],
  pods: readonly MarkedLane[],
): Box[] {
  const podOf = new Map(pods.map((pod) => [pod.lane.name, pod.marks]));
  const targetsOf = Map.groupBy(targets, ({ lane }) => lane.of ?? before(lane.name, ' '));
  const keys = new Set([...workloads.map(({ lane }) => lane.of ?? lane.name), ...targetsOf.keys()]);
  return [...keys].map((key): Box => {
    const ready = workloads
      .filter(({ lane }) => (lane.of ?? lane.name) === key)
      .flatMap(({ lane: { curve } }) => curve ?? [])
      .toSorted((a, b) => (a.time[0] ?? 0) - (b.time[0] ?? 0));
    const hit = (targetsOf.get(key) ?? []).map(({ lane, marks }) =>
      targetOf(lane.name, marks, podOf.get(withoutContainer(lane.name)) ?? []),
    );
    const many = ready.length === 0 ? hit.length : Math.max(1, ...ready.map(podsBefore));
    const kind = before(key, ' ');
    return {
      ...{ key, kind, ready, before: many },
      name: key.slice(kind.length + 1),
      slots: placeInSlots(hit, many),
    };
  });
}

/** Ready pods before the fault: what the unit of the curve says, else its first number. */
function podsBefore({ unit, value }: Curve): number {
  const [, count] = /^of (\d+)$/.exec(unit) ?? [];
  return count === undefined ? (value[0] ?? 0) : Number(count);
}

/** `pod shop/web-1` of `pod shop/web-1 (app)`. */
function withoutContainer(name: string): string {
  return name.replace(/ \([^)]*\)/, '');
}

function before(text: string, separator: string): string {
  const at = text.indexOf(separator);
  return at < 0 ? text : text.slice(0, at);
}

function askerOf({ lane: { name, asks = '', curve }, marks }: MarkedLane, boxes: readonly Box[]): Asker {
  const found = boxes.findIndex((box) => isAsked(box, asks));
  return { name, asks, box: found < 0 ? undefined : found, marks, curve };
}

/** Whether a URL has a workload as its host: a service has mostly the name of its workload, and its namespace. */
function isAsked({ name }: Box, asks: string): boolean {
  const [, host = ''] = /^(?:[A-Z]+ )?https?:\/\/([^/:]+)/.exec(asks) ?? [];
  const [service = '', namespace] = host.split('.');
  if (service === '' || !name.includes('/')) return false;
  const [own, workload] = name.split('/');
  return service === workload && (namespace === undefined || namespace === own);
}
