import { plainText } from '../words/plain.ts';
import { firstAbove, firstAtLeast } from './columns.ts';
import { type Window, xOf } from './window.ts';

/**
 * Numbers of a lane over time, in the records of a run; the times are milliseconds since the epoch, in any order. NaN marks a
 * gap: the line ends before it, and begins again after it.
 */
export interface CurveRecord {
  /** What was measured: `response time`. */
  readonly what: string;
  /** Empty for numbers without one. */
  readonly unit: string;
  readonly times: readonly number[];
  readonly values: readonly number[];
  /** Range of the drawing, for comparisons of curves. @default from its least to its greatest value */
  readonly scale?: Scale;
}

/** The values at the lower and at the upper edge of a curve. */
interface Scale {
  readonly min: number;
  readonly max: number;
}

/** The same as parallel arrays in order of time, with its name. */
export interface Curve {
  readonly what: string;
  readonly unit: string;
  /** Milliseconds since the start of the run; never fall. */
  readonly time: Float64Array;
  readonly value: Float64Array;
  /** Until when a value is known; `Infinity` if it holds until the next one. */
  readonly until: Float64Array;
  readonly min: number;
  readonly max: number;
  readonly scale: Scale;
}

/** The curve of a record; undefined if it has no drawable number. Pure. */
export function curveOf(
  { what, unit, times, values, scale }: CurveRecord,
  startMs: number,
): Curve | undefined {
  const points = times
    .map((time, index) => [time - startMs, values[index] ?? Number.NaN] as const)
    .filter(([time]) => Number.isFinite(time))
    .toSorted(([a], [b]) => a - b);
  const known = points.flatMap(([time, one], index) => {
    const [nextMs, next] = points[index + 1] ?? [];
    const isLast = next !== undefined && !Number.isFinite(next);
    return Number.isFinite(one)
      ? [{ time, one, until: isLast ? (nextMs ?? time) : Number.POSITIVE_INFINITY }]
      : [];
  });
  if (known.length === 0) return undefined;
  const value = Float64Array.from(known, ({ one }) => one);
  const min = value.reduce((least, one) => Math.min(least, one));
  const max = value.reduce((most, one) => Math.max(most, one));
  return {
    what: plainText(what),
    unit: plainText(unit),
    time: Float64Array.from(known, ({ time }) => time),
    value,
    until: Float64Array.from(known, ({ until }) => until),
    ...{ min, max, scale: scale ?? { min, max } },
  };
}

/**
 * The painted data of a curve: for each pixel with points the first, last, least and greatest of their values. One object
 * is reused for all curves and frames.
 */
export interface CurveSlices {
  /** Whole pixels; below 0 and beyond the width for the neighbours outside of the window, to which the line continues. */
  readonly x: Int32Array;
  readonly first: Float64Array;
  readonly last: Float64Array;
  readonly min: Float64Array;
  readonly max: Float64Array;
  /** 1 if the line continues from the previous pixel. */
  readonly isJoined: Uint8Array;
  length: number;
}

/** Buffers for a curve in a drawing that is at most `width` pixels wide. */
export function makeCurveSlices(width: number): CurveSlices {
  const room = width + 4;
  return {
    x: new Int32Array(room),
    first: new Float64Array(room),
    last: new Float64Array(room),
    min: new Float64Array(room),
    max: new Float64Array(room),
    isJoined: new Uint8Array(room),
    length: 0,
  };
}

/** Limit for positions far outside, which keeps the line's direction at the edge and fits an integer. */
const FAR_PX = 1_000_000;

/**
 * Fills `slices` with a curve in a window that is `width` pixels wide: no extreme is lost, however many points share a pixel. Includes
 * the point before the window and the one after it.
 */
export function sliceCurve(curve: Curve, window: Window, width: number, slices: CurveSlices): void {
  const { time, value, until } = curve;
  const first = Math.max(0, firstAtLeast(time, window.fromMs) - 1);
  const end = Math.min(time.length, firstAbove(time, window.toMs) + 1);
  let used = 0;
  for (let index = first; index < end; index += 1) {
    const x = Math.floor(Math.min(FAR_PX, Math.max(-FAR_PX, xOf(time[index] ?? 0, window, width))));
    const one = value[index] ?? 0;
    const before = used - 1;
    if ((used > 0 && slices.x[before] === x) || used === slices.x.length) {
      slices.last[before] = one;
      slices.min[before] = Math.min(slices.min[before] ?? one, one);
      slices.max[before] = Math.max(slices.max[before] ?? one, one);
      continue;
    }
    slices.x[used] = x;
    slices.first[used] = one;
    slices.last[used] = one;
    slices.min[used] = one;
    slices.max[used] = one;
    slices.isJoined[used] = index > first && until[index - 1] === Number.POSITIVE_INFINITY ? 1 : 0;
    used += 1;
  }
  slices.length = used;
}

/** Position of a value on a scale, from 0 to 1; the middle if all values are equal. Pure. */
export function shareOf({ min, max }: Scale, value: number): number {
  // Halves first: the difference of the greatest numbers would be infinite.
  const range = max / 2 - min / 2;
  return range > 0 ? (value / 2 - min / 2) / range : 0.5;
}

/** The latest value at a moment; undefined before the first, after the end of the curve, and in gaps. Pure. */
export function valueAt({ time, value, until }: Curve, atMs: number): number | undefined {
  const index = firstAbove(time, atMs) - 1;
  const isKnown = index >= 0 && atMs <= (time.at(-1) ?? 0) && atMs < (until[index] ?? 0);
  return isKnown ? value[index] : undefined;
}

/** A number with its unit: `12.3 ms`. Pure. */
export function valueWords(value: number, unit: string): string {
  return unit === '' ? numberWords(value) : `${numberWords(value)} ${unit}`;
}

/** Caption of a curve: `response time 3.2 to 340 ms`. Pure. */
export function curveWords({ what, unit, min, max }: Curve): string {
  const range = min === max ? valueWords(max, unit) : `${numberWords(min)} to ${valueWords(max, unit)}`;
  return what === '' ? range : `${what} ${range}`;
}

/** A number with four digits, which is enough in a line of text. */
function numberWords(value: number): string {
  return String(Number(value.toPrecision(4)));
}
