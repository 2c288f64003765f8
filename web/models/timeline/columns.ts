/**
 * Marks of one row as parallel arrays: what is painted and searched sixty times a second is numbers side by side, not objects.
 *
 * Both `start` and `end` rise from mark to mark, so that two bisections find what a window shows. A mark that is not over ends at
 * `Infinity`, which is why only the last one of a row may be open.
 */
export interface Columns {
  /** Milliseconds since the start of the run. */
  readonly start: Float64Array;
  readonly end: Float64Array;
  /** Numbers of kinds. */
  readonly kind: Uint8Array;
  /** Numbers of marks, by which their words are found. */
  readonly id: Uint32Array;
}

/** One mark before it has a place in a row. */
export interface PlacedMark {
  readonly startMs: number;
  readonly endMs: number;
  readonly kind: number;
  readonly id: number;
}

/** Columns of marks that are in order already. */
export function columnsOf(marks: readonly PlacedMark[]): Columns {
  return {
    start: Float64Array.from(marks, ({ startMs }) => startMs),
    end: Float64Array.from(marks, ({ endMs }) => endMs),
    kind: Uint8Array.from(marks, ({ kind }) => kind),
    id: Uint32Array.from(marks, ({ id }) => id),
  };
}

/** First index whose value is `wanted` or more, in values that never fall; their number where there is none. */
export function firstAtLeast(values: Float64Array, wanted: number): number {
  let [low, high] = [0, values.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((values[middle] ?? 0) < wanted) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** First index whose value is above `limit`. */
export function firstAbove(values: Float64Array, limit: number): number {
  let [low, high] = [0, values.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((values[middle] ?? 0) <= limit) low = middle + 1;
    else high = middle;
  }
  return low;
}
