import { makeCurveSlices, sliceCurve } from '../models/timeline/curve.ts';
import { POINT_RADIUS } from '../models/timeline/hit.ts';
import { KINDS, kindNumber } from '../models/timeline/kinds.ts';
import { type Layout, type Line, linesBetween, ROW_HEIGHT } from '../models/timeline/layout.ts';
import { type Slices, sliceRow } from '../models/timeline/slices.ts';
import type { Tick } from '../models/timeline/ticks.ts';
import { type Window, xOf } from '../models/timeline/window.ts';
import type { Colors } from './colors.ts';
import { paintCurve } from './curve.ts';
import { BAR_HEIGHTS, tracePoint } from './shapes.ts';

/** Inputs for drawing the lanes. */
interface LanesPicture {
  readonly layout: Layout;
  readonly window: Window;
  /** Size of the canvas, in pixels of the page. */
  readonly width: number;
  readonly height: number;
  /** Scroll offset of the lanes. */
  readonly top: number;
  readonly nowMs: number;
  readonly ticks: readonly Tick[];
  /** Label of a mark, by its number, for bars with enough room. */
  labelOf(mark: number): string;
}

/** Minimum width of a bar with a label, in pixels. */
const WORDS_PX = 80;
/** Average width of a letter in labels of bars. */
const LETTER_PX = 6;
/** The kinds whose bars are high enough for labels, with the colour of the label. */
const WORD_COLORS = {
  chaos: 'text',
  unready: 'paper',
  injected: 'paper',
  error: 'paper',
  failure: 'paper',
  open: 'paper',
} as const;

/** Numbers per box in a batch: left, right, middle, id. */
const STRIDE = 4;

/** Boxes of all rows in view, by kind, before they are painted: each kind sets the colour once. */
class Batches {
  readonly #values: number[][] = KINDS.map(() => []);

  add(kind: number, left: number, right: number, middle: number, id: number): void {
    this.#values[kind]?.push(left, right, middle, id);
  }

  of(kind: number): readonly number[] {
    return this.#values[kind] ?? [];
  }

  clear(): void {
    for (const values of this.#values) values.length = 0;
  }
}

/** Paints lanes; reuses its buffers, so that a frame allocates no objects for marks. */
export class LanePainter {
  readonly #bars = new Batches();
  readonly #points = new Batches();
  #slices: Slices;
  #curve = makeCurveSlices(0);

  constructor(slices: Slices) {
    this.#slices = slices;
  }

  /** Adapts to another width. */
  resize(slices: Slices): void {
    this.#slices = slices;
  }

  /** Paints the visible part: filters rows, then times, then pixels before drawing. */
  paint(context: CanvasRenderingContext2D, picture: LanesPicture, colors: Colors): void {
    const { width, height } = picture;
    context.clearRect(0, 0, width, height);
    this.#gather(picture);
    paintGrid(context, picture, colors);
    for (const kind of KINDS) this.#paintBars(context, kind, colors);
    this.#writeWords(context, picture, colors);
    for (const kind of KINDS) this.#paintPoints(context, kind, colors);
    this.#paintCurves(context, picture, colors);
  }

