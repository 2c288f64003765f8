/** Draws at most once per frame of the screen, however often it is scheduled. */
export class FrameLoop {
  readonly #draw: () => void;
  #frame: number | undefined;

  constructor(draw: () => void) {
    this.#draw = draw;
  }

  /** Schedules a drawing in the next frame. */
  schedule(): void {
    this.#frame ??= requestAnimationFrame(() => {
      this.#frame = undefined;
      this.#draw();
    });
  }

  /** Stops drawing. */
  stop(): void {
    if (this.#frame !== undefined) cancelAnimationFrame(this.#frame);
    this.#frame = undefined;
  }
}

/** Resizes a canvas to its place, in pixels of the screen. */
export function fitCanvas(
  canvas: HTMLCanvasElement,
  width: number,
  height: number,
): CanvasRenderingContext2D {
  const ratio = devicePixelRatio;
  const [wide, high] = [Math.round(width * ratio), Math.round(height * ratio)];
  if (canvas.width !== wide || canvas.height !== high) {
    canvas.width = wide;
    canvas.height = high;
    canvas.style.width = `${width}px`;
    canvas.style.height = `${height}px`;
  }
  const context = canvas.getContext('2d');
  if (context === null) throw new Error('cannot draw the time axis: this browser gives no 2D canvas');
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  return context;
}
