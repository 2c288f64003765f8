import { msAt, type Window, xOf } from '../../models/timeline/window.ts';
import { element } from '../timeline/element.ts';
import type { Handle } from '../timeline/state.ts';

/** What the reader does with the handle. */
interface HandleUse {
  /** Called with the moment to which it is dragged. */
  drag(atMs: number): void;
  key(event: KeyboardEvent): void;
}

/** The handle of a replay over the time axis: a slider, which is dragged along the whole row of times. */
export class MomentHandle implements Handle {
  readonly element: HTMLElement;
  readonly line = element('div', { class: 'replay-line-of-axis', 'aria-hidden': 'true' });
  readonly #knob: HTMLElement;
  #window: Window = { fromMs: 0, toMs: 1 };
  #width = 1;
  #atMs = 0;

  constructor(use: HandleUse) {
    this.#knob = element('div', {
      class: 'replay-knob',
      role: 'slider',
      tabindex: '0',
      'aria-label': 'Moment of the replay',
      'aria-valuemin': '0',
    });
    this.element = element('div', { class: 'replay-handle' }, this.#knob);
    this.#knob.addEventListener('keydown', (event) => use.key(event));
    const dragTo = ({ clientX }: PointerEvent): void => {
      const { left } = this.element.getBoundingClientRect();
      use.drag(msAt(clientX - left, this.#window, this.#width));
    };
    this.element.addEventListener('pointerdown', (event) => {
      this.element.setPointerCapture(event.pointerId);
      this.#knob.focus({ preventScroll: true });
      event.preventDefault();
      dragTo(event);
    });
    this.element.addEventListener('pointermove', (event) => {
      if (this.element.hasPointerCapture(event.pointerId)) dragTo(event);
    });
  }

  place(window: Window, width: number): void {
    this.#window = window;
    this.#width = width;
    const x = Math.round(xOf(this.#atMs, window, width));
    // Outside of what is shown it waits at the edge.
    this.#knob.style.transform = `translateX(${Math.min(width, Math.max(0, x))}px)`;
    this.line.style.transform = `translateX(${x}px)`;
  }

  /** Moves to a moment. */
  move(atMs: number): void {
    this.#atMs = atMs;
    this.place(this.#window, this.#width);
  }

  /** What a screen reader is told of its moment. */
  tell(lengthMs: number, words: string): void {
    this.#knob.setAttribute('aria-valuemax', String(Math.round(lengthMs)));
    this.#knob.setAttribute('aria-valuenow', String(Math.round(this.#atMs)));
    this.#knob.setAttribute('aria-valuetext', words);
  }
}
