import type { Socket } from 'node:net';
import type { Clock } from '@turnsole/kube/base/clock';

/** Bytes that wait, of all lines of a proxy together. */
export interface DelayBudget {
  bytes: number;
}

/** Limit of one line; further bytes wait at the sender. */
const LINE_LIMIT_BYTES = 4 * 1024 * 1024;
/** All lines together, so that thousands of slow connections do not fill the memory of a helper. */
const TOTAL_LIMIT_BYTES = 32 * 1024 * 1024;
/** A line may hold this much even if all others are full: else a connection could stand still for good. */
const LINE_SHARE_BYTES = 64 * 1024;

interface Waiting {
  readonly dueAt: number;
  /** Undefined: the end. */
  readonly data: Buffer | undefined;
}

/**
 * Writes to a socket, each piece a while after it was given, in order. Pieces keep their distance in time: it delays
 * the stream, and keeps its rate.
 */
export class DelayLine {
  readonly #socket: Socket;
  readonly #clock: Pick<Clock, 'monotonic' | 'setTimer'>;
  readonly #budget: DelayBudget;
  readonly #onRelief: () => void;
  #waiting: Waiting[] = [];
  #bytes = 0;
  #cancelTimer: (() => void) | undefined;
  #isReleased = false;
  #hasEnded = false;

  /** @param onRelief called when {@link isFull} may have become false */
  constructor(
    socket: Socket,
    clock: Pick<Clock, 'monotonic' | 'setTimer'>,
    budget: DelayBudget,
    onRelief: () => void,
  ) {
    this.#socket = socket;
    this.#clock = clock;
    this.#budget = budget;
    this.#onRelief = onRelief;
    socket.on('drain', onRelief);
    socket.once('close', () => this.#drop());
  }

  /** Whether the sender should wait. */
  get isFull(): boolean {
    return (
      this.#socket.writableNeedDrain ||
      this.#bytes > LINE_LIMIT_BYTES ||
      (this.#bytes > LINE_SHARE_BYTES && this.#budget.bytes > TOTAL_LIMIT_BYTES)
    );
  }

  /** Gives a piece to the socket after `delayMs`, and not before those that were given earlier. */
  write(data: Buffer, delayMs: number): void {
    if (this.#hasEnded || this.#socket.destroyed) return;
    if (this.#waiting.length === 0 && (delayMs <= 0 || this.#isReleased)) {
      this.#socket.write(data);
      return;
    }
    this.#bytes += data.length;
    this.#budget.bytes += data.length;
    this.#push(data, delayMs);
  }

  /** Ends the socket after everything that waits. Idempotent. */
  end(delayMs = 0): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    if (this.#waiting.length === 0 && (delayMs <= 0 || this.#isReleased)) this.#socket.end();
    else this.#push(undefined, delayMs);
  }

  /** Gives everything that waits to the socket now; nothing is delayed any more. */
  release(): void {
    this.#isReleased = true;
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    this.#flush(Number.POSITIVE_INFINITY);
  }

  #push(data: Buffer | undefined, delayMs: number): void {
    const last = this.#waiting.at(-1)?.dueAt ?? 0;
    this.#waiting.push({ dueAt: Math.max(last, this.#clock.monotonic() + delayMs), data });
    if (this.#cancelTimer === undefined) this.#arm();
  }

  #arm(): void {
    const [first] = this.#waiting;
    if (first === undefined) return;
    const wait = Math.max(0, first.dueAt - this.#clock.monotonic());
    this.#cancelTimer = this.#clock.setTimer(wait, () => {
      this.#cancelTimer = undefined;
      this.#flush(this.#clock.monotonic());
      this.#arm();
    });
  }

  #flush(now: number): void {
    const count = this.#waiting.findIndex(({ dueAt }) => dueAt > now);
    const due = this.#waiting.splice(0, count < 0 ? this.#waiting.length : count);
    for (const { data } of due) {
      if (data === undefined) {
        this.#socket.end();
        continue;
      }
      this.#bytes -= data.length;
      this.#budget.bytes -= data.length;
      this.#socket.write(data);
    }
    if (due.length > 0) this.#onRelief();
  }

  #drop(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    this.#budget.bytes -= this.#bytes;
    this.#bytes = 0;
    this.#waiting = [];
    this.#hasEnded = true;
  }
}
