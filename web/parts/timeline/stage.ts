import { describeMark, offsetWords } from '../../models/timeline/describe.ts';
import { markAt } from '../../models/timeline/hit.ts';
import { CURVE_HEIGHT, ROW_HEIGHT } from '../../models/timeline/layout.ts';
import { makeSlices } from '../../models/timeline/slices.ts';
import { axisTicks, type Tick } from '../../models/timeline/ticks.ts';
import { fitted, msAt, type Window, xOf } from '../../models/timeline/window.ts';
import { type Colors, readColors } from '../../paint/colors.ts';
import { fitCanvas } from '../../paint/frame.ts';
import { LanePainter } from '../../paint/lanes.ts';
import { paintOverlay } from '../../paint/overlay.ts';
import { element, setText } from './element.ts';
import type { Scene } from './state.ts';

/** Width of a tick, in pixels. */
const TICK_WIDTH = 90;
/** Width of a tick's text, in pixels. */
const TICK_WORDS = 34;

/** The two canvases, the labels of the axis, and the tooltip of the mark under the pointer. */
export class Stage {
  readonly element: HTMLElement;
  readonly axis: HTMLElement;
  readonly #lanes = element('canvas', { 'aria-hidden': 'true' });
  readonly #overlay = element('canvas', { 'aria-hidden': 'true', class: 'timeline-overlay' });
  readonly #tip = element('div', { class: 'timeline-tip', 'aria-hidden': 'true', hidden: '' });
  readonly #painter = new LanePainter(makeSlices(0));
  #paintedWidth = 0;
  #colors: Colors | undefined;

  constructor() {
    this.axis = element('div', { class: 'timeline-ticks', 'aria-hidden': 'true' });
    this.element = element(
      'div',
      {
        class: 'timeline-stage',
        role: 'application',
        tabindex: '0',
        'aria-label': 'Time axis: arrow keys walk from mark to mark, question mark lists all keys',
      },
      this.#lanes,
      this.#overlay,
      this.#tip,
    );
  }

  /** Reads the colours again at the next drawing. */
  changeTheme(): void {
    this.#colors = undefined;
  }

  /** Paints lanes and ticks. */
  drawLanes(scene: Scene): void {
    const { width, height, layout, top, options } = scene;
    if (width === 0) return;
    if (this.#paintedWidth !== width) this.#painter.resize(makeSlices(Math.ceil(width)));
    this.#paintedWidth = width;
    const window = windowOf(scene);
    const ticks = axisTicks(window, Math.max(2, Math.floor(width / TICK_WIDTH)));
    this.#painter.paint(
      fitCanvas(this.#lanes, width, height),
      {
        ...{ layout, window, width, height, top, ticks },
        nowMs: options.axis.lengthMs,
        labelOf: (mark) => options.axis.marks[mark]?.label ?? '',
      },
      this.#palette(),
    );
    this.#drawTicks(ticks, window, width);
  }

  /** Paints the overlay, and shows the tooltip under the pointer. Returns the number of that mark. */
  drawOverlay(scene: Scene): number | undefined {
    const { width, height, pointer, options } = scene;
    if (width === 0) return undefined;
    const window = windowOf(scene);
    const nowX = options.isRunning ? xOf(options.axis.lengthMs, window, width) : undefined;
    const hovered = this.#hovered(scene);
    const marks = [
      ...options.evidence.map((id) => ({ id, isSelected: false })),
      ...(options.view.selected === undefined ? [] : [{ id: options.view.selected, isSelected: true }]),
    ];
    const boxes = marks.flatMap(({ id, isSelected }) => boxOf(scene, id, isSelected));
    paintOverlay(
      fitCanvas(this.#overlay, width, height),
      { width, height, hoverX: pointer?.x, nowX, bands: bandsOf(scene), boxes },
      this.#palette(),
    );
    this.#drawTip(scene, hovered);
    return hovered;
  }

  #palette(): Colors {
    this.#colors ??= readColors(this.element);
    return this.#colors;
  }

  #hovered({ pointer, layout, width, options, top, ...scene }: Scene): number | undefined {
    if (pointer === undefined) return undefined;
    const window = windowOf({ options, ...scene });
    return markAt({ layout, window, width, nowMs: options.axis.lengthMs }, pointer.x, pointer.y + top);
  }

  #drawTicks(ticks: readonly Tick[], window: Window, width: number): void {
    while (this.axis.childElementCount > ticks.length) this.axis.lastElementChild?.remove();
    for (const [index, { atMs, label }] of ticks.entries()) {
      const node = this.axis.children[index] ?? this.axis.appendChild(element('span'));
      setText(node, label);
      if (!(node instanceof HTMLElement)) continue;
      const x = xOf(atMs, window, width);
      node.style.transform = `translateX(${x}px)`;
      // A truncated text at the end of the axis would show another time.
      node.hidden = x > width - TICK_WORDS;
    }
  }

  #drawTip(scene: Scene, hovered: number | undefined): void {
    const { pointer, options, width, height } = scene;
    this.#tip.hidden = pointer === undefined;
    if (pointer === undefined) return;
    const time = offsetWords(msAt(pointer.x, windowOf(scene), width));
    setText(
      this.#tip,
      hovered === undefined ? time : describeMark(options.axis, hovered, options.axis.lengthMs),
    );
    this.#tip.dataset.alone = String(hovered === undefined);
    const isRight = pointer.x > width / 2;
    this.#tip.style.left = isRight ? '' : `${pointer.x + 12}px`;
    this.#tip.style.right = isRight ? `${width - pointer.x + 12}px` : '';
    const isLow = pointer.y > height / 2;
    this.#tip.style.top = isLow ? '' : `${pointer.y + 14}px`;
    this.#tip.style.bottom = isLow ? `${height - pointer.y + 8}px` : '';
  }
}

/** The visible part of the run. */
export function windowOf({ options }: Pick<Scene, 'options'>): Window {
  return options.view.window ?? fitted(options.axis.shownMs);
}

/** Where the rows and numbers of lit lanes are on the canvas. */
function bandsOf({ layout, top, lit }: Scene): { top: number; height: number }[] {
  if (lit.size === 0) return [];
  return layout.lines.flatMap((line) => {
    const isDrawn = line.kind === 'row' || line.kind === 'curve';
    if (!isDrawn || !lit.has(line.lane)) return [];
    return [{ top: line.top - top, height: line.kind === 'row' ? ROW_HEIGHT : CURVE_HEIGHT }];
  });
}

/** Position of a mark on the canvas; nothing for a mark in a folded lane. */
function boxOf(
  scene: Scene,
  id: number,
  isSelected: boolean,
): { left: number; right: number; middle: number; isSelected: boolean }[] {
  const { layout, width, top, options } = scene;
  const mark = options.axis.marks[id];
  const line = layout.lines.find(
    (one) =>
      one.kind === 'row' &&
      one.lane === mark?.lane &&
      (one.marks.spans.id.includes(id) || one.marks.points.id.includes(id)),
  );
  if (mark === undefined || line === undefined) return [];
  const window = windowOf(scene);
  const isPoint = mark.startMs === mark.endMs;
  const left = xOf(mark.startMs, window, width) - (isPoint ? 5 : 0);
  const right = isPoint ? left + 10 : xOf(Math.min(mark.endMs, options.axis.lengthMs), window, width);
  if (right < 0 || left > width) return [];
  return [{ left, right, middle: line.top - top + ROW_HEIGHT / 2, isSelected }];
}
