import { KIND_WORDS } from '../../models/timeline/kinds.ts';
import { CAPTION_HEIGHT, type Line, linesBetween, ROW_HEIGHT } from '../../models/timeline/layout.ts';
import { laneAtMoment } from '../../models/timeline/moment.ts';
import { element, setText } from './element.ts';
import type { Scene } from './state.ts';

/** Lines beyond the view that have their names, so that scrolling shows none without. */
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
      // Headers are always there: they are few, and the keyboard reaches them.
      const isNear = index >= first && index < end;
      if (line === undefined || !(line.kind === 'header' || (isNear && isNamed(line, hasCaptions)))) continue;
      const key = line.kind === 'header' ? `group ${line.group}` : `lane ${line.lane}`;
      const node = this.#shown.get(key) ?? this.#make(key, line);
      unused.delete(key);
      node.style.transform = `translateY(${line.top}px)`;
      if (line.kind === 'header') {
        node.setAttribute('aria-expanded', String(!line.isFolded));
        setText(node, `${line.group} (${line.lanes})`);
        continue;
      }
      const lane = options.axis.lanes[line.lane];
      const [name, tail, state] = node.children;
      const [before, after] = inTwo(lane?.name ?? '');
      if (name !== undefined) setText(name, before);
      if (tail !== undefined) setText(tail, after);
      node.title = lane?.name ?? '';
      const kind = atMs === undefined ? undefined : laneAtMoment(lane, atMs);
      if (state !== undefined) setText(state, kind === undefined ? '' : KIND_WORDS[kind]);
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
  return line.kind === 'caption' || (line.kind === 'row' && line.row === 0 && !hasCaptions);
}

function laneName(line: Line): HTMLElement {
  const node = element('div', { class: 'timeline-name' }, element('span'), element('b'), element('small'));
  node.style.height = `${line.kind === 'caption' ? CAPTION_HEIGHT : ROW_HEIGHT}px`;
  return node;
}

/** Letters at the end of a name that are always shown: pods of one workload differ there. */
const TAIL = 7;

/** A name as what may be cut and what may not. */
function inTwo(name: string): readonly [string, string] {
  const letters = [...name];
  return [letters.slice(0, -TAIL).join(''), letters.slice(-TAIL).join('')];
}
