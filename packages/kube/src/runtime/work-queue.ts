import { type BackoffOptions, backoffDelayMs } from '../base/backoff.ts';
import { type Clock, type Random, systemClock } from '../base/clock.ts';
import { MinHeap } from '../base/min-heap.ts';
import { ForwardTime, LOOK_EVERY_MS } from '../base/time-of-day.ts';

/** What a queue holds at one moment. */
export interface QueueState {
  /** Keys that are ready. */
  readonly ready: number;
  /** Keys with workers. */
  readonly taken: number;
  /** For how long workers have had their keys, all of them together. */
  readonly unfinishedSeconds: number;
  /** The longest of these times; 0 when no worker has a key. */
  readonly longestSeconds: number;
}

/** What a queue reports about itself; src/process/metrics.ts keeps numbers of it. */
export interface QueueMetrics {
  /** The queue is open; `read` reads its state whenever the numbers are wanted. */
  opened(read: () => QueueState): void;
  /** A key became ready that was not. */
  added(): void;
  /** How long a key was ready before a worker took it. */
  waited(seconds: number): void;
  /** How long a worker had it. */
  worked(seconds: number): void;
  retried(): void;
}

interface WorkQueueOptions {
  /** Delays of {@link WorkQueue.addRateLimited} per key. @default 20 ms doubling to 60 s, half of it random */
  readonly backoff?: BackoffOptions;
  /** @default the machine's clock */
  readonly clock?: Clock;
  /** @default Math.random */
  readonly random?: Random;
  readonly metrics?: QueueMetrics;
}

const DEFAULT_BACKOFF: BackoffOptions = { baseMs: 20, maxMs: 60_000, jitter: 'equal' };

/**
 * Keys that wait for a worker.
 *
 * Where a key can be, and what moves it:
 *
 *     addAfter ─▶ delayed ──due──▶ ready ──get──▶ taken ──done──▶ (gone)
 *                       add ─────────▲              │ add meanwhile: taken again after done
 *                                    └──────────────┘
 *
 * Guarantees: a key is ready at most once however often it was added; it is with at most one worker; an add while it is
 * taken is not lost but makes it ready once more after `done`; ready keys are handed out in the order in which they
 * became ready, so a busy key goes to the end of the line and starves no other. Of several delayed adds of a key the
 * earliest counts; an immediate add leaves a delayed one as it is.
 */
export class WorkQueue {
  readonly #clock: Clock;
  /** That of delays: keys wait for schedules, leases and deadlines as well as for a next try. */
  readonly #time: ForwardTime;
  readonly #random: Random;
  readonly #backoff: BackoffOptions;
  readonly #metrics: QueueMetrics | undefined;

  /** Ready keys in order; those before `#head` are handed out. */
  #line: string[] = [];
  #head = 0;
  /** When each ready key became so. */
  readonly #readyAt = new Map<string, number>();
  readonly #taken = new Map<string, { readonly at: number; again: boolean }>();
  readonly #dueAt = new Map<string, number>();
  readonly #delayed = new MinHeap<{ readonly key: string; readonly at: number }>((a, b) => a.at < b.at);
  #cancelTimer: (() => void) | undefined;
  #timerAt = Number.POSITIVE_INFINITY;
  readonly #failures = new Map<string, number>();
  #waiters: ((key: string | undefined) => void)[] = [];
  #isShutDown = false;
  readonly #idle = Promise.withResolvers<void>();

  constructor(options: WorkQueueOptions = {}) {
    this.#clock = options.clock ?? systemClock;
    this.#time = new ForwardTime(this.#clock);
    this.#random = options.random ?? Math.random;
    this.#backoff = options.backoff ?? DEFAULT_BACKOFF;
    this.#metrics = options.metrics;
    this.#metrics?.opened(() => this.state);
  }

