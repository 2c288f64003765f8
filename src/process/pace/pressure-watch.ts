import type { Peak, Pressure } from '../../api/schema/result.ts';
import type { PressureReader } from './pressure-reader.ts';

/** How often the event loop has to come round: what is shorter than this is seen in part. */
const STEP_MS = 100;
/** The machine is looked at once in so many steps. */
const STEPS_PER_LOOK = 20;

/** What one process has seen. */
export type SeenPressure = Omit<Pressure, 'process'>;

/**
 * Watches how late the event loop of this process is, and how busy its machine, until it is disposed of. Ten times a second it reads a clock,
 * each two seconds two small files. It keeps no process alive.
 */
export class PressureWatch implements Disposable {
  readonly #reader: PressureReader;
  #cancel: () => void = () => {};
  #dueMs = 0;
  #steps = 0;
  #late: Peak;
  #load: Peak | undefined;
  #cpuWait: Peak | undefined;

  constructor(reader: PressureReader) {
    this.#reader = reader;
    this.#late = this.#peak(0);
    this.#arm();
  }

  /** The worst since the beginning, up to now. */
  worst(): SeenPressure {
    this.#heedLateness();
    this.#look();
    return {
      cores: this.#reader.cores(),
      eventLoopLateMs: this.#late,
      ...(this.#load === undefined ? {} : { load: this.#load }),
      ...(this.#cpuWait === undefined ? {} : { cpuWaitPercent: this.#cpuWait }),
    };
  }

  [Symbol.dispose](): void {
    this.#cancel();
  }

  #arm(): void {
    const { clock } = this.#reader;
    this.#dueMs = clock.monotonic() + STEP_MS;
    this.#cancel = clock.setTimer(STEP_MS, () => this.#step(), { unref: true });
  }

  #step(): void {
    this.#heedLateness();
    this.#steps += 1;
    if (this.#steps % STEPS_PER_LOOK === 0) this.#look();
    this.#arm();
  }

  #heedLateness(): void {
    const lateMs = Math.round(this.#reader.clock.monotonic() - this.#dueMs);
    if (lateMs > this.#late.value) this.#late = this.#peak(lateMs);
  }

  #look(): void {
    this.#load = this.#higher(this.#load, this.#reader.load());
    this.#cpuWait = this.#higher(this.#cpuWait, this.#reader.cpuWaitPercent());
  }

  #higher(peak: Peak | undefined, value: number | undefined): Peak | undefined {
    if (value === undefined || value <= (peak?.value ?? -1)) return peak;
    return this.#peak(value);
  }

  #peak(value: number): Peak {
    return { value, time: new Date(this.#reader.clock.now()).toISOString() };
  }
}
