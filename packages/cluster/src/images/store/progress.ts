/** Tells how far things are, not more often than anybody reads. */
import type { ImageProgress } from '../types.ts';

/** Shortest time between two reports. */
const REPORT_MS = 100;

type Totals = Pick<ImageProgress, 'totalBytes' | 'totalLayers'>;

/** One step of an image's way. */
interface StepProgress {
  add(bytes: number, layers: number): void;
  set(bytes: number, layers: number): void;
}

export class Progress {
  readonly #listener: ((progress: ImageProgress) => void) | undefined;
  #next = 0;

  constructor(listener: ((progress: ImageProgress) => void) | undefined) {
    this.#listener = listener;
  }

  begin(step: ImageProgress['step'], totals: Totals): StepProgress {
    let [doneBytes, doneLayers] = [0, 0];
    const set = (bytes: number, layers: number): void => {
      const isEnd = layers === totals.totalLayers && layers !== doneLayers;
      [doneBytes, doneLayers] = [bytes, layers];
      this.#tell({ step, doneBytes, doneLayers, ...totals }, isEnd);
    };
    this.#tell({ step, doneBytes, doneLayers, ...totals }, true);
    return { set, add: (bytes, layers) => set(doneBytes + bytes, doneLayers + layers) };
  }

  #tell(progress: ImageProgress, isImportant: boolean): void {
    if (this.#listener === undefined) return;
    const now = performance.now();
    if (!isImportant && now < this.#next) return;
    this.#next = now + REPORT_MS;
    this.#listener(progress);
  }
}
