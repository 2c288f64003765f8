/** Callbacks for the pointer, in pixels of the stage. */
interface Gestures {
  hover(place: { readonly x: number; readonly y: number } | undefined): void;
  click(place: { readonly x: number; readonly y: number }): void;
  doubleClick(place: { readonly x: number; readonly y: number }): void;
  /** The picture is dragged by a distance. */
  drag(byX: number, byY: number): void;
  zoom(factor: number, x: number): void;
  pan(byX: number): void;
}

/** A pointer that moves less than this is a click. */
const CLICK_PX = 4;
/** How much one pixel of the wheel zooms. */
const WHEEL_FACTOR = 1.0015;
/** Pixels of a line, for wheels that count lines. */
const LINE_PX = 16;

/**
 * Reports pointer gestures over an element. The wheel zooms with Ctrl or ⌘, and without them once the element was clicked or reached by
 * the keyboard; before that it scrolls the page, as usual. Ends with `signal`.
 */
export function listenToPointer(stage: HTMLElement, gestures: Gestures, signal: AbortSignal): void {
  let pressed: { x: number; y: number; hasMoved: boolean } | undefined;
  const placeOf = (event: MouseEvent): { x: number; y: number } => {
    const box = stage.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  };
  const listen = <Name extends keyof HTMLElementEventMap>(
    name: Name,
    listener: (event: HTMLElementEventMap[Name]) => void,
  ): void => stage.addEventListener(name, listener, { signal, passive: name !== 'wheel' });

  listen('pointerdown', (event) => {
    if (event.button !== 0) return;
    pressed = { ...placeOf(event), hasMoved: false };
    stage.setPointerCapture(event.pointerId);
  });
  listen('pointermove', (event) => {
    const place = placeOf(event);
    gestures.hover(place);
    if (pressed === undefined) return;
    const [byX, byY] = [place.x - pressed.x, place.y - pressed.y];
    if (!pressed.hasMoved && Math.hypot(byX, byY) < CLICK_PX) return;
    gestures.drag(byX, byY);
    pressed = { ...place, hasMoved: true };
  });
  listen('pointerup', (event) => {
    if (pressed?.hasMoved === false) gestures.click(placeOf(event));
    pressed = undefined;
  });
  listen('pointercancel', () => {
    pressed = undefined;
  });
  listen('pointerleave', () => gestures.hover(undefined));
  listen('dblclick', (event) => gestures.doubleClick(placeOf(event)));
  listen('wheel', (event) => {
    const unit = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? LINE_PX : 1;
    const isZoom = event.ctrlKey || event.metaKey || stage.contains(document.activeElement);
    if (Math.abs(event.deltaX) > Math.abs(event.deltaY) || event.shiftKey) {
      event.preventDefault();
      gestures.pan((event.deltaX === 0 ? event.deltaY : event.deltaX) * unit);
    } else if (isZoom) {
      event.preventDefault();
      gestures.zoom(WHEEL_FACTOR ** (event.deltaY * unit), placeOf(event).x);
    }
  });
}
