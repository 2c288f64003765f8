import { chaosDuration } from '../../experiment/injection/settings/common-tunables.ts';
import { choice, integer, list, patterned, port, text } from '../../experiment/injection/settings/declare.ts';
import type { TunableSchema } from '../../experiment/injection/tunables.ts';
import { WATCHERS } from './assaults.ts';

/** The tunables of every fault of an application with Chaos Monkey. */
export const MONKEY_TUNABLES = {
  TOTAL_CHAOS_DURATION: chaosDuration(30, 'How long the assault lasts.'),
  SEQUENCE: choice(
    { choices: ['parallel', 'serial', 'random'], default: 'serial' },
    'One pod after another, all at once, or a coin flip between both.',
  ),
  CM_PORT: port(8080, "Port of the application's actuator."),
  CM_PATH: patterned(
    { default: '/actuator/chaosmonkey', pattern: '/[!-~]*', form: 'a path that begins with /' },
    'Path of the endpoint of Chaos Monkey.',
  ),
  CM_LEVEL: integer({ default: 1, minimum: 1, maximum: 10_000 }, 'Every how many calls one is hit.'),
  CM_WATCHERS: list(
    { pattern: WATCHERS.join('|'), form: `one of ${WATCHERS.join(', ')}` },
    "Components whose calls are hit; without any, those of the application's own configuration.",
  ),
  CM_WATCHED_CUSTOM_SERVICES: list(
    {},
    'Methods in full (package.Class.method) of which alone calls are hit.',
  ),
} as const satisfies TunableSchema;

/** LATENCY. */
export const LATENCY = integer(
  { default: 2000, minimum: 0, maximum: 86_400_000, unit: 'milliseconds' },
  'How long a call waits.',
);

const fraction = (value: number, description: string) =>
  ({ type: 'number', default: value, minimum: 0.01, maximum: 1, description }) as const;

/** MEMORY_FILL_FRACTION. */
export const MEMORY_FILL_FRACTION = fraction(0.7, 'Share of the heap that is filled.');

/** CPU_LOAD_FRACTION. */
export const CPU_LOAD_FRACTION = fraction(0.9, 'Share of the CPUs that is loaded.');

/** CM_EXCEPTIONS_TYPE and CM_EXCEPTIONS_ARGUMENTS. */
export const EXCEPTIONS = {
  CM_EXCEPTIONS_TYPE: text('Class of the exception in full; default: java.lang.RuntimeException.'),
  CM_EXCEPTIONS_ARGUMENTS: text("Arguments of the exception's constructor: class:value,class:value."),
} as const;
