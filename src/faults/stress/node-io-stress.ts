import { integer } from '../../experiment/injection/settings/declare.ts';
import type { TunableSchema } from '../../experiment/injection/tunables.ts';
import { IO_TUNABLES, ioSize } from './io-settings.ts';
import { nodeStressFault } from './node-stress-fault.ts';
import { stressDuration } from './stress-fault.ts';

const tunables = {
  TOTAL_CHAOS_DURATION: stressDuration(120),
  ...IO_TUNABLES,
  CPU: integer(
    { default: 1, minimum: 0, maximum: 4096, range: true, unit: 'CPUs' },
    'How many CPUs are loaded besides; 0: none.',
  ),
  VM_WORKERS: integer(
    { default: 1, minimum: 0, maximum: 4096, range: true, unit: 'workers' },
    'How many workers take memory besides, 256 MiB in total; 0: none.',
  ),
} as const satisfies TunableSchema;

/** Memory of the workers when no amount is set. */
const USUAL_MEBIBYTES = 256;

/** Writes to the file system of a node, and loads CPU and memory a little besides. See {@link nodeStressFault}. */
const nodeIoStress = nodeStressFault({
  name: 'node-io-stress',
  summary: 'Writes to the file system of nodes.',
  tunables,
  load: ({ CPU, VM_WORKERS, ...settings }) => ({
    io: { workers: settings.NUMBER_OF_WORKERS, size: ioSize(settings), directory: '' },
    ...(CPU === 0 ? {} : { cpu: { workers: CPU, percent: 100 } }),
    ...(VM_WORKERS === 0 ? {} : { memory: { workers: VM_WORKERS, mebibytes: USUAL_MEBIBYTES } }),
  }),
});

export default nodeIoStress;
