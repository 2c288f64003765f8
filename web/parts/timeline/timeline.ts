import { describeMark } from '../../models/timeline/describe.ts';
import { markAt } from '../../models/timeline/hit.ts';
import { laneAt, layoutLanes, ROW_HEIGHT } from '../../models/timeline/layout.ts';
import { walk } from '../../models/timeline/walk.ts';
import { msAt, panned, revealing, type Window, zoomed } from '../../models/timeline/window.ts';
import { FrameLoop } from '../../paint/frame.ts';
import { element, setText } from './element.ts';
import { listenToPointer } from './gestures.ts';
import { type Command, commandOf } from './keys.ts';
import { Names } from './names.ts';
import { Stage, windowOf } from './stage.ts';
import type { AxisPlace, Handle, Scene, TimelineOptions, TimelineView } from './state.ts';
import { MarkTable } from './table.ts';
import { makeToolbar } from './toolbar.ts';

/** Below this width, in pixels, names are above their lanes. */
const NARROW_PX = 560;

/**
 * The time axis of a run in an element: lanes on a canvas, names and texts as elements, a table of the same marks. It uses no
 * framework, so that the page and an exported file share the code.
 */
export class Timeline {
  readonly #root: HTMLElement;
  readonly #ended = new AbortController();
  readonly #stage = new Stage();
  readonly #names: Names;
  readonly #table: MarkTable;
  readonly #scroll: HTMLElement;
  readonly #tall: HTMLElement;
  /** The place of the ticks, and of a handle over them. */
  readonly #times = element('div', { class: 'timeline-times' });
  readonly #spoken = element('div', { class: 'timeline-spoken', 'aria-live': 'polite' });
  readonly #toolbar: ReturnType<typeof makeToolbar>;
  readonly #frame = new FrameLoop(() => this.#draw());
  readonly #sizes: ResizeObserver;
  readonly #scene: Scene;
  /** Whether to paint the lanes again; otherwise only the overlay. */
  #isStale = true;
  /** The last reported place of the pointer. */
  #reportedPlace: AxisPlace | undefined;

  constructor(root: HTMLElement, options: TimelineOptions) {
    this.#root = root;
    this.#scene = {
      options,
      layout: layoutLanes(options.axis, options.view.folded),
      width: 0,
      height: 0,
      top: 0,
      pointer: undefined,
      lit: new Set(),
      handle: undefined,
    };
    const { signal } = this.#ended;
    const names = element('div', { class: 'timeline-names' });
    this.#names = new Names(names, (group) => this.#toggle(group));
    this.#table = new MarkTable(signal, (id) => this.#choose(id));
    this.#tall = element('div', { class: 'timeline-tall' }, names, this.#stage.element);
    this.#scroll = element('div', { class: 'timeline-scroll' }, this.#tall);
    this.#toolbar = makeToolbar((command) => this.#obey(command), signal);
    this.#times.append(this.#stage.axis);
    const head = element('div', { class: 'timeline-head-row' }, this.#toolbar.element, this.#times);
    root.classList.add('timeline');
    root.append(head, this.#scroll, this.#table.element, this.#toolbar.help, this.#spoken);
    this.#listen(signal);
    this.#sizes = new ResizeObserver(() => this.#measure());
    this.#sizes.observe(this.#scroll);
    this.#show();
  }

  /** Shows other data, or another part of the same. */
  update(options: TimelineOptions): void {
    this.#scene.options = options;
    this.#show();
  }

  /** Highlights the lanes of what the reader points at elsewhere. */
  light(lanes: ReadonlySet<number>): void {
    this.#scene.lit = lanes;
    this.#frame.schedule();
  }

  /** Offers the replay beside the other tools; undefined while there is none, or it is open. */
  offerReplay(open: (() => void) | undefined): void {
    this.#toolbar.offerReplay(open);
  }

  /** Takes a handle, which then moves by itself, or takes it away. */
  hold(handle: Handle | undefined): void {
    this.#scene.handle?.element.remove();
    this.#scene.handle?.line.remove();
    this.#scene.handle = handle;
    if (handle === undefined) return;
    this.#times.append(handle.element);
    this.#stage.element.append(handle.line);
    this.#frame.schedule();
  }

  /** Removes the axis from its element. */
  destroy(): void {
    this.#ended.abort();
    this.#sizes.disconnect();
    this.#frame.stop();
    this.#root.classList.remove('timeline');
    this.#root.replaceChildren();
  }

  #show(): void {
    const { options, width } = this.#scene;
    const { isTable, folded } = options.view;
    const isNarrow = this.#root.clientWidth < NARROW_PX;
    this.#root.dataset.narrow = String(isNarrow);
    this.#root.dataset.table = String(isTable);
    this.#scene.layout = layoutLanes(options.axis, folded, isNarrow);
    this.#tall.style.height = `${this.#scene.layout.height}px`;
    this.#toolbar.show(options.view);
    if (isTable) this.#table.show(options);
    if (width === 0) this.#measure();
    this.#paintAnew();
  }

