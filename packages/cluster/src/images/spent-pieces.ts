import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** So many bytes of pieces may be spent before they are freed: a collection of young objects takes about a millisecond. */
const MOST_BYTES = 2 * 1024 * 1024;

type Collect = (options: { readonly type: 'minor' }) => void;

/**
 * Frees pieces of content that have passed through this process. They are outside of the heap of JavaScript, so that the heap hardly grows and V8
 * would collect them only after some 60 MB, which the system's allocator then keeps for good.
 */
export class SpentPieces {
  #bytes = 0;
  #collect: Collect | undefined;

  /** A piece was handed on and is needed no more. */
  add(bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes < MOST_BYTES) return;
    this.#bytes = 0;
    this.#collect ??= collector();
    this.#collect({ type: 'minor' });
  }
}

/** V8 hands its collector to contexts that are made after the flag was set. */
function collector(): Collect {
  setFlagsFromString('--expose-gc');
  const found: unknown = runInNewContext('gc');
  setFlagsFromString('--no-expose-gc');
  return found as Collect; // V8's own, with the options of its extension
}
