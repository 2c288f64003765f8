import { setTimeout as delay } from 'node:timers/promises';

/** Between two looks at what no event reports. */
export const LOOK_EVERY_MS = 5;

/** One look: the effect is there, it is not, or this look does not show. */
export type Sight = boolean | undefined;

/** The sightings of an onlooker from outside, look by look. Times are those of Date.now(). */
export class Sightings {
  readonly #seen: { readonly isThere: boolean; readonly atMs: number }[] = [];
  readonly #waiting = new Set<() => void>();

  /** @param atMs when it was so, where that is known only later @default now */
  note(isThere: boolean, atMs = Date.now()): void {
    this.#seen.push({ isThere, atMs });
    for (const wake of [...this.#waiting]) wake();
  }

  /** When the effect was first seen, or first not seen, at a time or after it. @throws the signal's reason */
  first(isThere: boolean, fromMs: number, signal: AbortSignal): Promise<number> {
    return new Promise((resolve, reject) => {
      const end = (): void => {
        this.#waiting.delete(look);
        signal.removeEventListener('abort', fail);
      };
      const fail = (): void => {
        end();
        reject(signal.reason);
      };
      const look = (): void => {
        const found = this.#seen.find((one) => one.isThere === isThere && one.atMs >= fromMs);
        if (found === undefined) return;
        end();
        resolve(found.atMs);
      };
      if (signal.aborted) return reject(signal.reason);
      signal.addEventListener('abort', fail);
      this.#waiting.add(look);
      look();
    });
  }
}

/** Looks at one effect until it is stopped. */
export interface Onlooker {
  readonly sightings: Sightings;
  readonly stop: () => Promise<void>;
}

/** Runs a look that goes on until its signal ends it; `stop` throws what the look throws before that. */
export function onlook(look: (sightings: Sightings, signal: AbortSignal) => Promise<void>): Onlooker {
  const sightings = new Sightings();
  const over = new AbortController();
  const looking = look(sightings, over.signal).catch((error: unknown) => {
    if (!over.signal.aborted) throw error;
  });
  looking.catch(() => {});
  return {
    sightings,
    stop: () => {
      over.abort();
      return looking;
    },
  };
}

/** Looks again and again at something that is quick to read, such as a file of /proc. */
export function pollOnlooker(look: () => Sight): Onlooker {
  return onlook(async (sightings, signal) => {
    for (;;) {
      const isThere = look();
      if (isThere !== undefined) sightings.note(isThere);
      await delay(LOOK_EVERY_MS, undefined, { signal });
    }
  });
}
