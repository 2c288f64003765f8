import { type DotState, type MomentNow, momentAt } from '../../models/replay/moment.ts';
import type { Asker, Box, Replay } from '../../models/replay/replay.ts';
import { type Curve, makeCurveSlices, shareOf, sliceCurve } from '../../models/timeline/curve.ts';
import { element, setText } from '../timeline/element.ts';

/** Size of a probe's curve in its own units; it is stretched to its place. */
const [CURVE_WIDTH, CURVE_HEIGHT] = [240, 32];
/** More pods of one box are only counted. */
const MOST_DOTS = 120;
/** How far the dashes of the traffic move in a second of the run, in pixels. */
const FLOW_PX = 40;
/** Pixels after which they look the same. */
const DASH_PX = 12;

interface DrawnBox {
  readonly root: HTMLElement;
  readonly words: HTMLElement;
  readonly dots: HTMLElement;
}

interface DrawnAsker {
  readonly root: HTMLElement;
  readonly words: HTMLElement;
  readonly cursor: HTMLElement | undefined;
  readonly line: HTMLElement;
}

/** The picture of a moment: probes on the left, what they ask on the right, the traffic between them. */
export class ReplayPicture {
  readonly element = element('div', { class: 'replay-picture' });
  #replay: Replay | undefined;
  #boxes: DrawnBox[] = [];
  #askers: DrawnAsker[] = [];

  /** Makes the elements of a replay anew. */
  show(replay: Replay): void {
    this.#replay = replay;
    this.#boxes = replay.boxes.map(makeBox);
    this.#askers = replay.askers.map((asker) => makeAsker(asker, replay.lengthMs));
    const askersOf = (box: number | undefined): DrawnAsker[] =>
      this.#askers.filter((_, index) => replay.askers[index]?.box === box);
    // Probes of which no box is known stand beside the first box that nobody asks, without a line.
    const others = askersOf(undefined);
    const lone = this.#boxes.findIndex((_, index) => askersOf(index).length === 0);
    const rows = this.#boxes.map(({ root }, index) =>
      index === lone ? row(others, root, false) : row(askersOf(index), root, true),
    );
    const isLeft = others.length > 0 && lone < 0;
    this.element.replaceChildren(...rows, ...(isLeft ? [row(others, undefined, false)] : []));
  }

  /** Shows a moment, and returns it. */
  draw(atMs: number): MomentNow | undefined {
    const replay = this.#replay;
    if (replay === undefined) return undefined;
    const now = momentAt(replay, atMs);
    for (const [index, { root, words, dots }] of this.#boxes.entries()) {
      const box = now.boxes[index];
      if (box === undefined) continue;
      setData(root, 'hit', String(box.isHit));
      setText(words, box.words);
      drawDots(dots, box.dots);
    }
    const flow = `${Math.round(((atMs / 1000) * FLOW_PX) % DASH_PX)}px`;
    for (const [index, { root, words, cursor, line }] of this.#askers.entries()) {
      const asker = now.askers[index];
      if (asker === undefined) continue;
      for (const node of [root, line]) setData(node, 'found', asker.found);
      setData(line, 'asking', String(asker.isAsking));
      setText(words, asker.words);
      if (asker.isAsking) line.style.setProperty('--own-flow', flow);
      if (cursor !== undefined) cursor.style.transform = `translateX(${(100 * atMs) / replay.lengthMs}%)`;
    }
    return now;
  }
}

function row(askers: readonly DrawnAsker[], box: HTMLElement | undefined, isKnown: boolean): HTMLElement {
  const pairs = askers.map(({ root, line }) =>
    element('div', { class: 'replay-ask' }, root, ...(isKnown ? [line] : [])),
  );
  const left = element('div', { class: 'replay-asks' }, ...pairs);
  return element('div', { class: 'replay-row' }, left, ...(box === undefined ? [] : [box]));
}

function makeBox({ kind, name }: Box): DrawnBox {
  const words = element('small');
  const dots = element('div', { class: 'replay-dots', 'aria-hidden': 'true' });
  const title = name === '' ? `${kind}s` : name;
  const head = element('p', {}, element('b', { title: `${kind} ${name}`.trim() }, title), ' ', words);
  return { root: element('div', { class: 'replay-box' }, head, dots), words, dots };
}

function makeAsker({ name, asks, curve }: Asker, lengthMs: number): DrawnAsker {
  const words = element('small');
  const root = element(
    'div',
    { class: 'replay-probe' },
    element('p', {}, element('b', {}, name), ' ', words),
  );
  if (asks !== '') root.append(element('p', { class: 'replay-asked', title: asks }, asks));
  const line = element('div', { class: 'replay-line', 'aria-hidden': 'true' });
  // A line needs two points.
  if (curve === undefined || curve.time.length < 2) return { root, words, line, cursor: undefined };
  const cursor = element('i');
  root.append(
    element('div', { class: 'replay-curve', 'aria-hidden': 'true' }, drawing(curve, lengthMs), cursor),
  );
  return { root, words, line, cursor };
}

const SVG = 'http://www.w3.org/2000/svg';

/** The curve of the whole run. */
function drawing(curve: Curve, lengthMs: number): SVGElement {
  const slices = makeCurveSlices(CURVE_WIDTH);
  sliceCurve(curve, { fromMs: 0, toMs: Math.max(1, lengthMs) }, CURVE_WIDTH, slices);
  const yOf = (value = 0): string => ((1 - shareOf(curve.scale, value)) * CURVE_HEIGHT).toFixed(1);
  let path = '';
  for (let at = 0; at < slices.length; at += 1) {
    const { x, first, min, max, last, isJoined } = slices;
    const step = isJoined[at] === 1 ? 'L' : 'M';
    path += [first, min, max, last]
      .map((values, index) => `${index === 0 ? step : 'L'}${x[at]} ${yOf(values[at])}`)
      .join('');
  }
  const svg = document.createElementNS(SVG, 'svg');
  svg.setAttribute('viewBox', `0 0 ${CURVE_WIDTH} ${CURVE_HEIGHT}`);
  svg.setAttribute('preserveAspectRatio', 'none');
  const drawn = document.createElementNS(SVG, 'path');
  drawn.setAttribute('d', path);
  svg.append(drawn);
  return svg;
}

function drawDots(place: HTMLElement, states: readonly DotState[]): void {
  const shown = Math.min(states.length, MOST_DOTS);
  while (place.childElementCount > shown) place.lastElementChild?.remove();
  for (let index = 0; index < shown; index += 1) {
    const dot = (place.children[index] ?? place.appendChild(element('i'))) as HTMLElement;
    setData(dot, 'state', states[index] ?? 'well');
  }
}

function setData(node: HTMLElement, name: string, value: string): void {
  if (node.dataset[name] !== value) node.dataset[name] = value;
}
