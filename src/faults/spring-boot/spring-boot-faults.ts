import { SettingsError } from '../../experiment/injection/errors.ts';
import { flag } from '../../experiment/injection/settings/declare.ts';
import type { TunableSchema, Tunables } from '../../experiment/injection/tunables.ts';
import { type AssaultSettings, exceptionProblems, idleLatency, parseArguments } from './assaults.ts';
import { springBootFault } from './spring-boot-fault.ts';
import { CPU_LOAD_FRACTION, EXCEPTIONS, LATENCY, MEMORY_FILL_FRACTION } from './tunables.ts';

const tunables = {
  CM_LATENCY_ACTIVE: flag(false, 'Calls wait.'),
  LATENCY,
  CM_EXCEPTIONS_ACTIVE: flag(false, 'Calls throw.'),
  ...EXCEPTIONS,
  CM_MEMORY_ACTIVE: flag(false, 'The heap is filled.'),
  MEMORY_FILL_FRACTION,
  CM_CPU_ACTIVE: flag(false, 'The CPUs are loaded.'),
  CPU_LOAD_FRACTION,
  CM_KILL_APPLICATION_ACTIVE: flag(false, 'The application is ended.'),
} as const satisfies TunableSchema;

/** Several assaults of the other faults at the same time. */
export default springBootFault({
  name: 'spring-boot-faults',
  summary: 'Several assaults on Spring Boot applications at the same time, by their Chaos Monkey.',
  tunables,
  validate: ({ CM_EXCEPTIONS_ACTIVE, CM_EXCEPTIONS_TYPE, CM_EXCEPTIONS_ARGUMENTS }) =>
    CM_EXCEPTIONS_ACTIVE ? exceptionProblems(CM_EXCEPTIONS_TYPE, CM_EXCEPTIONS_ARGUMENTS) : [],
  idleReason: (settings) => idleLatency(assaultsOf(settings)),
  assault: (settings) => {
    const wanted = assaultsOf(settings);
    if (Object.keys(wanted).length > 0) return wanted;
    throw new SettingsError(
      'cannot run spring-boot-faults: no assault is wanted; set at least one of CM_LATENCY_ACTIVE, CM_EXCEPTIONS_ACTIVE, ' +
        'CM_MEMORY_ACTIVE, CM_CPU_ACTIVE and CM_KILL_APPLICATION_ACTIVE to true',
    );
  },
});

function assaultsOf(
  settings: Tunables<typeof tunables>,
): Omit<AssaultSettings, 'level' | 'services' | 'durationSeconds'> {
  const { CM_EXCEPTIONS_TYPE: type, CM_EXCEPTIONS_ARGUMENTS } = settings;
  const exceptions = { type, arguments: parseArguments(CM_EXCEPTIONS_ARGUMENTS) ?? [] };
  return {
    ...(settings.CM_LATENCY_ACTIVE ? { latencyMs: settings.LATENCY } : {}),
    ...(settings.CM_EXCEPTIONS_ACTIVE ? { exceptions } : {}),
    ...(settings.CM_MEMORY_ACTIVE ? { memory: settings.MEMORY_FILL_FRACTION } : {}),
    ...(settings.CM_CPU_ACTIVE ? { cpu: settings.CPU_LOAD_FRACTION } : {}),
    ...(settings.CM_KILL_APPLICATION_ACTIVE ? { kill: true } : {}),
  };
}
