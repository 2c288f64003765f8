import type { Clock } from '@turnsole/kube/base/clock';

/** Smaller states are reported as they come. */
const LARGE_BYTES = 64 * 1024;
/** Rate for one run. */
const BYTES_PER_SECOND = 1024 * 1024;

/**
 * Rests of runs whose states are large: when a state of 1 MiB changes ten times a second, the agent reports the latest one once a
 * second, and the run takes neither the disk nor the memory for itself. The last report of a run waits for nothing.
 */
export class Rests {
  readonly #clock: Clock;
  readonly #ends = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Begins a rest after a state of so many bytes; that of a last word ends all rests. */
  begin(run: string, bytes: number, isLast: boolean): void {
    if (isLast || bytes < LARGE_BYTES) this.#ends.delete(run);
    else this.#ends.set(run, this.#clock.monotonic() + (bytes / BYTES_PER_SECOND) * 1_000);
  }

  /** Milliseconds that a run still rests. */
  msLeft(run: string): number {
    return Math.max(0, (this.#ends.get(run) ?? 0) - this.#clock.monotonic());
  }

  forget(run: string): void {
    this.#ends.delete(run);
  }
}
