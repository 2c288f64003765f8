import { type Axis, type AxisLane, axisOf, type LaneRecord } from '../timeline/axis.ts';
import type { LanePair } from './pair-lanes.ts';

/** A mark of one of two runs. */
export interface SideMark {
  readonly side: 'a' | 'b';
  readonly id: number;
}

/** Two runs on one axis. */
interface Interleaved {
  readonly axis: Axis;
  /** Number of a mark in the common axis. */
  idOf(mark: SideMark): number | undefined;
}

/**
 * The lanes of two runs below each other, each run counted from its own start. The numbers of both lanes of a pair share one scale,
 * so that higher values look higher. Pure.
 */
export function interleave(a: Axis, b: Axis, pairs: readonly LanePair[]): Interleaved {
  const records: LaneRecord[] = [];
  const ids = new Map<string, number>();
  for (const pair of pairs) {
    for (const side of ['a', 'b'] as const) {
      const run = side === 'a' ? a : b;
      const lane = run.lanes[pair[side] ?? -1];
      if (lane === undefined) continue;
      const [spans, points] = marksOf(lane);
      const curve = curveRecord(lane, [a.lanes[pair.a ?? -1], b.lanes[pair.b ?? -1]]);
      records.push({
        ...recordOf(run, lane, spans, points),
        name: `${side.toUpperCase()} ${lane.name}`,
        ...(curve !== undefined && { curve }),
      });
      // The axis numbers marks in this order.
      for (const id of [...spans, ...points]) ids.set(keyOf({ side, id }), ids.size);
    }
  }
  const endMs = Math.max(a.lengthMs, b.lengthMs);
  const axis = axisOf({ isExact: a.isExact && b.isExact, startMs: 0, endMs, lanes: records });
  return { axis, idOf: (mark) => ids.get(keyOf(mark)) };
}

function recordOf({ marks }: Axis, { group }: AxisLane, spans: readonly number[], points: readonly number[]) {
  const found = (ids: readonly number[]) => ids.flatMap((id) => marks[id] ?? []);
  return {
    group,
    bars: found(spans).map(({ kind, startMs, endMs, label }) => ({
      kind,
      fromMs: startMs,
      toMs: endMs,
      label,
    })),
    marks: found(points).map(({ kind, startMs, label }) => ({ kind, atMs: startMs, label })),
  };
}

function curveRecord({ curve }: AxisLane, pair: readonly (AxisLane | undefined)[]): LaneRecord['curve'] {
  if (curve === undefined) return undefined;
  const { what, unit, time, value } = curve;
  // Numbers of different units are not comparable.
  const alike = pair.flatMap((lane) => (lane?.curve?.unit === unit ? [lane.curve] : []));
  const scale = {
    min: Math.min(...alike.map(({ min }) => min)),
    max: Math.max(...alike.map(({ max }) => max)),
  };
  return { what, unit, times: [...time], values: [...value], scale };
}

function marksOf({ rows }: AxisLane): readonly [spans: readonly number[], points: readonly number[]] {
  return [rows.flatMap(({ spans }) => [...spans.id]), rows.flatMap(({ points }) => [...points.id])];
}

function keyOf({ side, id }: SideMark): string {
  return `${side}${id}`;
}
