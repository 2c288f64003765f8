import type { Pressure } from '../../../api/schema/result.ts';
import { describeOverload, gravestPressures } from '../../../chaos/overload.ts';
import type { PressureReader } from '../../../process/pace/pressure-reader.ts';
import { PressureWatch } from '../../../process/pace/pressure-watch.ts';

/** How busy the machines of a run are: that of this process as it goes on, those of its helpers as they report it at their ends. */
export class PressureLog {
  readonly #process: string;
  readonly #own: PressureWatch | undefined;
  readonly #helpers: Pressure[] = [];
  #before: Pressure | undefined;

  /** @param process the name of this process, `experiment/pod-delete` */
  constructor(process: string, reader: PressureReader | undefined) {
    this.#process = process;
    this.#own = reader === undefined ? undefined : new PressureWatch(reader);
  }

  /** The fault is about to begin: what the machine is like now is not its doing. */
  faultBegins(): void {
    this.#before ??= this.#now();
  }

  /** What the machine of this process was like before the fault; undefined without one. */
  get before(): Pressure | undefined {
    return this.#before;
  }

  /** Whether a machine could not keep up so far, in words. */
  overload(): string | undefined {
    const own = this.#now();
    return describeOverload([...(own === undefined ? [] : [own]), ...this.#helpers]);
  }

  /** A helper has reported the worst of its time. */
  heard(pressure: Pressure): void {
    this.#helpers.push(pressure);
  }

  /** Ends the watch. Gives this process first, then the helpers that had it worst. */
  end(): Pressure[] {
    const own = this.#now();
    this.#own?.[Symbol.dispose]();
    return [...(own === undefined ? [] : [own]), ...gravestPressures(this.#helpers)];
  }

  #now(): Pressure | undefined {
    return this.#own === undefined ? undefined : { process: this.#process, ...this.#own.worst() };
  }
}
