/** Lowest latency that is told apart; what is faster counts as this. */
const LOWEST_MS = 0.1;
/** Each step is this much longer than the one before, so that the middle of a step is off by 1 % at most. */
const GROWTH = 1.02;
const LOG_GROWTH = Math.log(GROWTH);
/** About 30 hours; what takes longer counts in the last step, and is exact as maximum. */
const STEPS = 1050;

/**
 * Latencies of any number of measurements in at most 4 KiB: their number, minimum and maximum are exact, percentiles are off by 1 % at
 * most.
 */
export class Latencies {
  #counts = new Uint32Array(0);
  #count = 0;
  #minMs = Infinity;
  #maxMs = 0;

  /** How many were added. */
  get count(): number {
    return this.#count;
  }

  /** Undefined while there are none. */
  get maxMs(): number | undefined {
    return this.#count === 0 ? undefined : this.#maxMs;
  }

  add(ms: number): void {
    const step = stepOf(ms);
    if (step >= this.#counts.length) this.#grow(step);
    this.#counts[step] = (this.#counts[step] ?? 0) + 1;
    this.#count += 1;
    this.#minMs = Math.min(this.#minMs, ms);
    this.#maxMs = Math.max(this.#maxMs, ms);
  }

  /**
   * The latency that `share` of all do not exceed (nearest rank); undefined while there are none.
   *
   * @param share more than 0, at most 1
   */
  percentile(share: number): number | undefined {
    const rank = Math.ceil(share * this.#count);
    let seen = 0;
    for (const [step, count] of this.#counts.entries()) {
      seen += count;
      if (count > 0 && seen >= rank) return Math.min(Math.max(middleOf(step), this.#minMs), this.#maxMs);
    }
    return undefined;
  }

  /** Adds all of another. */
  merge(other: Latencies): void {
    if (other.#counts.length > this.#counts.length) this.#grow(other.#counts.length - 1);
    for (const [step, count] of other.#counts.entries()) {
      if (count > 0) this.#counts[step] = (this.#counts[step] ?? 0) + count;
    }
    this.#count += other.#count;
    this.#minMs = Math.min(this.#minMs, other.#minMs);
    this.#maxMs = Math.max(this.#maxMs, other.#maxMs);
  }

  /** A copy that further measurements do not change. */
  copy(): Latencies {
    const copy = new Latencies();
    copy.merge(this);
    return copy;
  }

  #grow(step: number): void {
    const counts = new Uint32Array(Math.min(STEPS, Math.max(256, 2 * step)));
    counts.set(this.#counts);
    this.#counts = counts;
  }
}

function stepOf(ms: number): number {
  if (ms <= LOWEST_MS) return 0;
  return Math.min(STEPS - 1, 1 + Math.floor(Math.log(ms / LOWEST_MS) / LOG_GROWTH));
}

function middleOf(step: number): number {
  return step === 0 ? LOWEST_MS : LOWEST_MS * GROWTH ** (step - 0.5);
}
