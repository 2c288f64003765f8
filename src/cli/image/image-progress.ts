import { clearLine, cursorTo } from 'node:readline';
import type { ImageProgress } from '@turnsole/cluster/images/types';
import { humanBytes } from './human-bytes.ts';

/** What a line says of how far an image is; pure. */
export function progressLine(
  name: string,
  { step, doneBytes, totalBytes, doneLayers, totalLayers }: ImageProgress,
): string {
  if (step === 'resolve') return `${name}: the registry is asked`;
  const what = step === 'download' ? 'downloaded' : 'unpacked';
  return `${name}: ${what} ${humanBytes(doneBytes)} of ${humanBytes(totalBytes)}, ${doneLayers} of ${totalLayers} layers`;
}

/** A line of the terminal that is written anew; elsewhere nothing, as the end says it all. */
export class ProgressLine implements Disposable {
  readonly #stream: NodeJS.WriteStream;

  constructor(stream: NodeJS.WriteStream = process.stderr) {
    this.#stream = stream;
  }

  show(name: string, progress: ImageProgress): void {
    if (!this.#stream.isTTY) return;
    this.#clear();
    this.#stream.write(progressLine(name, progress).slice(0, this.#stream.columns - 1));
  }

  [Symbol.dispose](): void {
    if (this.#stream.isTTY) this.#clear();
  }

  #clear(): void {
    clearLine(this.#stream, 0);
    cursorTo(this.#stream, 0);
  }
}
