import { integer } from '../../experiment/injection/settings/declare.ts';
import type { TunableSchema } from '../../experiment/injection/tunables.ts';
import { podStressFault, stressDuration } from './stress-fault.ts';

const tunables = {
  TOTAL_CHAOS_DURATION: stressDuration(60),
  CPU_CORES: integer(
    { default: 0, minimum: 0, maximum: 4096, range: true, unit: 'CPUs' },
    'How many CPUs are loaded, one worker each; 0: all of the node.',
  ),
  CPU_LOAD: integer(
    { default: 100, minimum: 0, maximum: 100, range: true, unit: 'percent' },
    'Share of each of these CPUs that its worker uses.',
  ),
} as const satisfies TunableSchema;

/** Uses CPU time as a container: its limit holds, and it competes with the application. See {@link podStressFault}. */
const podCpuHog = podStressFault({
  name: 'pod-cpu-hog',
  summary: 'Uses CPU time in the cgroup of a container.',
  tunables,
  load: ({ CPU_CORES, CPU_LOAD }) => ({ cpu: { workers: CPU_CORES, percent: CPU_LOAD } }),
});

export default podCpuHog;
