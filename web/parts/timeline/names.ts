import type { AxisLane } from '../../models/timeline/axis.ts';
import { valueAt, valueWords } from '../../models/timeline/curve.ts';
import { lineName, nameParts } from '../../models/timeline/describe.ts';
import { KIND_WORDS } from '../../models/timeline/kinds.ts';
import {
  CAPTION_HEIGHT,
  CURVE_HEIGHT,
  type Line,
  linesBetween,
  ROW_HEIGHT,
} from '../../models/timeline/layout.ts';
import { laneAtMoment } from '../../models/timeline/moment.ts';
import { element, setText } from './element.ts';
import type { Scene } from './state.ts';

/** Margin in which names are rendered too, so that scrolling shows no lines without names. */
const SPARE_PX = 200;

/** The names of groups and lanes, as elements: only those in view and near it. */
export class Names {
  readonly #root: HTMLElement;
  readonly #shown = new Map<string, HTMLElement>();
  readonly #toggle: (group: string) => void;

  constructor(root: HTMLElement, toggle: (group: string) => void) {
    this.#root = root;
    this.#toggle = toggle;
  }

  /** Shows the names of the lines in view; `atMs` adds what each lane shows at that moment. */
  draw(scene: Scene, atMs: number | undefined): void {
    const { layout, top, height, options } = scene;
    const hasCaptions = layout.lines.some(({ kind }) => kind === 'caption');
    const [first, end] = linesBetween(layout, top - SPARE_PX, top + height + SPARE_PX);
    const unused = new Set(this.#shown.keys());
    for (let index = 0; index < layout.lines.length; index += 1) {
      const line = layout.lines[index];
      // Headers are always rendered: they are few, and the keyboard reaches them.
      const isNear = index >= first && index < end;
      if (line === undefined || !(line.kind === 'header' || (isNear && isNamed(line, hasCaptions)))) continue;
      const key =
        line.kind === 'header' ? `group ${line.group}` : `${isCurve(line) ? 'curve' : 'lane'} ${line.lane}`;
      const node = this.#shown.get(key) ?? this.#make(key, line);
      unused.delete(key);
      node.style.transform = `translateY(${line.top}px)`;
      node.dataset.lit = String('lane' in line && scene.lit.has(line.lane));
      if (line.kind === 'header') {
        node.setAttribute('aria-expanded', String(!line.isFolded));
        setText(node, `${line.group} (${line.lanes})`);
        continue;
      }
      const lane = options.axis.lanes[line.lane];
      const [name, tail, whose, state] = node.children;
      const text = lineName(options.axis, line);
      const [before, after, last] = nameParts(text);
      if (name !== undefined) setText(name, before);
      if (tail !== undefined) setText(tail, after);
      if (whose !== undefined) setText(whose, last);
      node.title = text;
      if (state !== undefined) setText(state, atMs === undefined ? '' : stateAt(line, lane, atMs));
    }
    for (const key of unused) {
      this.#shown.get(key)?.remove();
      this.#shown.delete(key);
    }
  }

  #make(key: string, line: Line): HTMLElement {
    const node = line.kind === 'header' ? this.#header(line.group) : laneName(line);
    this.#shown.set(key, node);
    this.#root.append(node);
    return node;
  }

  #header(group: string): HTMLElement {
    const node = element('button', { class: 'timeline-group', type: 'button' });
    node.addEventListener('click', () => this.#toggle(group));
    return node;
  }
}

function isNamed(line: Line, hasCaptions: boolean): boolean {
  if (hasCaptions) return line.kind === 'caption';
  return isCurve(line) || (line.kind === 'row' && line.row === 0);
}

function isCurve({ kind }: Line): boolean {
  return kind === 'curve';
}

/** State of a line at a moment, in words; a caption stands for its rows and numbers. */
function stateAt({ kind }: Line, lane: AxisLane | undefined, atMs: number): string {
  const state = kind === 'curve' ? undefined : laneAtMoment(lane, atMs);
  const curve = kind === 'row' ? undefined : lane?.curve;
  const value = curve === undefined ? undefined : valueAt(curve, atMs);
  const words = [
    ...(state === undefined ? [] : [KIND_WORDS[state]]),
    ...(value === undefined ? [] : [valueWords(value, curve?.unit ?? '')]),
  ];
  return words.join(', ');
}

function laneName(line: Line): HTMLElement {
  const name = isCurve(line) ? 'timeline-name timeline-curve' : 'timeline-name';
  const node = element(
    'div',
    { class: name },
    ...(['span', 'b', 'span', 'small'] as const).map((tag) => element(tag)),
  );
  const heights = { caption: CAPTION_HEIGHT, curve: CURVE_HEIGHT, row: ROW_HEIGHT, header: 0 };
  node.style.height = `${heights[line.kind]}px`;
  return node;
}
