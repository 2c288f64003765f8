import type { CompiledProbe } from './definition.ts';
import type { Measurement } from './outcome.ts';
import type { ProbeLogger } from './runner-types.ts';
import type { ProbePhase } from './schedule.ts';

/** Least time between two lines of a probe that finds the same: writing a line costs more than the measurement's own code. */
const LINES_MS = 100;

/** The log of what probes find: a line for each run, of those that follow each other within a tenth of a second one. */
export class ProbeLog {
  readonly #logger: ProbeLogger;
  readonly #last = new Map<number, { readonly outcome: Measurement['outcome']; readonly atMs: number }>();

  constructor(logger: ProbeLogger) {
    this.#logger = logger;
  }

  /** @param index place of the probe in its list */
  add(
    index: number,
    { name, type, mode, run }: CompiledProbe,
    found: {
      readonly phase: ProbePhase;
      readonly outcome: Measurement['outcome'];
      readonly description: string;
      readonly atMs: number;
    },
  ): void {
    const { outcome, atMs, phase, description } = found;
    const last = this.#last.get(index);
    if (last?.outcome === outcome && atMs - last.atMs < LINES_MS) return;
    this.#last.set(index, { outcome, atMs });
    const fields = { probe: name, type, mode, phase, outcome, description };
    if (outcome !== 'passed') this.#logger.warn(fields, 'probe did not pass');
    else if (last === undefined || !run.logFirstRunOnly) this.#logger.info(fields, 'probe passed');
  }
}
