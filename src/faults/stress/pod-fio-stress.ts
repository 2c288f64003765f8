import { flag, integer } from '../../experiment/injection/settings/declare.ts';
import type { TunableSchema, Tunables } from '../../experiment/injection/tunables.ts';
import { execFault, KILL_COMMAND } from './exec/exec-fault.ts';
import { stressDuration } from './stress-fault.ts';

/** A value for a command line has to be a plain word. */
const WORD = { type: 'text', default: '', pattern: '^[A-Za-z0-9_.:,-]*$', form: 'a word' } as const;

const tunables = {
  TOTAL_CHAOS_DURATION: stressDuration(30),
  IO_ENGINE: { ...WORD, description: 'ioengine of fio, e.g. libaio, sync; empty: that of fio.' },
  IO_DEPTH: integer(
    { default: 0, minimum: 0, maximum: 65_536, unit: 'requests' },
    'iodepth of fio; 0: that of fio.',
  ),
  READ_WRITE_MODE: {
    ...WORD,
    description: 'rw of fio: read, write, randread, randwrite, readwrite…; empty: that of fio.',
  },
  BLOCK_SIZE: { ...WORD, description: 'bs of fio, e.g. 4k; empty: that of fio.' },
  SIZE: integer(
    { default: undefined, minimum: 1, maximum: 67_108_864, required: true, unit: 'mebibytes' },
    'size of fio: how large the file of each job is.',
  ),
  NUMBER_OF_JOBS: integer({ default: 0, minimum: 0, maximum: 1024, unit: 'jobs' }, 'numjobs of fio; 0: one.'),
  GROUP_REPORTING: flag(true, 'group_reporting of fio.'),
  CHAOS_KILL_COMMAND: KILL_COMMAND,
} as const satisfies TunableSchema;

/** One for each injection; the shell in the container fills in the name. */
const FOLDER = '".fio-$TURNSOLE_STRESS"';

/** The line that runs fio; pure. It repeats its work until the time is over. */
export function fioCommand(settings: Tunables<typeof tunables>): string {
  const options: readonly (readonly [string, string | number])[] = [
    ['ioengine', settings.IO_ENGINE],
    ['iodepth', settings.IO_DEPTH],
    ['rw', settings.READ_WRITE_MODE],
    ['bs', settings.BLOCK_SIZE],
    ['size', `${settings.SIZE ?? 0}M`],
    ['numjobs', settings.NUMBER_OF_JOBS],
    ['runtime', settings.TOTAL_CHAOS_DURATION],
  ];
  return [
    'fio --name=testchaos --time_based',
    ...options.flatMap(([name, value]) => (value === '' || value === 0 ? [] : [`--${name}=${value}`])),
    ...(settings.GROUP_REPORTING ? ['--group_reporting'] : []),
  ].join(' ');
}

/**
 * Reads and writes by `fio` in a container, again and again until the time is over; fio has to be in its image. Its files are in a
 * folder below the container's working directory, which is removed at the end. See {@link execFault}.
 */
const podFioStress = execFault({
  name: 'pod-fio-stress',
  instead: 'pod-io-stress',
  summary: 'Reads and writes by fio in a container.',
  tunables,
  needs: { targetTools: ['fio'] },
  commands: (settings) => ({
    command: `mkdir -p ${FOLDER} && cd ${FOLDER} && exec ${fioCommand(settings)}`,
    program: 'fio',
    tidyCommand: `rm -rf ${FOLDER}`,
    workers: 1,
    killCommand: settings.CHAOS_KILL_COMMAND,
  }),
});

export default podFioStress;
