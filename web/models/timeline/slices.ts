import { type Columns, firstAbove, firstAtLeast } from './columns.ts';
import type { Window } from './window.ts';

/**
 * The painted boxes of one row in whole pixels, each for one mark or for those that share its pixels. One object is reused for all
 * rows and frames, so that painting allocates none.
 */
export interface Slices {
  readonly left: Int32Array;
  readonly right: Int32Array;
  readonly kind: Uint8Array;
  /** Number of marks in a box. */
  readonly count: Uint32Array;
  /** Number of the mark, or of the first of several. */
  readonly id: Uint32Array;
  length: number;
}

/** Buffers for the boxes of a row in a drawing that is at most `width` pixels wide. */
export function makeSlices(width: number): Slices {
  const room = 2 * width + 4;
  return {
    left: new Int32Array(room),
    right: new Int32Array(room),
    kind: new Uint8Array(room),
    count: new Uint32Array(room),
    id: new Uint32Array(room),
    length: 0,
  };
}

/** Indexes `[first, end)` of the marks that touch a window. */
function visibleRange({ start, end }: Columns, { fromMs, toMs }: Window): readonly [number, number] {
  return [firstAtLeast(end, fromMs), firstAbove(start, toMs)];
}

/**
 * Fills `slices` with the boxes of a row in a window that is `width` pixels wide. Marks narrower than a pixel become one box for each
 * pixel, of the worst kind among them: passing marks never hide a failure. Ongoing marks end at `nowMs`.
 */
export function sliceRow(
  columns: Columns,
  window: Window,
  width: number,
  nowMs: number,
  slices: Slices,
): void {
  const [first, end] = visibleRange(columns, window);
  const scale = width / (window.toMs - window.fromMs);
  const most = slices.left.length;
  let used = 0;
  for (let index = first; index < end; index += 1) {
    const startMs = columns.start[index] ?? 0;
    const endMs = Math.min(columns.end[index] ?? 0, Math.max(nowMs, startMs));
    const left = Math.max(0, Math.floor((startMs - window.fromMs) * scale));
    const right = Math.min(width, Math.max(left + 1, Math.floor((endMs - window.fromMs) * scale)));
    const kind = columns.kind[index] ?? 0;
    const before = used - 1;
    const isShared = used > 0 && (slices.right[before] ?? 0) > left;
    if ((isShared && isNarrow(slices, before, right - left)) || used === most) {
      slices.kind[before] = Math.max(slices.kind[before] ?? 0, kind);
      slices.right[before] = Math.max(slices.right[before] ?? 0, right);
      slices.count[before] = (slices.count[before] ?? 0) + 1;
      continue;
    }
    slices.left[used] = left;
    slices.right[used] = right;
    slices.kind[used] = kind;
    slices.count[used] = 1;
    slices.id[used] = columns.id[index] ?? 0;
    used += 1;
  }
  slices.length = used;
}

/** Whether to merge two boxes that begin in the same pixel, because neither is wider than it. */
function isNarrow(slices: Slices, before: number, width: number): boolean {
  return width <= 1 && (slices.right[before] ?? 0) - (slices.left[before] ?? 0) <= 1;
}
