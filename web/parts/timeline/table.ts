import { timeWords } from '../../models/timeline/describe.ts';
import { KIND_WORDS } from '../../models/timeline/kinds.ts';
import { marksInOrder } from '../../models/timeline/moment.ts';
import { element } from './element.ts';
import type { TimelineOptions } from './state.ts';

const ROW_PX = 28;
const SPARE_ROWS = 10;
const COLUMNS = ['time', 'group', 'lane', 'state', 'what'];

/** The marks of the axis as a table: the same marks and folded groups, for those who read better than they look. Only rows in view are made. */
export class MarkTable {
  readonly element = element('div', {
    class: 'timeline-table',
    role: 'table',
    'aria-label': 'Marks of the time axis',
    tabindex: '0',
  });
  readonly #body = element('div', { role: 'rowgroup', class: 'timeline-rows' });
  #options: TimelineOptions | undefined;
  #order: readonly number[] = [];

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
      this.#order = marksInOrder(axis).filter((id) => !view.folded.has(groupOf(options, id)));
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
      .map((id, index) => rowOf(options, id, first + index));
    this.#body.replaceChildren(...rows);
  }
}

function groupOf({ axis }: TimelineOptions, id: number): string {
  return axis.lanes[axis.marks[id]?.lane ?? -1]?.group ?? '';
}

function rowOf(options: TimelineOptions, id: number, index: number): HTMLElement {
  const { axis, view } = options;
  const mark = axis.marks[id];
  const cells =
    mark === undefined
      ? []
      : [
          timeWords(mark, axis.lengthMs),
          groupOf(options, id),
          axis.lanes[mark.lane]?.name ?? '',
          KIND_WORDS[mark.kind],
          mark.label,
        ];
  const row = element(
    'div',
    {
      role: 'row',
      class: 'timeline-row',
      'aria-rowindex': String(index + 2),
      'data-mark': String(id),
      'data-selected': String(view.selected === id),
    },
    ...cells.map((text) => element('span', { role: 'cell', title: text }, text)),
  );
  row.style.transform = `translateY(${index * ROW_PX}px)`;
  return row;
}
