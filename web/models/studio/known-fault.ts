import type { Fault } from '../../../src/experiment/injection/fault.ts';
import type { TunableSchema } from '../../../src/experiment/injection/tunables.ts';

/** What is known of a fault that Turnsole has. */
export type KnownFault = Pick<Fault, 'summary' | 'targets' | 'shape' | 'where'> & {
  readonly tunables: TunableSchema;
};

/** What is known of all of them; loaded when it is needed. */
export interface FaultBook {
  readonly common: TunableSchema;
  readonly faults: Readonly<Record<string, KnownFault>>;
}
