import { type Curve, type CurveSlices, shareOf } from '../models/timeline/curve.ts';
import { CURVE_HEIGHT } from '../models/timeline/layout.ts';
import type { Colors } from './colors.ts';

/** Room above and below a curve, in pixels. */
const MARGIN = 6;
/** Minimum distance between points for showing each as a dot: a line alone would suggest more data than there is. */
const DOT_PX = 6;
const DOT_RADIUS = 2;

/** Paints the numbers of a lane as a line whose top is at `top`; distant points are dots as well. */
export function paintCurve(
  context: CanvasRenderingContext2D,
  curve: Curve,
  { x, first, last, min, max, isJoined, length }: CurveSlices,
  top: number,
  colors: Colors,
): void {
  const high = CURVE_HEIGHT - 2 * MARGIN;
  const yOf = (value = 0): number => top + MARGIN + (1 - shareOf(curve.scale, value)) * high;
  // The foot of its scale: how high a curve is says nothing without it.
  context.fillStyle = colors.line;
  context.fillRect(x[0] ?? 0, Math.round(yOf(curve.scale.min)), (x[length - 1] ?? 0) - (x[0] ?? 0), 1);
  context.beginPath();
  for (let at = 0; at < length; at += 1) {
    const middle = (x[at] ?? 0) + 0.5;
    if (isJoined[at] !== 1) context.moveTo(middle, yOf(first[at]));
    else context.lineTo(middle, yOf(first[at]));
    context.lineTo(middle, yOf(min[at]));
    context.lineTo(middle, yOf(max[at]));
    context.lineTo(middle, yOf(last[at]));
  }
  context.strokeStyle = colors.text;
  context.lineWidth = 1.25;
  context.lineJoin = 'round';
  context.stroke();
  context.beginPath();
  for (let at = 0; at < length; at += 1) {
    const here = x[at] ?? 0;
    // A single point has no line.
    const isLeftApart = isJoined[at] !== 1 || here - (x[at - 1] ?? 0) >= DOT_PX;
    const isRightApart = at + 1 >= length || isJoined[at + 1] !== 1 || (x[at + 1] ?? 0) - here >= DOT_PX;
    if (!isLeftApart || !isRightApart) continue;
    context.moveTo(here + 0.5 + DOT_RADIUS, yOf(last[at]));
    context.arc(here + 0.5, yOf(last[at]), DOT_RADIUS, 0, 2 * Math.PI);
  }
  context.fillStyle = colors.text;
  context.fill();
}
