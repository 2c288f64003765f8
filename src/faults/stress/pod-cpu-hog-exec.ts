import { integer, text } from '../../experiment/injection/settings/declare.ts';
import type { TunableSchema } from '../../experiment/injection/tunables.ts';
import { execFault, KILL_COMMAND } from './exec/exec-fault.ts';
import { stressDuration } from './stress-fault.ts';

const tunables = {
  TOTAL_CHAOS_DURATION: stressDuration(60),
  CPU_CORES: integer(
    { default: 1, minimum: 1, maximum: 4096, unit: 'CPUs' },
    'How many of the commands run at the same time, each of which loads one CPU.',
  ),
  CHAOS_INJECT_COMMAND: text('Shell command that loads one CPU and does not end.', 'md5sum /dev/zero'),
  CHAOS_KILL_COMMAND: KILL_COMMAND,
} as const satisfies TunableSchema;

/** Uses CPU time by commands in a container. See {@link execFault}. */
const podCpuHogExec = execFault({
  name: 'pod-cpu-hog-exec',
  instead: 'pod-cpu-hog',
  summary: 'Uses CPU time by commands that are run in a container.',
  tunables,
  commands: ({ CPU_CORES, CHAOS_INJECT_COMMAND, CHAOS_KILL_COMMAND }) => ({
    command: CHAOS_INJECT_COMMAND,
    workers: CPU_CORES,
    asks: { cpu: { workers: CPU_CORES, percent: 100 } },
    killCommand: CHAOS_KILL_COMMAND,
  }),
});

export default podCpuHogExec;
