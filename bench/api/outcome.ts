import type { Round } from './round.ts';
import type { FanOut } from './watch.ts';

/** Figures of one server. */
export interface Outcome {
  readonly title: string;
  /** One value for each start. */
  readonly startMs: readonly number[];
  readonly saidMs: readonly number[];
  /** Resident memory of its processes; 0 when they are not known. */
  readonly idleMegabytes: number;
  readonly loadedMegabytes: number;
  /** Share of one core; undefined when the processes are not known. */
  readonly idleCpu: number | undefined;
  readonly rounds: readonly Round[];
  readonly fanOut: FanOut;
}
