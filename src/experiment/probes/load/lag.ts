/** Timers that fire this much late are usual on an idle machine. */
const USUAL_MS = 5;

/**
 * How long a process could not work because it got no processor, or was busy with something else: by how much its own timer was late.
 * What it saw of others in that time says nothing of them.
 */
export class Lag {
  #totalMs = 0;
  #wakesAtMs: number | undefined;
  #longestMs = 0;

  /** The timer is set to fire then. */
  sleepsUntil(atMs: number): void {
    this.#wakesAtMs = atMs;
  }

  /** The timer has fired. */
  woke(nowMs: number): void {
    const lateMs = this.#lateMs(nowMs);
    this.#totalMs += lateMs;
    this.#longestMs = Math.max(this.#longestMs, lateMs);
    this.#wakesAtMs = undefined;
  }

  /** All of it so far, also when the timer that is late has not fired yet. */
  totalMs(nowMs: number): number {
    return this.#totalMs + this.#lateMs(nowMs);
  }

  /** The longest time of it. */
  get longestMs(): number {
    return this.#longestMs;
  }

  #lateMs(nowMs: number): number {
    const lateMs = nowMs - (this.#wakesAtMs ?? nowMs);
    return lateMs < USUAL_MS ? 0 : lateMs;
  }
}
