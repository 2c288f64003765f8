import type { Axis } from '../models/timeline/axis.ts';
import { lineName, nameParts } from '../models/timeline/describe.ts';
import { KIND_WORDS, KINDS } from '../models/timeline/kinds.ts';
import { CURVE_HEIGHT, layoutLanes, ROW_HEIGHT } from '../models/timeline/layout.ts';
import { makeSlices } from '../models/timeline/slices.ts';
import { axisTicks } from '../models/timeline/ticks.ts';
import { fitted, xOf } from '../models/timeline/window.ts';
import type { Colors } from './colors.ts';
import { LanePainter } from './lanes.ts';

/** Texts of a picture beside the lanes. */
interface PictureWords {
  readonly title: string;
  /** The first line of the run, wrapped if too long. */
  readonly sentence: string;
}

/** Sizes of the picture, in pixels; browsers fail to draw on a canvas higher than some 16,000. */
const [WIDTH, NAMES, MARGIN, TICKS, LINE, MOST_HIGH] = [1400, 320, 24, 28, 20, 6000];
/** Pixels of the file for each of these. */
const RATIO = 2;

/** The time axis of a run as a self-contained picture: title, sentence, names, all lanes, legend. Counts the lanes that do not fit. */
export function paintPicture(
  axis: Axis,
  { title, sentence }: PictureWords,
  colors: Colors,
): HTMLCanvasElement {
  const canvas = document.createElement('canvas');
  const context = canvas.getContext('2d');
  if (context === null) throw new Error('cannot make the picture: this browser gives no 2D canvas');
  context.font = `14px ${colors.font}`;
  const lines = broken(context, sentence, WIDTH - 2 * MARGIN);
  const whole = layoutLanes(axis, new Set());
  const shown = whole.lines.filter(({ top }) => top < MOST_HIGH);
  const left = whole.lines.length - shown.length;
  const height = Math.min(whole.height, MOST_HIGH);
  const top = MARGIN + 28 + lines.length * LINE + 12 + TICKS;
  const below = 2 * LINE + MARGIN + (left > 0 ? LINE : 0);
  canvas.width = WIDTH * RATIO;
  canvas.height = (top + height + below) * RATIO;
  const place = (x: number, y: number): void =>
    context.setTransform(RATIO, 0, 0, RATIO, x * RATIO, y * RATIO);

  const stage = { left: MARGIN + NAMES, width: WIDTH - NAMES - 2 * MARGIN };
  const window = fitted(axis.lengthMs);
  const ticks = axisTicks(window, 10);
  place(stage.left, top);
  context.save();
  context.beginPath();
  context.rect(0, 0, stage.width, height);
  context.clip();
  new LanePainter(makeSlices(stage.width)).paint(
    context,
    {
      ...{ layout: { lines: shown, height }, window, width: stage.width, height, top: 0, ticks },
      nowMs: axis.lengthMs,
      labelOf: (mark) => axis.marks[mark]?.label ?? '',
    },
    colors,
  );
  context.restore();

  place(0, 0);
  context.textBaseline = 'middle';
  write(context, {
    x: MARGIN,
    y: MARGIN + 8,
    text: title,
    font: `600 18px ${colors.font}`,
    color: colors.text,
  });
  for (const [index, text] of lines.entries())
    write(context, {
      x: MARGIN,
      y: MARGIN + 36 + index * LINE,
      text,
      font: `14px ${colors.font}`,
      color: colors.text,
    });
  for (const { atMs, label } of ticks) {
    const x = stage.left + xOf(atMs, window, stage.width) + 4;
    write(context, { x, y: top - TICKS / 2, text: label, font: `12px ${colors.font}`, color: colors.quiet });
  }
  for (const line of shown) {
    if (line.kind === 'header') {
      const text = `${line.group} (${line.lanes})`;
      write(context, {
        x: MARGIN,
        y: top + line.top + 14,
        text,
        font: `600 12px ${colors.font}`,
        color: colors.quiet,
      });
    } else if (line.kind === 'curve' || (line.kind === 'row' && line.row === 0)) {
      const text = lineName(axis, line);
      const y = top + line.top + (line.kind === 'curve' ? CURVE_HEIGHT : ROW_HEIGHT) / 2;
      write(context, {
        x: MARGIN + 8,
        y,
        text: fittedText(context, text, NAMES - 16),
        font: `13px ${colors.font}`,
        color: colors.text,
      });
    }
  }
  if (left > 0) {
    const text = `${left} further lines are not in this picture.`;
    write(context, {
      x: MARGIN,
      y: top + height + LINE,
      text,
      font: `12px ${colors.font}`,
      color: colors.quiet,
    });
  }
  paintSigns(context, axis, top + height + below - MARGIN, colors);
  // Painting lanes clears their place, so the background is painted last, beneath them.
  context.globalCompositeOperation = 'destination-over';
  context.fillStyle = colors.paper;
  context.fillRect(0, 0, WIDTH, top + height + below);
  return canvas;
}

/** The legend of the colours in the picture. */
function paintSigns(context: CanvasRenderingContext2D, { marks }: Axis, y: number, colors: Colors): void {
  const present = new Set(marks.map(({ kind }) => kind));
  let x = MARGIN;
  for (const kind of KINDS.filter((one) => present.has(one))) {
    context.fillStyle = colors.kinds[kind];
    context.fillRect(x, y - 5, 14, 10);
    const text = KIND_WORDS[kind];
    write(context, { x: x + 20, y, text, font: `12px ${colors.font}`, color: colors.quiet });
    x += 40 + context.measureText(text).width;
  }
}

interface Words {
  readonly x: number;
  readonly y: number;
  readonly text: string;
  readonly font: string;
  readonly color: string;
}

function write(context: CanvasRenderingContext2D, { x, y, text, font, color }: Words): void {
  context.font = font;
  context.fillStyle = color;
  context.fillText(text, x, y);
}

/** A text in lines of at most so many pixels. */
function broken(context: CanvasRenderingContext2D, text: string, width: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(/\s+/)) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (line !== '' && context.measureText(longer).width > width) {
      lines.push(line);
      line = word;
    } else line = longer;
  }
  return [...lines, line];
}

/** Letters of the end of a name and of its owner in a picture. */
const MOST_TAIL = 20;

/** Shortens a name but keeps its end, in which pods of one workload differ. */
function fittedText(context: CanvasRenderingContext2D, text: string, width: number): string {
  if (context.measureText(text).width <= width) return text;
  const [start, end, whose] = nameParts(text);
  const tail = [...end, ...whose].slice(0, MOST_TAIL).join('');
  let head = [...start];
  while (head.length > 0 && context.measureText(`${head.join('')}…${tail}`).width > width)
    head = head.slice(0, -1);
  return `${head.join('')}…${tail}`;
}