  #paintAnew(): void {
    this.#isStale = true;
    this.#frame.schedule();
  }

  #measure(): void {
    const isNarrow = this.#root.clientWidth < NARROW_PX;
    if (String(isNarrow) !== this.#root.dataset.narrow) this.#show();
    this.#scene.height = this.#scroll.clientHeight;
    this.#stage.element.style.height = `${this.#scene.height}px`;
    this.#scene.width = this.#stage.element.clientWidth;
    this.#paintAnew();
  }

  #draw(): void {
    const scene = this.#scene;
    scene.top = this.#scroll.scrollTop;
    if (this.#isStale) this.#stage.drawLanes(scene);
    this.#isStale = false;
    const hovered = this.#stage.drawOverlay(scene);
    this.#stage.element.dataset.hit = String(hovered !== undefined);
    const { pointer, width } = scene;
    scene.handle?.place(windowOf(scene), width);
    this.#reportPlace(pointer && { mark: hovered, lane: laneAt(scene.layout, pointer.y + scene.top) });
    this.#names.draw(scene, pointer === undefined ? undefined : msAt(pointer.x, windowOf(scene), width));
  }

  #reportPlace(place: AxisPlace | undefined): void {
    const { mark, lane } = place ?? {};
    if (mark === this.#reportedPlace?.mark && lane === this.#reportedPlace?.lane) return;
    this.#reportedPlace = place;
    this.#scene.options.onHover?.(place);
  }

  #listen(signal: AbortSignal): void {
    this.#scroll.addEventListener('scroll', () => this.#paintAnew(), { signal, passive: true });
    const themes = matchMedia('(prefers-color-scheme: dark)');
    themes.addEventListener('change', () => this.changeTheme(), { signal });
    const chosen = new MutationObserver(() => this.changeTheme());
    chosen.observe(document.documentElement, { attributeFilter: ['data-theme'] });
    signal.addEventListener('abort', () => chosen.disconnect());
    this.#stage.element.addEventListener('keydown', (event) => this.#key(event), { signal });
    this.#table.element.addEventListener('keydown', (event) => this.#keyOfTable(event), { signal });
    const whole = (): Window => this.#scene.options.axis.whole;
    const moved = (pixels: number): number => {
      const { fromMs, toMs } = windowOf(this.#scene);
      return (pixels * (toMs - fromMs)) / Math.max(1, this.#scene.width);
    };
    listenToPointer(
      this.#stage.element,
      {
        hover: (place) => {
          this.#scene.pointer = place;
          this.#frame.schedule();
        },
        click: ({ x, y }) => {
          const { layout, width, options, top } = this.#scene;
          const window = windowOf(this.#scene);
          this.#choose(markAt({ layout, window, width, nowMs: options.axis.lengthMs }, x, y + top));
        },
        doubleClick: () => this.#obey({ do: 'open' }),
        drag: (byX, byY) => {
          this.#scroll.scrollTop -= byY;
          this.#change({ window: panned(windowOf(this.#scene), -moved(byX), whole()) });
        },
        pan: (byX) => this.#change({ window: panned(windowOf(this.#scene), moved(byX), whole()) }),
        zoom: (factor, x) => {
          const window = windowOf(this.#scene);
          this.#change({ window: zoomed(window, factor, msAt(x, window, this.#scene.width), whole()) });
        },
      },
      signal,
    );
  }

  /** Reads the colours again after a change of the theme. */
  changeTheme(): void {
    this.#stage.changeTheme();
    this.#paintAnew();
  }

  #key(event: KeyboardEvent): void {
    const command = commandOf(event);
    if (command === undefined) return;
    event.preventDefault();
    this.#obey(command);
    // What had the focus is not there any more.
    if (command.do === 'table') this.#table.element.focus();
  }

  /** The table scrolls by the other keys. */
  #keyOfTable(event: KeyboardEvent): void {
    if (commandOf(event)?.do !== 'table') return;
    event.preventDefault();
    this.#obey({ do: 'table' });
    this.#stage.element.focus();
  }

  #obey(command: Command): void {
    const { options } = this.#scene;
    const { axis, view } = options;
    const window = windowOf(this.#scene);
    const middle = (window.fromMs + window.toMs) / 2;
    switch (command.do) {
      case 'walk':
        this.#walkTo(walk(axis, view.selected, command.step, view.folded));
        break;
      case 'zoom':
        this.#change({
          window: zoomed(
            window,
            command.factor,
            axis.marks[view.selected ?? -1]?.startMs ?? middle,
            axis.whole,
          ),
        });
        break;
      case 'pan':
        this.#change({
          window: panned(window, command.share * (window.toMs - window.fromMs), axis.whole),
        });
        break;
      case 'fit':
        this.#change({ window: undefined });
        break;
      case 'table':
        this.#change({ isTable: !view.isTable });
        break;
      case 'clear':
        this.#change({ selected: undefined });
        break;
      case 'open':
        if (view.selected !== undefined) options.onOpen(view.selected);
        break;
      case 'help':
        this.#toolbar.toggleHelp();
    }
  }

  #walkTo(id: number | undefined): void {
    const { axis } = this.#scene.options;
    const mark = axis.marks[id ?? -1];
    if (id === undefined || mark === undefined) return;
    this.#choose(id);
    const shown = windowOf(this.#scene);
    const window = revealing(shown, mark.startMs, axis.whole);
    if (window !== shown) this.#change({ window });
    const line = this.#scene.layout.lines.find((one) => one.kind === 'row' && one.lane === mark.lane);
    if (line === undefined) return;
    const { height, top } = this.#scene;
    if (line.top < top) this.#scroll.scrollTop = line.top;
    else if (line.top + ROW_HEIGHT > top + height) this.#scroll.scrollTop = line.top + ROW_HEIGHT - height;
  }

  #choose(id: number | undefined): void {
    const { axis } = this.#scene.options;
    this.#change({ selected: id });
    setText(this.#spoken, id === undefined ? '' : describeMark(axis, id, axis.lengthMs));
  }

  #toggle(group: string): void {
    const folded = new Set(this.#scene.options.view.folded);
    if (!folded.delete(group)) folded.add(group);
    this.#change({ folded });
  }

  #change(changes: Partial<TimelineView>): void {
    const { options } = this.#scene;
    const view = { ...options.view, ...changes };
    this.#scene.options = { ...options, view };
    const isMoved = Object.keys(changes).every((name) => name === 'window');
    if (isMoved) this.#paintAnew();
    else this.#show();
    options.onView(view);
  }
}
