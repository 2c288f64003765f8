import type { Kind } from '../models/timeline/kinds.ts';

/** Height of a bar within its row by kind, in pixels: states differ in shape, not in colour alone. */
export const BAR_HEIGHTS: Readonly<Record<Kind, number>> = {
  life: 4,
  step: 4,
  chaos: 16,
  recovered: 6,
  passed: 6,
  unready: 10,
  injected: 14,
  ineffective: 8,
  error: 18,
  failure: 18,
  open: 14,
};

/** The part of a 2D context that a shape needs. */
type Pen = Pick<
  CanvasRenderingContext2D,
  'beginPath' | 'moveTo' | 'lineTo' | 'closePath' | 'arc' | 'fill' | 'stroke' | 'rect'
>;

/** The outline of a point in time; its shape shows the kind. */
export function tracePoint(pen: Pen, kind: Kind, x: number, y: number, radius: number): void {
  const [left, right, top, bottom] = [x - radius, x + radius, y - radius, y + radius];
  switch (kind) {
    case 'injected':
    case 'open':
    case 'ineffective':
      polygon(pen, [x, top, right, y, x, bottom, left, y]);
      return;
    case 'recovered':
      polygon(pen, [left, top + 1, right, top + 1, x, bottom]);
      return;
    case 'failure':
    case 'error':
      polygon(pen, [x, top, right, bottom, left, bottom]);
      return;
    default:
      pen.moveTo(x + radius * 0.7, y);
      pen.arc(x, y, radius * 0.7, 0, 2 * Math.PI);
  }
}

function polygon(pen: Pen, [startX = 0, startY = 0, ...rest]: readonly number[]): void {
  pen.moveTo(startX, startY);
  for (let index = 0; index < rest.length; index += 2) pen.lineTo(rest[index] ?? 0, rest[index + 1] ?? 0);
  pen.closePath();
}
