import type { Axis, AxisLane } from './axis.ts';
import { type Columns, firstAbove } from './columns.ts';
import { kindOf } from './kinds.ts';

/**
 * The worst kind of the marks in each lane at a moment, by the index of the lane; undefined without marks. Shown
 * beside the names of the lanes while the pointer is over the axis. Pure.
 */
export function laneAtMoment(
  lane: AxisLane | undefined,
  atMs: number,
): ReturnType<typeof kindOf> | undefined {
  const found = (lane?.rows ?? []).flatMap(({ spans }) => kindAt(spans, atMs));
  return found.length === 0 ? undefined : kindOf(Math.max(...found));
}

function kindAt({ start, end, kind }: Columns, atMs: number): number[] {
  const index = firstAbove(start, atMs) - 1;
  return index >= 0 && (end[index] ?? 0) > atMs ? [kind[index] ?? 0] : [];
}

/** One row of the table: a mark, or a number of a curve by its index. */
export interface TableRow {
  readonly lane: number;
  readonly startMs: number;
  readonly mark?: number;
  readonly point?: number;
}

/** All marks and numbers of the axis, for its table: in order of time, then of lanes. Pure. */
export function rowsInOrder({ lanes, marks }: Axis): TableRow[] {
  const ofMarks = marks.map(({ lane, startMs }, mark): TableRow => ({ lane, startMs, mark }));
  const ofCurves = lanes.flatMap(({ curve }, lane) =>
    Array.from(curve?.time ?? [], (startMs, point): TableRow => ({ lane, startMs, point })),
  );
  return [...ofMarks, ...ofCurves].toSorted((a, b) => a.startMs - b.startMs || a.lane - b.lane);
}
