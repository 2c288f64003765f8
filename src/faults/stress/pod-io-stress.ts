import { integer, patterned } from '../../experiment/injection/settings/declare.ts';
import type { TunableSchema } from '../../experiment/injection/tunables.ts';
import { IO_TUNABLES, ioSize } from './io-settings.ts';
import { podStressFault, stressDuration } from './stress-fault.ts';

const tunables = {
  TOTAL_CHAOS_DURATION: stressDuration(60),
  ...IO_TUNABLES,
  VOLUME_MOUNT_PATH: patterned(
    { pattern: '^(/.*)?$', form: 'an absolute path' },
    'Folder of the container that is written to, such as the mount of a volume; default: /tmp, or / where that cannot be written to.',
  ),
  CPU_CORES: integer(
    { default: 0, minimum: 0, maximum: 4096, unit: 'CPUs' },
    'How many CPUs are loaded besides; 0: none.',
  ),
} as const satisfies TunableSchema;

/**
 * Writes files in a container again and again, each time down to the disk. The files have no name, so that none stays. See
 * {@link podStressFault}.
 */
const podIoStress = podStressFault({
  name: 'pod-io-stress',
  summary: 'Writes to the file system of a container, or to a volume in it.',
  tunables,
  load: ({ CPU_CORES, VOLUME_MOUNT_PATH, ...settings }) => ({
    io: { workers: settings.NUMBER_OF_WORKERS, size: ioSize(settings), directory: VOLUME_MOUNT_PATH },
    ...(CPU_CORES === 0 ? {} : { cpu: { workers: CPU_CORES, percent: 100 } }),
  }),
});

export default podIoStress;
