/** One measurement of a probe, or one request of a load. Times are milliseconds since 1970, by one clock. */
export interface SeriesMeasurement {
  readonly beganMs: number;
  readonly endedMs: number;
  readonly ok: boolean;
  /** It passed by an attempt that began then, after others that failed. @default by its first attempt */
  readonly retriedUntilMs?: number | undefined;
  /** How it failed, in words that follow a number: `refused`, `no answer in 1 s`, `status 503`. */
  readonly failure?: string | undefined;
  /**
   * How long the answer took. Undefined for a failure that took no time worth counting, such as a refused connection: an outage must not
   * make latencies look better.
   */
  readonly latencyMs?: number | undefined;
}
