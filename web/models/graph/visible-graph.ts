import type { Graph } from './graph.ts';

/** A part of a graph's grid, with inclusive ends. */
export interface Area {
  readonly columns: readonly [from: number, to: number];
  readonly rows: readonly [from: number, to: number];
}

/** Columns and rows by which an area grows and moves, so that a small movement does not change it. */
const STEP = 10;

/** The visible area in columns and rows, with a margin. Pure. */
export function areaAround(seen: Area): Area {
  const wide = ([from, to]: readonly [number, number]): readonly [number, number] => [
    (Math.floor(from / STEP) - 1) * STEP,
    (Math.ceil(to / STEP) + 1) * STEP,
  ];
  return { columns: wide(seen.columns), rows: wide(seen.rows) };
}

/** Whether two areas are the same. */
export function isSameArea(a: Area, b: Area): boolean {
  return String([a.columns, a.rows]) === String([b.columns, b.rows]);
}

/** The part of a graph in an area: its nodes, and the edges between them. Pure. */
export function graphIn({ places, edges }: Graph, { columns, rows }: Area): Graph {
  const inside = new Map(
    [...places].filter(
      ([, { column, row }]) =>
        column >= columns[0] && column <= columns[1] && row >= rows[0] && row <= rows[1],
    ),
  );
  return { places: inside, edges: edges.filter(([from, to]) => inside.has(from) && inside.has(to)) };
}
