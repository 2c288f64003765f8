import { type Clock, systemClock } from '@turnsole/kube/base/clock';
import { ownRunDelayMs } from './run-delay.ts';

/** A limit of time that a process can use. */
export interface Pace {
  /** Longest time with a processor, in milliseconds. */
  readonly limitMs: number;
  /** Longest time in all, in milliseconds. @default ten times the limit, at most a minute more than it */
  readonly capMs?: number;
  /**
   * Milliseconds that those who have to work within the limit have waited for a processor so far, beside this process: of a child, that of its
   * `RunDelay`. @default none
   */
  readonly waitedMs?: () => number;
}

/** What of the time since the beginning could be used. */
export interface Spent {
  /** All of it, in milliseconds. */
  readonly wallMs: number;
  /** In this much of it the work had no processor: the event loop was late, or a process waited for its turn. */
  readonly lostMs: number;
}

/** A busy machine is named where it had a share in the time: this much of it. */
const NAMED_SHARE = 0.1;

/** `21 s`, or `52 s, in 31 s of which this machine gave it no processor`. Pure. */
export function describeSpent({ wallMs, lostMs }: Spent): string {
  const all = `${Math.round(wallMs / 100) / 10} s`;
  if (lostMs < wallMs * NAMED_SHARE) return all;
  return `${all}, in ${Math.round(lostMs / 100) / 10} s of which this machine, being busy, gave it no processor`;
}

/** What a {@link PacedLimit} uses of its process. */
export interface PaceSources {
  readonly clock: Clock;
  /** See {@link ownRunDelayMs}. */
  readonly ownDelayMs: () => number;
}

/** Those of this process. Where a test moves the clock, nothing waits for a processor. */
export function paceSources(clock: Clock): PaceSources {
  return { clock, ownDelayMs: clock === systemClock ? ownRunDelayMs : () => 0 };
}

/** A look at the time is due after a twentieth of the limit, within these bounds. */
const SHORTEST_STEP_MS = 10;
const LONGEST_STEP_MS = 250;
/** A look that comes later than this has left answers unread that came in time. */
const LATE_MS = 5;
const MOST_EXTRA_MS = 60_000;

/**
 * A signal that aborts when a limit of time is over, of which only time with a processor counts, or when its cap is. On a busy machine an
 * answer that is there may not be read yet, and a child may not have begun: the limit waits for both. It keeps no process alive.
 *
 * A limit ends after a turn of the event loop that was not late, so that what arrived within it has been read before.
 */
export class PacedLimit implements Disposable {
  readonly signal: AbortSignal;
  readonly #pace: Required<Pace>;
  readonly #sources: PaceSources;
  readonly #aborting = new AbortController();
  readonly #reason: (spent: Spent, isStarved: boolean) => Error;
  readonly #startedMs: number;
  #lostMs = 0;
  /** The last look, when the next one is due, and the waits of both kinds until then. */
  #lookedMs: number;
  #dueMs: number;
  #delayMs: number;
  #isLast = false;
  #cancel: () => void = () => {};

  /** @param reason what the signal aborts with; `isStarved`: the cap was over, and the limit not yet */
  constructor(
    { limitMs, capMs = defaultCapMs(limitMs), waitedMs = () => 0 }: Pace,
    reason: (spent: Spent, isStarved: boolean) => Error,
    sources: PaceSources = paceSources(systemClock),
  ) {
    this.signal = this.#aborting.signal;
    this.#pace = { limitMs, capMs, waitedMs };
    this.#reason = reason;
    this.#sources = sources;
    this.#startedMs = sources.clock.monotonic();
    this.#lookedMs = this.#startedMs;
    this.#dueMs = this.#startedMs;
    this.#delayMs = this.#delay();
    this.#arm();
  }

  /** Until now; after the signal aborted, until that. */
  spent(): Spent {
    if (!this.signal.aborted) this.#look();
    return { wallMs: this.#lookedMs - this.#startedMs, lostMs: this.#lostMs };
  }

  /** Ends the limit: its signal never aborts. */
  [Symbol.dispose](): void {
    this.#cancel();
  }

  /** Adds what was lost since the last look; gives by how much this look is late. */
  #look(): number {
    const nowMs = this.#sources.clock.monotonic();
    const delayMs = this.#delay();
    const lateMs = Math.max(0, nowMs - this.#dueMs);
    this.#lostMs += lostMs({ elapsedMs: nowMs - this.#lookedMs, lateMs, delayMs: delayMs - this.#delayMs });
    this.#lookedMs = nowMs;
    this.#delayMs = delayMs;
    // Lateness up to now is counted; what is due later still is.
    this.#dueMs = Math.max(this.#dueMs, nowMs);
    return lateMs;
  }

  #tick(): void {
    const lateMs = this.#look();
    const { limitMs, capMs } = this.#pace;
    const wallMs = this.#lookedMs - this.#startedMs;
    const isOver = wallMs - this.#lostMs >= limitMs;
    if (isOver && lateMs > LATE_MS && !this.#isLast && wallMs < capMs) this.#isLast = true;
    else if (isOver || wallMs >= capMs) {
      this.#aborting.abort(this.#reason({ wallMs, lostMs: this.#lostMs }, !isOver));
      return;
    }
    this.#arm();
  }

  #arm(): void {
    const { limitMs, capMs } = this.#pace;
    const wallMs = this.#lookedMs - this.#startedMs;
    const step = Math.min(LONGEST_STEP_MS, Math.max(SHORTEST_STEP_MS, limitMs / 20));
    const ms = Math.ceil(Math.max(1, Math.min(step, limitMs - (wallMs - this.#lostMs), capMs - wallMs)));
    this.#dueMs = this.#lookedMs + ms;
    this.#cancel = this.#sources.clock.setTimer(ms, () => this.#tick(), { unref: true });
  }

  #delay(): number {
    return this.#sources.ownDelayMs() + this.#pace.waitedMs();
  }
}

/** The share of a time in which nothing could be done: the longer one of both reasons, which may be the same wait. Pure. */
function lostMs(time: {
  readonly elapsedMs: number;
  readonly lateMs: number;
  readonly delayMs: number;
}): number {
  return Math.min(Math.max(0, time.elapsedMs), Math.max(time.lateMs, time.delayMs));
}

function defaultCapMs(limitMs: number): number {
  return Math.min(limitMs * 10, limitMs + MOST_EXTRA_MS);
}
