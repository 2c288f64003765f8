import type { Clock } from '../runtime/index.ts';

/** Up to this many objects, each change leads to a pass at once. */
const SMALL = 100;
const MAX_PAUSE_MS = 5_000;

/**
 * How long to wait before the next pass over so many objects, after one that took so long; pure. With a rest factor of 9,
 * passes over one key take a tenth of the time at most: when the machine is busy and a pass slow, the next comes later.
 *
 * A set of a thousand pods that become ready one by one would otherwise need a thousand passes, a million looks at a
 * pod. On an idle machine it rests for about half a second after each pass, and for small sets nothing changes.
 */
export function pauseMs(size: number, lastPassMs: number, restFactor: number): number {
  return size <= SMALL ? 0 : Math.min(MAX_PAUSE_MS, Math.ceil(size / 2 + restFactor * lastPassMs));
}

/** Keeps passes over large keys apart. The first after a quiet time is not delayed. */
export class Pace {
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #sizeOf: (key: string) => number;
  readonly #restFactor: number;
  readonly #last = new Map<string, { readonly endedAtMs: number; readonly tookMs: number }>();

  constructor(clock: Pick<Clock, 'monotonic'>, sizeOf: (key: string) => number, restFactor = 0) {
    this.#clock = clock;
    this.#sizeOf = sizeOf;
    this.#restFactor = restFactor;
  }

  /** Milliseconds until a pass over the key may begin; 0 = now. */
  waitMs(key: string): number {
    const last = this.#last.get(key);
    if (last === undefined) return 0;
    const pause = pauseMs(this.#sizeOf(key), last.tookMs, this.#restFactor);
    const waitMs = last.endedAtMs + pause - this.#clock.monotonic();
    if (waitMs <= 0) this.#last.delete(key);
    return Math.max(0, waitMs);
  }

  /** A pass begins; returns what to call at its end. */
  begin(key: string): () => void {
    const beganAtMs = this.#clock.monotonic();
    return () => {
      const endedAtMs = this.#clock.monotonic();
      if (this.#sizeOf(key) > SMALL) this.#last.set(key, { endedAtMs, tookMs: endedAtMs - beganAtMs });
    };
  }
}
