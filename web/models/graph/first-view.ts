import type { Graph } from './graph.ts';

/** Sizes of a drawing, in pixels before it is zoomed: of the grid, and of a node in it. */
interface Grid {
  readonly column: number;
  readonly row: number;
  readonly width: number;
  readonly height: number;
}

/** Where a drawing is seen from. */
interface View {
  readonly x: number;
  readonly y: number;
  readonly zoom: number;
}

/** The smallest zoom at which names can be read. */
export const READABLE = 0.8;
/** Room around the drawing, in pixels. */
const MARGIN = 20;

/**
 * The first view of a graph: the whole where names can be read in it, in the middle; else as large as they can be read, around a node, and not
 * beyond the ends of the graph. Pure.
 *
 * @param around id of the node; undefined for the start of the graph
 */
export function firstView(
  { places }: Pick<Graph, 'places'>,
  seen: { readonly width: number; readonly height: number },
  around: string | undefined,
  grid: Grid,
): View {
  const all = [...places.values()];
  const most = (of: (place: (typeof all)[number]) => number): number =>
    all.reduce((sum, one) => Math.max(sum, of(one)), 0);
  const wide = most(({ column }) => column) * grid.column + grid.width;
  const high = most(({ row }) => row) * grid.row + grid.height;
  const fitting = Math.min((seen.width - 2 * MARGIN) / wide, (seen.height - 2 * MARGIN) / high, 1);
  const zoom = Math.max(fitting, READABLE);
  const place = places.get(around ?? '') ?? { column: 0, row: 0 };
  const along = (length: number, room: number, middle: number): number => {
    const left = room - length * zoom;
    if (left >= 2 * MARGIN) return left / 2;
    return Math.min(MARGIN, Math.max(left - MARGIN, room / 2 - middle * zoom));
  };
  return {
    x: along(wide, seen.width, place.column * grid.column + grid.width / 2),
    y: along(high, seen.height, place.row * grid.row + grid.height / 2),
    zoom,
  };
}

/** Phases of steps that failed, and of those at work. */
const FAILED: readonly string[] = ['Failed', 'Error', 'Completed_With_Probe_Failure', 'Completed_With_Error'];
const AT_WORK: readonly string[] = ['Running', 'Pending'];

/** The step that a graph is looked at for: the first that failed, else the first at work, else the first with chaos. Pure. */
export function stepToSee(
  steps: readonly {
    readonly id: string;
    readonly phase: string;
    readonly type: string;
    readonly engine: object | undefined;
  }[],
): string | undefined {
  // A group has the phase of what is in it.
  const own = steps.filter(({ type }) => !GROUPS.includes(type));
  const found =
    own.find(({ phase }) => FAILED.includes(phase)) ??
    own.find(({ phase }) => AT_WORK.includes(phase)) ??
    own.find(({ engine }) => engine !== undefined);
  return found?.id;
}

const GROUPS: readonly string[] = ['Steps', 'DAG', 'StepGroup', 'TaskGroup', 'Retry'];
