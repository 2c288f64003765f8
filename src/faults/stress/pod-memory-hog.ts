import { integer } from '../../experiment/injection/settings/declare.ts';
import type { TunableSchema } from '../../experiment/injection/tunables.ts';
import { podStressFault, stressDuration } from './stress-fault.ts';

const tunables = {
  TOTAL_CHAOS_DURATION: stressDuration(60),
  MEMORY_CONSUMPTION: integer(
    { default: 500, minimum: 1, maximum: 67_108_864, range: true, unit: 'mebibytes' },
    'How much memory is taken, in total.',
  ),
  NUMBER_OF_WORKERS: integer(
    { default: 4, minimum: 1, maximum: 4096, unit: 'workers' },
    'How many processes share it.',
  ),
} as const satisfies TunableSchema;

/**
 * Takes memory as a container and holds it. More than the container's limit makes the kernel kill within the container: that is
 * the effect that was asked for. See {@link podStressFault}.
 */
const podMemoryHog = podStressFault({
  name: 'pod-memory-hog',
  summary: 'Takes and holds memory in the cgroup of a container.',
  tunables,
  load: ({ MEMORY_CONSUMPTION, NUMBER_OF_WORKERS }) => ({
    memory: { workers: NUMBER_OF_WORKERS, mebibytes: MEMORY_CONSUMPTION },
  }),
});

export default podMemoryHog;
