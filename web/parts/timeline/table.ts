import type { Axis } from '../../models/timeline/axis.ts';
import { valueWords } from '../../models/timeline/curve.ts';
import { offsetWords, timeWords } from '../../models/timeline/describe.ts';
import { KIND_WORDS } from '../../models/timeline/kinds.ts';
import { rowsInOrder, type TableRow } from '../../models/timeline/moment.ts';
import { element } from './element.ts';
import type { TimelineOptions } from './state.ts';

const ROW_PX = 28;
const SPARE_ROWS = 10;
const COLUMNS = ['time', 'group', 'lane', 'state', 'what'];

/** The axis as a table: the same marks, numbers and folded groups, for example for screen readers. Only visible rows are rendered. */
export class MarkTable {
  readonly element = element('div', {
    class: 'timeline-table',
    role: 'table',
    'aria-label': 'Marks of the time axis',
    tabindex: '0',
  });
  readonly #body = element('div', { role: 'rowgroup', class: 'timeline-rows' });
  #options: TimelineOptions | undefined;
  #order: readonly TableRow[] = [];

  constructor(signal: AbortSignal, choose: (mark: number) => void) {
    const head = element(
      'div',
      { role: 'row', class: 'timeline-row' },
      ...COLUMNS.map((name) => element('span', { role: 'columnheader' }, name)),
    );
    this.element.append(element('div', { role: 'rowgroup', class: 'timeline-head' }, head), this.#body);
    this.element.addEventListener('scroll', () => this.#draw(), { signal, passive: true });
    this.#body.addEventListener(
      'click',
      ({ target }) => {
        const row = target instanceof Element ? target.closest<HTMLElement>('[data-mark]') : null;
        if (row !== null) choose(Number(row.dataset.mark));
      },
      { signal },
    );
  }

  /** Shows the marks of an axis. */
  show(options: TimelineOptions): void {
    const isSame = options.axis === this.#options?.axis && options.view.folded === this.#options.view.folded;
    this.#options = options;
    if (!isSame) {
      const { axis, view } = options;
      this.#order = rowsInOrder(axis).filter(({ lane }) => !view.folded.has(axis.lanes[lane]?.group ?? ''));
    }
    this.element.setAttribute('aria-rowcount', String(this.#order.length + 1));
    this.#body.style.height = `${this.#order.length * ROW_PX}px`;
    this.#draw();
  }

  #draw(): void {
    const options = this.#options;
    if (options === undefined) return;
    const first = Math.max(0, Math.floor(this.element.scrollTop / ROW_PX) - SPARE_ROWS);
    const shown = Math.ceil(this.element.clientHeight / ROW_PX) + 2 * SPARE_ROWS;
    const rows = this.#order
      .slice(first, first + shown)
      .map((row, index) => rowOf(options, row, first + index));
    this.#body.replaceChildren(...rows);
  }
}

function rowOf(options: TimelineOptions, { lane, mark, point }: TableRow, index: number): HTMLElement {
  const { axis, view } = options;
  const { group = '', name = '' } = axis.lanes[lane] ?? {};
  const [time, state, what] = mark === undefined ? pointCells(axis, lane, point ?? 0) : markCells(axis, mark);
  const row = element(
    'div',
    {
      role: 'row',
      class: 'timeline-row',
      'aria-rowindex': String(index + 2),
      ...(mark !== undefined && {
        'data-mark': String(mark),
        'data-selected': String(view.selected === mark),
      }),
    },
    ...[time, group, name, state, what].map((text) => element('span', { role: 'cell', title: text }, text)),
  );
  row.style.transform = `translateY(${index * ROW_PX}px)`;
  return row;
}

type Cells = readonly [time: string, state: string, what: string];

function markCells({ marks, lengthMs }: Axis, id: number): Cells {
  const mark = marks[id];
  return mark === undefined ? ['', '', ''] : [timeWords(mark, lengthMs), KIND_WORDS[mark.kind], mark.label];
}

function pointCells({ lanes }: Axis, lane: number, point: number): Cells {
  const curve = lanes[lane]?.curve;
  if (curve === undefined) return ['', '', ''];
  const { what, unit, time, value } = curve;
  const words = valueWords(value[point] ?? 0, unit);
  return [offsetWords(time[point] ?? 0), 'measured', what === '' ? words : `${what} ${words}`];
}
