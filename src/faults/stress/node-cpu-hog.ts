import { integer } from '../../experiment/injection/settings/declare.ts';
import type { TunableSchema } from '../../experiment/injection/tunables.ts';
import { nodeStressFault } from './node-stress-fault.ts';
import { stressDuration } from './stress-fault.ts';

const tunables = {
  TOTAL_CHAOS_DURATION: stressDuration(30),
  NODE_CPU_CORE: integer(
    { default: 0, minimum: 0, maximum: 4096, range: true, unit: 'CPUs' },
    'How many CPUs are loaded, one worker each; 0: as many as the node has.',
  ),
  CPU_LOAD: integer(
    { default: 100, minimum: 0, maximum: 100, range: true, unit: 'percent' },
    'Share of each of these CPUs that its worker uses.',
  ),
} as const satisfies TunableSchema;

/** Uses CPU time on a node. See {@link nodeStressFault}. */
const nodeCpuHog = nodeStressFault({
  name: 'node-cpu-hog',
  summary: 'Uses CPU time on nodes.',
  tunables,
  load: ({ NODE_CPU_CORE, CPU_LOAD }, { cpus }) => ({
    cpu: { workers: NODE_CPU_CORE === 0 ? Math.ceil(cpus) : NODE_CPU_CORE, percent: CPU_LOAD },
  }),
});

export default nodeCpuHog;
