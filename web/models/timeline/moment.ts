import type { Axis, AxisLane } from './axis.ts';
import { type Columns, firstAbove } from './columns.ts';
import { kindOf } from './kinds.ts';

/**
 * What each lane shows at a moment, by the place of the lane: the worst kind of what lasts then. Undefined where nothing does. This is
 * what stands beside the names of the lanes while the pointer is over the axis. Pure.
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

/** Moments at which something begins or ends, for the table of the same marks: in order of time, then of lanes. Pure. */
export function marksInOrder({ marks }: Axis): number[] {
  return marks
    .map((_, id) => id)
    .toSorted(
      (a, b) =>
        (marks[a]?.startMs ?? 0) - (marks[b]?.startMs ?? 0) || (marks[a]?.lane ?? 0) - (marks[b]?.lane ?? 0),
    );
}