  /** What it holds now. */
  get state(): QueueState {
    const now = this.#clock.monotonic();
    const seconds = [...this.#taken.values()].map(({ at }) => (now - at) / 1_000);
    return {
      ready: this.#readyAt.size,
      taken: this.#taken.size,
      unfinishedSeconds: seconds.reduce((sum, one) => sum + one, 0),
      longestSeconds: Math.max(0, ...seconds),
    };
  }

  /** Keys whose time has not come. */
  get delayed(): number {
    return this.#dueAt.size;
  }

  /** Makes a key ready, or, while it is taken, ready again afterwards. Ignored after shutdown. */
  add(key: string): void {
    if (this.#isShutDown) return;
    this.#makeReady(key);
  }

  /** Makes a key ready after a delay; of several delays of one key the earliest counts. */
  addAfter(key: string, delayMs: number): void {
    if (this.#isShutDown) return;
    if (delayMs <= 0) {
      this.add(key);
      return;
    }
    const at = this.#time.now() + delayMs;
    const known = this.#dueAt.get(key);
    if (known !== undefined && known <= at) return;
    this.#dueAt.set(key, at);
    this.#delayed.push({ key, at });
    this.#arm();
  }

  /** Makes a key ready after a delay that grows with its failures; returns the delay. */
  addRateLimited(key: string): number {
    const failures = (this.#failures.get(key) ?? 0) + 1;
    this.#failures.set(key, failures);
    this.#metrics?.retried();
    const delayMs = backoffDelayMs(failures, this.#backoff, this.#random);
    this.addAfter(key, delayMs);
    return delayMs;
  }

  /** Failures in a row of a key. */
  failures(key: string): number {
    return this.#failures.get(key) ?? 0;
  }

  /** Ends a key's row of failures. */
  forget(key: string): void {
    this.#failures.delete(key);
  }

  /** The next ready key, as soon as one is ready; undefined once the queue is shut down and empty. `done` must follow. */
  get(): Promise<string | undefined> {
    const key = this.#takeFirst();
    if (key !== undefined) return Promise.resolve(key);
    if (this.#isShutDown && this.#isDrained()) return Promise.resolve(undefined);
    return new Promise((resolve) => this.#waiters.push(resolve));
  }

  /** Gives a key back; if it was added meanwhile it goes to the end of the line. */
  done(key: string): void {
    const taken = this.#taken.get(key);
    if (taken === undefined) return;
    this.#taken.delete(key);
    this.#metrics?.worked((this.#clock.monotonic() - taken.at) / 1_000);
    if (taken.again) this.#makeReady(key);
    this.#endIfDrained();
  }

  /**
   * Ends the queue: delayed keys and later adds are dropped. Resolves when all workers have given their keys back.
   * @param options.drain hand out ready keys first; otherwise they are dropped too
   */
  shutdown(options: { readonly drain: boolean }): Promise<void> {
    this.#isShutDown = true;
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    this.#delayed.clear();
    this.#dueAt.clear();
    if (!options.drain) {
      this.#line = [];
      this.#head = 0;
      this.#readyAt.clear();
      for (const taken of this.#taken.values()) taken.again = false;
    }
    this.#endIfDrained();
    return this.#idle.promise;
  }

  #makeReady(key: string): void {
    const taken = this.#taken.get(key);
    if (taken !== undefined) {
      taken.again = true;
      return;
    }
    if (this.#readyAt.has(key)) return;
    this.#metrics?.added();
    this.#readyAt.set(key, this.#clock.monotonic());
    this.#line.push(key);
    const waiter = this.#waiters.shift();
    if (waiter !== undefined) waiter(this.#takeFirst());
  }

  #takeFirst(): string | undefined {
    const key = this.#line[this.#head];
    if (key === undefined) return undefined;
    this.#head += 1;
    // Cutting off the spent half now and then costs less than shifting each time.
    if (this.#head > 1_024 && this.#head * 2 > this.#line.length) {
      this.#line = this.#line.slice(this.#head);
      this.#head = 0;
    }
    const now = this.#clock.monotonic();
    const since = this.#readyAt.get(key) ?? now;
    this.#readyAt.delete(key);
    this.#taken.set(key, { at: now, again: false });
    this.#metrics?.waited((now - since) / 1_000);
    return key;
  }

  #arm(): void {
    const next = this.#delayed.peek();
    if (next === undefined || next.at >= this.#timerAt) return;
    this.#cancelTimer?.();
    this.#timerAt = next.at;
    const ms = Math.min(Math.max(0, next.at - this.#time.now()), LOOK_EVERY_MS);
    this.#cancelTimer = this.#clock.setTimer(ms, () => this.#releaseDue());
  }

  #releaseDue(): void {
    this.#timerAt = Number.POSITIVE_INFINITY;
    this.#cancelTimer = undefined;
    const now = this.#time.now();
    for (let next = this.#delayed.peek(); next !== undefined && next.at <= now; next = this.#delayed.peek()) {
      this.#delayed.pop();
      // An earlier delay has replaced this entry.
      if (this.#dueAt.get(next.key) !== next.at) continue;
      this.#dueAt.delete(next.key);
      this.#makeReady(next.key);
    }
    this.#arm();
  }

  #isDrained(): boolean {
    return this.#readyAt.size === 0 && this.#taken.size === 0;
  }

  #endIfDrained(): void {
    if (!this.#isShutDown || !this.#isDrained()) return;
    for (const waiter of this.#waiters) waiter(undefined);
    this.#waiters = [];
    this.#idle.resolve();
  }
}
