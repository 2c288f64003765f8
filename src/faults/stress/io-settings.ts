import { integer } from '../../experiment/injection/settings/declare.ts';
import type { TunableSchema, Tunables } from '../../experiment/injection/tunables.ts';
import type { IoLoad } from './load/load.ts';

/** Settings of both faults that write. */
export const IO_TUNABLES = {
  FILESYSTEM_UTILIZATION_PERCENTAGE: integer(
    { default: undefined, minimum: 0, maximum: 100, range: true, unit: 'percent' },
    'How much is written, of what is free on the file system; wins over the absolute size. 0 or empty: not given; 10 where neither is.',
  ),
  FILESYSTEM_UTILIZATION_BYTES: integer(
    { default: undefined, minimum: 0, maximum: 65_536, range: true, unit: 'gibibytes' },
    'How much is written. 0 or empty: not given.',
  ),
  NUMBER_OF_WORKERS: integer(
    { default: 4, minimum: 1, maximum: 1024, unit: 'workers' },
    'How many write at the same time; they share the size.',
  ),
} as const satisfies TunableSchema;

const USUAL_PERCENT = 10;

/** The size that settings ask for; pure. */
export function ioSize(settings: Tunables<typeof IO_TUNABLES>): IoLoad['size'] {
  const { FILESYSTEM_UTILIZATION_PERCENTAGE: percent = 0, FILESYSTEM_UTILIZATION_BYTES: gibibytes = 0 } =
    settings;
  if (percent > 0) return { percent };
  return gibibytes > 0 ? { gibibytes } : { percent: USUAL_PERCENT };
}
