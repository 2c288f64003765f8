import { type Columns, firstAtLeast } from './columns.ts';
import { type Layout, lineAt, ROW_HEIGHT } from './layout.ts';
import { msAt, type Window, xOf } from './window.ts';

/** Longest distance between pointer and mark, in pixels. */
const REACH = 4;
/** Half the width of a point in time. */
export const POINT_RADIUS = 5;

/** A drawing: its part of the run, its width, and the current moment. */
interface Drawing {
  readonly layout: Layout;
  readonly window: Window;
  readonly width: number;
  readonly nowMs: number;
}

/** A mark near the pointer, and the criteria between several. */
interface Near {
  readonly id: number;
  readonly distance: number;
  readonly width: number;
  readonly kind: number;
}

/**
 * Number of the mark at a place of a drawing; undefined if there is none within reach. Points lie over bars, so
 * they take precedence; then the nearest, among equals the narrower, then the worse. Pure.
 */
export function markAt(drawing: Drawing, x: number, y: number): number | undefined {
  const line = drawing.layout.lines[lineAt(drawing.layout, y)];
  if (line?.kind !== 'row' || y < line.top || y >= line.top + ROW_HEIGHT) return undefined;
  const { points, spans } = line.marks;
  return nearest(points, drawing, x, POINT_RADIUS) ?? nearest(spans, drawing, x, 0);
}

function nearest(columns: Columns, drawing: Drawing, x: number, radius: number): number | undefined {
  const { window, width, nowMs } = drawing;
  const reach = REACH + radius;
  const lastMs = msAt(x + reach, window, width);
  let best: Near | undefined;
  for (
    let index = firstAtLeast(columns.end, msAt(x - reach, window, width));
    index < columns.start.length && (columns.start[index] ?? 0) <= lastMs;
    index += 1
  ) {
    const startMs = columns.start[index] ?? 0;
    const left = xOf(startMs, window, width);
    const right = xOf(Math.min(columns.end[index] ?? 0, Math.max(nowMs, startMs)), window, width);
    const near: Near = {
      id: columns.id[index] ?? 0,
      distance: Math.round(Math.max(0, left - x, x - right)),
      width: right - left,
      kind: columns.kind[index] ?? 0,
    };
    if (near.distance <= reach && isBetter(near, best)) best = near;
  }
  return best?.id;
}

function isBetter(near: Near, best: Near | undefined): boolean {
  if (best === undefined) return true;
  const order = near.distance - best.distance || near.width - best.width || best.kind - near.kind;
  return order < 0;
}
