import { plainText } from '../words/plain.ts';
import { type Columns, columnsOf, type PlacedMark } from './columns.ts';
import { type Curve, type CurveRecord, curveOf } from './curve.ts';
import { type Kind, kindNumber } from './kinds.ts';
import { fitted, type Window, wholeOf } from './window.ts';

/** A lane in the records of a run; times are milliseconds since the epoch. */
export interface LaneRecord {
  readonly group: string;
  readonly name: string;
  /** The workload that it is about. */
  readonly of?: string;
  /** What its probe asks, in short. */
  readonly asks?: string;
  readonly bars: readonly {
    readonly kind: Kind;
    readonly fromMs: number;
    readonly toMs: number;
    readonly label: string;
  }[];
  readonly marks: readonly { readonly kind: Kind; readonly atMs: number; readonly label: string }[];
  /** Measured numbers. */
  readonly curve?: CurveRecord;
}

/** Input for the time axis of a run. */
export interface AxisRecord {
  /** Whether targets and probes have times of their own, rather than those of their steps. @default true */
  readonly isExact?: boolean;
  readonly startMs: number;
  readonly endMs: number;
  /** When it is meant to end; later than `endMs` while it goes on. @default the end */
  readonly plannedEndMs?: number;
  readonly lanes: readonly LaneRecord[];
}

/** One mark in words. */
export interface AxisMark {
  readonly lane: number;
  readonly kind: Kind;
  /** Milliseconds since the start of the run. */
  readonly startMs: number;
  /** Equal to the start for a point in time; `Infinity` for an ongoing mark. */
  readonly endMs: number;
  readonly label: string;
}

/** One line of a lane: bars, and points in time over them. */
export interface AxisRow {
  readonly spans: Columns;
  readonly points: Columns;
}

/** One lane: as many rows as bars overlap, none if there are only numbers. */
export interface AxisLane {
  readonly group: string;
  readonly name: string;
  /** The workload that it is about. */
  readonly of?: string;
  /** What its probe asks, in short. */
  readonly asks?: string;
  readonly rows: readonly AxisRow[];
  /** Drawn below its rows. */
  readonly curve: Curve | undefined;
}

/** The time axis of a run. The number of a mark is its index in `marks`. */
export interface Axis {
  /** Whether targets and probes have times of their own; otherwise sentences must not mention them. */
  readonly isExact: boolean;
  /** The start of the run, milliseconds since the epoch. */
  readonly startMs: number;
  /** Length of the run so far. */
  readonly lengthMs: number;
  /** Length that is shown from the start: of a run that goes on, the planned one. */
  readonly shownMs: number;
  /** The whole range that can be shown, more than the run if there is data around it. */
  readonly whole: Window;
  readonly lanes: readonly AxisLane[];
  readonly marks: readonly AxisMark[];
}

/** Lanes with every mark in its row, and names and labels safe for sentences. Overlapping bars go to the first row where they fit. Pure. */
export function axisOf({ startMs, endMs, plannedEndMs = endMs, lanes, isExact = true }: AxisRecord): Axis {
  const marks: AxisMark[] = [];
  const axisLanes = lanes.map((lane, index): AxisLane => {
    const place = (kind: Kind, fromMs: number, toMs: number, label: string): PlacedMark => {
      const times = { startMs: fromMs - startMs, endMs: toMs - startMs };
      const mark = { lane: index, kind, ...times, label: plainText(label) };
      marks.push(mark);
      return { startMs: mark.startMs, endMs: mark.endMs, kind: kindNumber(kind), id: marks.length - 1 };
    };
    const spans = lane.bars.map(({ kind, fromMs, toMs, label }) =>
      place(kind, fromMs, Math.max(fromMs, toMs), label),
    );
    const points = lane.marks.map(({ kind, atMs, label }) => place(kind, atMs, atMs, label));
    const curve = lane.curve === undefined ? undefined : curveOf(lane.curve, startMs);
    const isOnlyCurve = curve !== undefined && spans.length + points.length === 0;
    const rows = isOnlyCurve ? [] : rowsOf(spans, points);
    return {
      group: lane.group,
      name: plainText(lane.name),
      ...(lane.of !== undefined && { of: plainText(lane.of) }),
      ...(lane.asks !== undefined && { asks: plainText(lane.asks) }),
      ...{ rows, curve },
    };
  });
  const lengthMs = Math.max(1, endMs - startMs);
  const shownMs = Math.max(lengthMs, plannedEndMs - startMs);
  return { isExact, startMs, lengthMs, shownMs, whole: wholeOf(shownMs, []), lanes: axisLanes, marks };
}

/** A lane with numbers only. */
export interface CurveLaneRecord {
  readonly group: string;
  readonly name: string;
  readonly curve: CurveRecord;
}

/** An axis with lanes of numbers below its own; marks keep their numbers, and lanes without drawable numbers are left out. Pure. */
export function withCurves(axis: Axis, records: readonly CurveLaneRecord[]): Axis {
  const lanes = records.flatMap(({ group, name, curve }): AxisLane[] => {
    const drawn = curveOf(curve, axis.startMs);
    return drawn === undefined ? [] : [{ group, name: plainText(name), rows: [], curve: drawn }];
  });
  if (lanes.length === 0) return axis;
  const ends = lanes.flatMap(({ curve }) => [curve?.time[0] ?? 0, curve?.time.at(-1) ?? 0]);
  return { ...axis, lanes: [...axis.lanes, ...lanes], whole: wholeOf(axis.shownMs, ends) };
}

/** Whether an axis can show more than its run. Pure. */
export function isBeyond({ shownMs, whole }: Pick<Axis, 'shownMs' | 'whole'>): boolean {
  const { fromMs, toMs } = fitted(shownMs);
  return whole.fromMs < fromMs || whole.toMs > toMs;
}

function rowsOf(spans: readonly PlacedMark[], points: readonly PlacedMark[]): AxisRow[] {
  const rows = packSpans(spans);
  const inOrder = points.toSorted((a, b) => a.startMs - b.startMs);
  return Array.from({ length: Math.max(1, rows.length) }, (_, index) => ({
    spans: columnsOf(rows[index] ?? []),
    points: columnsOf(index === 0 ? inOrder : []),
  }));
}

/** Bars in rows without overlaps, each in the first row that is free again when it begins. Pure. */
function packSpans(spans: readonly PlacedMark[]): PlacedMark[][] {
  const rows: PlacedMark[][] = [];
  const freeAt: number[] = [];
  for (const span of spans.toSorted((a, b) => a.startMs - b.startMs || b.endMs - a.endMs)) {
    const found = freeAt.findIndex((end) => end <= span.startMs);
    const row = found < 0 ? rows.length : found;
    const marks = rows[row] ?? [];
    rows[row] = marks;
    marks.push(span);
    freeAt[row] = span.endMs;
  }
  return rows;
}
