import type { Clock } from '../../../../kube/runtime/clock.ts';
import type { Environment } from '../../registry/environment.ts';

/** An environment in which the same calls get the same time, numbers and uids, however often they are made. */
export class Replay {
  readonly env: Environment;
  readonly #sources: readonly Remembered<unknown>[];

  constructor(base: Environment) {
    const numbers = new Remembered(base.random);
    const uids = new Remembered(base.uid);
    this.#sources = [numbers, uids];
    this.env = {
      ...base,
      clock: stoppedClock(base.clock),
      random: () => numbers.next(),
      uid: () => uids.next(),
    };
  }

  /** The next calls get what the first ones got. */
  rewind(): void {
    for (const source of this.#sources) source.rewind();
  }
}

/** The values of a source, to be had again in their order. */
class Remembered<Value> {
  readonly #make: () => Value;
  readonly #made: Value[] = [];
  #position = 0;

  constructor(make: () => Value) {
    this.#make = make;
  }

  next(): Value {
    if (this.#position === this.#made.length) this.#made.push(this.#make());
    const value = this.#made[this.#position];
    this.#position += 1;
    // The position never passes the end.
    return value as Value;
  }

  rewind(): void {
    this.#position = 0;
  }
}

function stoppedClock(clock: Clock): Clock {
  const now = clock.now();
  return {
    now: () => now,
    sleep: (ms, signal) => clock.sleep(ms, signal),
    setTimer: (ms, callback, options) => clock.setTimer(ms, callback, options),
  };
}
