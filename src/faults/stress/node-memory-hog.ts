import { integer } from '../../experiment/injection/settings/declare.ts';
import type { TunableSchema } from '../../experiment/injection/tunables.ts';
import { nodeStressFault } from './node-stress-fault.ts';
import { stressDuration } from './stress-fault.ts';

const tunables = {
  TOTAL_CHAOS_DURATION: stressDuration(60),
  MEMORY_CONSUMPTION_PERCENTAGE: integer(
    { default: undefined, minimum: 0, maximum: 100, range: true, unit: 'percent' },
    "How much memory is taken, of the node's capacity; wins over the absolute size. 0 or empty: not given; 30 where neither is.",
  ),
  MEMORY_CONSUMPTION_MEBIBYTES: integer(
    { default: undefined, minimum: 0, maximum: 67_108_864, range: true, unit: 'mebibytes' },
    'How much memory is taken. 0 or empty: not given.',
  ),
  NUMBER_OF_WORKERS: integer(
    { default: 1, minimum: 1, maximum: 4096, unit: 'workers' },
    'How many processes share it.',
  ),
} as const satisfies TunableSchema;

const USUAL_PERCENT = 30;

/** Takes memory on a node and holds it, never more than pods may use there. See {@link nodeStressFault}. */
const nodeMemoryHog = nodeStressFault({
  name: 'node-memory-hog',
  summary: 'Takes and holds memory on nodes.',
  tunables,
  load: (
    {
      MEMORY_CONSUMPTION_PERCENTAGE: percent = 0,
      MEMORY_CONSUMPTION_MEBIBYTES: mebibytes = 0,
      NUMBER_OF_WORKERS,
    },
    { memoryMebibytes, allocatableMebibytes },
  ) => {
    const isAbsolute = percent === 0 && mebibytes > 0;
    const share = percent === 0 ? USUAL_PERCENT : percent;
    const wanted = isAbsolute ? mebibytes : Math.floor((memoryMebibytes * share) / 100);
    return { memory: { workers: NUMBER_OF_WORKERS, mebibytes: Math.min(wanted, allocatableMebibytes) } };
  },
});

export default nodeMemoryHog;
