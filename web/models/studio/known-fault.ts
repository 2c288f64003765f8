import type { Fault } from '../../../src/experiment/injection/fault.ts';
import type { TunableSchema } from '../../../src/experiment/injection/tunables.ts';

/** Data of a fault of Turnsole. */
export type KnownFault = Pick<Fault, 'summary' | 'targets' | 'shape' | 'where'> & {
  readonly tunables: TunableSchema;
};

/** Data of all faults; loaded on demand. */
export interface FaultBook {
  readonly common: TunableSchema;
  readonly faults: Readonly<Record<string, KnownFault>>;
}
