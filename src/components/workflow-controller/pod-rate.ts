/** `resourceRateLimit` of the configuration: how many pods are made in a second, and how many at once after a quiet time. */
export interface RateLimit {
  /** Pods per second, above 0. */
  readonly limit: number;
  /** At least 1. */
  readonly burst: number;
}

/**
 * Gives each pod its time, one after the other. A time that was given is kept when the limit changes.
 *
 * A caller never has to ask again: it gets the time to wait at once, when the pod is decided.
 */
export class PodRate {
  /** When everything given so far has been paid for, one interval a pod. */
  #paidAt = Number.NEGATIVE_INFINITY;

  /** Milliseconds until the next pod may be made; 0 for now. */
  reserve(rate: RateLimit | undefined, now: number): number {
    if (rate === undefined) return 0;
    const intervalMs = 1000 / rate.limit;
    this.#paidAt = Math.max(this.#paidAt, now) + intervalMs;
    return Math.max(0, this.#paidAt - rate.burst * intervalMs - now);
  }
}
