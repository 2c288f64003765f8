/**
 * Marks of one row as parallel arrays of numbers instead of objects, since they are painted and searched sixty times a second.
 *
 * Both `start` and `end` rise from mark to mark, so that two bisections find the marks in a window. An ongoing mark ends at
 * `Infinity`, so only the last one of a row may be ongoing.
 */
export interface Columns {
  /** Milliseconds since the start of the run. */
  readonly start: Float64Array;
  readonly end: Float64Array;
  /** Numbers of kinds. */
  readonly kind: Uint8Array;
  /** Numbers of marks, for looking up their texts. */
  readonly id: Uint32Array;
}

/** One mark before its placement in a row. */
export interface PlacedMark {
  readonly startMs: number;
  readonly endMs: number;
  readonly kind: number;
  readonly id: number;
}

/** Columns of sorted marks. */
export function columnsOf(marks: readonly PlacedMark[]): Columns {
  return {
    start: Float64Array.from(marks, ({ startMs }) => startMs),
    end: Float64Array.from(marks, ({ endMs }) => endMs),
    kind: Uint8Array.from(marks, ({ kind }) => kind),
    id: Uint32Array.from(marks, ({ id }) => id),
  };
}

/** First index whose value is at least `wanted`, in ascending values; their number if there is none. */
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
