import type { Pressure } from '../../../api/schema/result.ts';
import { gravestPressures } from '../../../chaos/overload.ts';
import type { PressureReader } from '../../../process/pace/pressure-reader.ts';
import { PressureWatch } from '../../../process/pace/pressure-watch.ts';

/** How busy the machines of a run are: that of this process as it goes on, those of its helpers as they report it at their ends. */
export class PressureLog {
  readonly #process: string;
  readonly #own: PressureWatch | undefined;
  readonly #helpers: Pressure[] = [];

  /** @param process the name of this process, `experiment/pod-delete` */
  constructor(process: string, reader: PressureReader | undefined) {
    this.#process = process;
    this.#own = reader === undefined ? undefined : new PressureWatch(reader);
  }

  /** A helper has reported the worst of its time. */
  heard(pressure: Pressure): void {
    this.#helpers.push(pressure);
  }

  /** Ends the watch. Gives this process first, then the helpers that had it worst. */
  end(): Pressure[] {
    const own = this.#own === undefined ? [] : [{ process: this.#process, ...this.#own.worst() }];
    this.#own?.[Symbol.dispose]();
    return [...own, ...gravestPressures(this.#helpers)];
  }
}
