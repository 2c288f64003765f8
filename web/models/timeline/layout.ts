import type { Axis, AxisRow } from './axis.ts';
import type { Curve } from './curve.ts';

/** Height of one row of marks, in pixels. */
export const ROW_HEIGHT = 24;
/** Height of the numbers of a lane, in pixels. */
export const CURVE_HEIGHT = 40;
/** Height of the line that names a group, in pixels. */
export const HEADER_HEIGHT = 28;

/** Height of the line that names a lane if there is no room beside it, in pixels. */
export const CAPTION_HEIGHT = 20;

/** A line that names a group of lanes and folds it. */
interface HeaderLine {
  readonly kind: 'header';
  readonly top: number;
  readonly group: string;
  readonly lanes: number;
  readonly isFolded: boolean;
}

/** One row of a lane; the first one is beside the lane's name. */
interface RowLine {
  readonly kind: 'row';
  readonly top: number;
  readonly lane: number;
  readonly row: number;
  readonly marks: AxisRow;
}

/** The name of a lane over its rows, in a drawing that is too narrow for names beside them. */
interface CaptionLine {
  readonly kind: 'caption';
  readonly top: number;
  readonly lane: number;
}

/** The numbers of a lane, below its rows. */
interface CurveLine {
  readonly kind: 'curve';
  readonly top: number;
  readonly lane: number;
  readonly curve: Curve;
}

/** A line of the drawing. */
export type Line = HeaderLine | RowLine | CaptionLine | CurveLine;

/** Every line from top to bottom, and their total height. */
export interface Layout {
  readonly lines: readonly Line[];
  readonly height: number;
}

/** Folded where the lanes of workloads say the same in less room, and the machinery. */
const FOLDED_AT_FIRST = ['Targets', 'Pods', 'Run'];

/** Groups that are folded until the reader unfolds them: none without lanes of workloads, which stand for them. Pure. */
export function foldedAtFirst({ lanes }: Pick<Axis, 'lanes'>): ReadonlySet<string> {
  return new Set(lanes.some(({ group }) => group === 'Workloads') ? FOLDED_AT_FIRST : []);
}

/**
 * The groups that are folded when the reader has toggled some; that of a selected mark is not. Applied to its result without a mark, it gives
 * the toggled ones again. Pure.
 */
export function foldedBy(
  axis: Pick<Axis, 'lanes' | 'marks'>,
  toggled: ReadonlySet<string>,
  selected?: number,
): ReadonlySet<string> {
  const shown = axis.lanes[axis.marks[selected ?? -1]?.lane ?? -1]?.group;
  const first = foldedAtFirst(axis);
  const folded = new Set([...first].filter((group) => !toggled.has(group) && group !== shown));
  for (const group of toggled) if (!first.has(group)) folded.add(group);
  return folded;
}

/** Lines of an axis; lanes of folded groups are left out. Pure. */
export function layoutLanes(
  { lanes }: Pick<Axis, 'lanes'>,
  folded: ReadonlySet<string>,
  hasCaptions = false,
): Layout {
  const lines: Line[] = [];
  const counts = Map.groupBy(lanes, (lane) => lane.group);
  let top = 0;
  let group: string | undefined;
  for (const [index, lane] of lanes.entries()) {
    if (lane.group !== group) {
      group = lane.group;
      lines.push({
        kind: 'header',
        top,
        group,
        lanes: counts.get(group)?.length ?? 0,
        isFolded: folded.has(group),
      });
      top += HEADER_HEIGHT;
    }
    if (folded.has(lane.group)) continue;
    if (hasCaptions) {
      lines.push({ kind: 'caption', top, lane: index });
      top += CAPTION_HEIGHT;
    }
    for (const [row, marks] of lane.rows.entries()) {
      lines.push({ kind: 'row', top, lane: index, row, marks });
      top += ROW_HEIGHT;
    }
    if (lane.curve !== undefined) {
      lines.push({ kind: 'curve', top, lane: index, curve: lane.curve });
      top += CURVE_HEIGHT;
    }
  }
  return { lines, height: top };
}

/** Index of the line at a height, by bisection; the nearest one outside. -1 without lines. */
export function lineAt({ lines }: Layout, y: number): number {
  let [low, high] = [0, lines.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((lines[middle]?.top ?? 0) <= y) low = middle + 1;
    else high = middle;
  }
  return lines.length === 0 ? -1 : Math.max(0, low - 1);
}

/** Number of the lane at a height; undefined for names of groups. Pure. */
export function laneAt(layout: Layout, y: number): number | undefined {
  const line = layout.lines[lineAt(layout, y)];
  return line === undefined || line.kind === 'header' || y >= layout.height ? undefined : line.lane;
}

/** Indexes `[first, end)` of the lines between two heights. */
export function linesBetween(layout: Layout, fromY: number, toY: number): readonly [number, number] {
  if (layout.lines.length === 0) return [0, 0];
  return [lineAt(layout, fromY), lineAt(layout, toY) + 1];
}
