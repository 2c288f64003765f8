import { plainText } from '../words/plain.ts';
import { firstAbove, firstAtLeast } from './columns.ts';
import { type Window, xOf } from './window.ts';

/**
 * Numbers of a lane over time, as the records of a run give them: the times are milliseconds since the epoch, in any order. Where there is a
 * time with NaN nothing is known: the line ends before it, and begins again behind it.
 */
export interface CurveRecord {
  /** What was measured: `response time`. */
  readonly what: string;
  /** Empty for numbers without one. */
  readonly unit: string;
  readonly times: readonly number[];
  readonly values: readonly number[];
  /** From where to where it is drawn, so that curves can be compared. @default from its least to its greatest */
  readonly scale?: Scale;
}

/** The values at the lower and at the upper edge of a curve. */
interface Scale {
  readonly min: number;
  readonly max: number;
}

/** The same in order of time, side by side, with what its name says. */
export interface Curve {
  readonly what: string;
  readonly unit: string;
  /** Milliseconds since the start of the run; never fall. */
  readonly time: Float64Array;
  readonly value: Float64Array;
  /** When a value is known no more; `Infinity` where it holds until the next one. */
  readonly until: Float64Array;
  readonly min: number;
  readonly max: number;
  readonly scale: Scale;
}

/** The curve of a record; undefined where it holds no number that can be drawn. Pure. */
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
 * What is painted of a curve: for each pixel with points in it the first and last of their values, and the least and greatest. One object
 * is used for all curves and frames.
 */
export interface CurveSlices {
  /** Whole pixels; below 0 and beyond the width for the points beside the window, to which the line goes on. */
  readonly x: Int32Array;
  readonly first: Float64Array;
  readonly last: Float64Array;
  readonly min: Float64Array;
  readonly max: Float64Array;
  /** 1 where the line goes on from the pixel before. */
  readonly isJoined: Uint8Array;
  length: number;
}

/** Room for a curve in a drawing that is at most `width` pixels wide. */
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

/** A line far beyond the edge has the same direction at the edge, and its place still fits a whole number. */
const FAR_PX = 1_000_000;

/**
 * Fills `slices` with a curve in a window that is `width` pixels wide: no extreme is lost, however many points share a pixel. The point
 * before the window and the one after it are there as well.
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

/** How high a value stands on a scale, from 0 to 1; where all values are equal in the middle. Pure. */
export function shareOf({ min, max }: Scale, value: number): number {
  // Halves first: the difference of the greatest numbers is no number.
  const range = max / 2 - min / 2;
  return range > 0 ? (value / 2 - min / 2) / range : 0.5;
}

/** The value that was the last one at a moment; undefined before the first, after the end of the curve, and where nothing is known. Pure. */
export function valueAt({ time, value, until }: Curve, atMs: number): number | undefined {
  const index = firstAbove(time, atMs) - 1;
  const isKnown = index >= 0 && atMs <= (time.at(-1) ?? 0) && atMs < (until[index] ?? 0);
  return isKnown ? value[index] : undefined;
}

/** A number with its unit: `12.3 ms`. Pure. */
export function valueWords(value: number, unit: string): string {
  return unit === '' ? numberWords(value) : `${numberWords(value)} ${unit}`;
}

/** What stands beside a curve: `response time 3.2 to 340 ms`. Pure. */
export function curveWords({ what, unit, min, max }: Curve): string {
  const range = min === max ? valueWords(max, unit) : `${numberWords(min)} to ${valueWords(max, unit)}`;
  return what === '' ? range : `${what} ${range}`;
}

/** Four digits say enough in a line of text. */
function numberWords(value: number): string {
  return String(Number(value.toPrecision(4)));
}
