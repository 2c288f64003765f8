import type { Measured } from '../../api/schema/result.ts';
import type { MeasuredNumber } from './outcome.ts';

/** Numbers that the status of a probe holds at most: it is stored in an object of limited size, with all others of its run. */
export const MOST_POINTS = 120;

/**
 * The numbers of a probe with one more. Beyond {@link MOST_POINTS} they are thinned out: of four that follow each other the least and the
 * greatest stay, so that no outlier is lost. Pure.
 */
export function withPoint(
  before: Measured | undefined,
  { what, value, unit }: MeasuredNumber,
  atMs: number,
): Measured {
  const points = before?.points ?? [];
  const kept = points.length < MOST_POINTS ? points : thinned(points);
  return {
    what,
    ...(unit !== undefined && { unit }),
    points: [...kept, { time: new Date(atMs).toISOString(), value }],
  };
}

function thinned(points: Measured['points']): Measured['points'] {
  const starts = Array.from({ length: Math.ceil(points.length / 4) }, (_, index) => index * 4);
  return starts.flatMap((start) => {
    const four = points.slice(start, start + 4);
    const byValue = four.toSorted((a, b) => a.value - b.value);
    const extremes = [byValue[0], byValue.at(-1)];
    return four.filter((point) => extremes.includes(point));
  });
}