  #paintCurves(
    context: CanvasRenderingContext2D,
    { layout, window, width, height, top }: LanesPicture,
    colors: Colors,
  ): void {
    const room = Math.ceil(width) + 4;
    if (this.#curve.x.length !== room) this.#curve = makeCurveSlices(Math.ceil(width));
    const [first, end] = linesBetween(layout, top, top + height);
    for (let index = first; index < end; index += 1) {
      const line = layout.lines[index];
      if (line?.kind !== 'curve') continue;
      sliceCurve(line.curve, window, width, this.#curve);
      paintCurve(context, line.curve, this.#curve, line.top - top, colors);
    }
  }

  #gather({ layout, window, width, height, top, nowMs }: LanesPicture): void {
    this.#bars.clear();
    this.#points.clear();
    const [first, end] = linesBetween(layout, top, top + height);
    for (let index = first; index < end; index += 1) {
      const line = layout.lines[index];
      if (line?.kind !== 'row') continue;
      const middle = line.top - top + ROW_HEIGHT / 2;
      sliceRow(line.marks.spans, window, width, nowMs, this.#slices);
      this.#take(this.#bars, middle);
      sliceRow(line.marks.points, window, width, nowMs, this.#slices);
      this.#take(this.#points, middle);
    }
  }

  #take(batches: Batches, middle: number): void {
    const { left, right, kind, id, length } = this.#slices;
    for (let index = 0; index < length; index += 1) {
      batches.add(kind[index] ?? 0, left[index] ?? 0, right[index] ?? 0, middle, id[index] ?? 0);
    }
  }

  #paintBars(context: CanvasRenderingContext2D, kind: (typeof KINDS)[number], colors: Colors): void {
    const values = this.#bars.of(kindNumber(kind));
    if (values.length === 0) return;
    context.fillStyle = colors.kinds[kind];
    const high = BAR_HEIGHTS[kind];
    for (let at = 0; at < values.length; at += STRIDE) {
      const left = values[at] ?? 0;
      const wide = (values[at + 1] ?? 0) - left;
      // A gap of a pixel separates adjacent bars, if there is room for it.
      context.fillRect(left, (values[at + 2] ?? 0) - high / 2, wide > 3 ? wide - 1 : wide, high);
    }
    if (kind === 'open' || kind === 'error') stripe(context, values, high, colors.paper);
  }

  #writeWords(context: CanvasRenderingContext2D, { labelOf }: LanesPicture, colors: Colors): void {
    context.font = `11px ${colors.font}`;
    context.textBaseline = 'middle';
    for (const [kind, color] of Object.entries(WORD_COLORS)) {
      const values = this.#bars.of(kindNumber(kind as keyof typeof WORD_COLORS));
      context.fillStyle = colors[color];
      for (let at = 0; at < values.length; at += STRIDE) {
        const [left = 0, right = 0, middle = 0, id = 0] = values.slice(at, at + STRIDE);
        const room = right - left - 12;
        // How long a pod was missing is short, and has its place in a short bar.
        const [length = ''] = kind === 'unready' ? labelOf(id).split(', ') : [];
        const isShort = length !== '' && length.length * LETTER_PX <= room + 8;
        if (right - left < WORDS_PX && !isShort) continue;
        const words = isShort ? length : shortened(labelOf(id), room / LETTER_PX);
        context.fillText(words, left + (isShort ? 3 : 6), middle + 0.5);
      }
    }
  }

  #paintPoints(context: CanvasRenderingContext2D, kind: (typeof KINDS)[number], colors: Colors): void {
    const values = this.#points.of(kindNumber(kind));
    if (values.length === 0) return;
    context.beginPath();
    for (let at = 0; at < values.length; at += STRIDE) {
      tracePoint(context, kind, (values[at] ?? 0) + 0.5, values[at + 2] ?? 0, POINT_RADIUS);
    }
    context.fillStyle = colors.kinds[kind];
    context.strokeStyle = colors.paper;
    context.lineWidth = 1;
    context.fill();
    context.stroke();
  }
}

/** A text of at most so many letters. */
function shortened(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, Math.max(1, most - 1))}…`;
}

/** A dashed lower edge of bars: not reverted and not evaluated marks differ in shape as well. */
function stripe(
  context: CanvasRenderingContext2D,
  values: readonly number[],
  high: number,
  paper: string,
): void {
  context.fillStyle = paper;
  for (let at = 0; at < values.length; at += STRIDE) {
    const [left = 0, right = 0, middle = 0] = values.slice(at, at + STRIDE);
    for (let x = left; x < right; x += 6) context.fillRect(x, middle + high / 2 - 3, 3, 2);
  }
}

/** Lines of the axis through all lanes, and one below each header. */
function paintGrid(
  context: CanvasRenderingContext2D,
  { layout, window, width, height, top, ticks }: LanesPicture,
  colors: Colors,
): void {
  context.fillStyle = colors.line;
  for (const { atMs } of ticks) context.fillRect(Math.round(xOf(atMs, window, width)), 0, 1, height);
  const [first, end] = linesBetween(layout, top, top + height);
  for (let index = first; index < end; index += 1) {
    const line = layout.lines[index];
    if (line !== undefined && beginsApart(line, layout.lines[index - 1]))
      context.fillRect(0, line.top - top, width, 1);
  }
}

/** Whether to draw a separator above it. Numbers directly below those of another lane would look like one drawing. */
function beginsApart({ kind }: Line, before: Line | undefined): boolean {
  if (kind === 'curve') return before?.kind === 'curve';
  return kind === 'header' || kind === 'caption';
}
