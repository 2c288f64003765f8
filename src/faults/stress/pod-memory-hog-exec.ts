import { integer } from '../../experiment/injection/settings/declare.ts';
import type { TunableSchema } from '../../experiment/injection/tunables.ts';
import { execFault, KILL_COMMAND } from './exec/exec-fault.ts';
import { stressDuration } from './stress-fault.ts';

const tunables = {
  TOTAL_CHAOS_DURATION: stressDuration(30),
  MEMORY_CONSUMPTION: integer(
    { default: 500, minimum: 1, maximum: 67_108_864, unit: 'mebibytes' },
    'How much memory is taken.',
  ),
  CHAOS_KILL_COMMAND: KILL_COMMAND,
} as const satisfies TunableSchema;

/** Takes memory by `dd` in a container: its buffer is as large as one block. See {@link execFault}. */
const podMemoryHogExec = execFault({
  name: 'pod-memory-hog-exec',
  instead: 'pod-memory-hog',
  summary: 'Takes memory by a command that is run in a container.',
  tunables,
  commands: ({ MEMORY_CONSUMPTION, CHAOS_KILL_COMMAND }) => ({
    command: `dd if=/dev/zero of=/dev/null bs=${MEMORY_CONSUMPTION}M`,
    workers: 1,
    asks: { memory: { workers: 1, mebibytes: MEMORY_CONSUMPTION } },
    killCommand: CHAOS_KILL_COMMAND,
  }),
});

export default podMemoryHogExec;
