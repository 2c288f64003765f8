import type { SimulationRule } from './plan.ts';

/** Pods become ready, run and end by rules, without processes, unless a rule says otherwise: for thousands of them. */
export interface SimulatedRuntimeOptions {
  readonly kind: 'simulated';
  /** The first that gives a plan decides; pods without one follow their annotations `simulated.turnsole.io/…`. */
  readonly rules?: readonly SimulationRule[];
  /** The same seed gives pods of the same names the same times. @default '' */
  readonly seed?: string;
  /** The capacity of each node. @default 32 cores, 256 GiB, 500 pods */
  readonly capacity?: { readonly cpus?: number; readonly memoryBytes?: number; readonly pods?: number };
}
