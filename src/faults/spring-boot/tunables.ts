import type { TunableSchema } from '../../experiment/index.ts';
import { chaosDuration } from '../../experiment/index.ts';
import { WATCHERS } from './assaults.ts';

/** What every fault of an application with Chaos Monkey can be told. */
export const MONKEY_TUNABLES = {
  TOTAL_CHAOS_DURATION: chaosDuration(30, 'How long the assault lasts.'),
  SEQUENCE: {
    type: 'choice',
    choices: ['parallel', 'serial', 'random'],
    default: 'serial',
    description: 'One pod after another, all at once, or a coin flip between both.',
  },
  CM_PORT: {
    type: 'integer',
    default: 8080,
    minimum: 1,
    maximum: 65_535,
    description: "Port of the application's actuator.",
  },
  CM_PATH: {
    type: 'text',
    default: '/actuator/chaosmonkey',
    pattern: '/[!-~]*',
    form: 'a path that begins with /',
    description: 'Path of the endpoint of Chaos Monkey.',
  },
  CM_LEVEL: {
    type: 'integer',
    default: 1,
    minimum: 1,
    maximum: 10_000,
    description: 'Every how many calls one is hit.',
  },
  CM_WATCHERS: {
    type: 'list',
    default: [],
    pattern: WATCHERS.join('|'),
    form: `one of ${WATCHERS.join(', ')}`,
    description: "Components whose calls are hit; without any, those of the application's own configuration.",
  },
  CM_WATCHED_CUSTOM_SERVICES: {
    type: 'list',
    default: [],
    description: 'Methods in full (package.Class.method) of which alone calls are hit.',
  },
} as const satisfies TunableSchema;

/** LATENCY. */
export const LATENCY = {
  type: 'integer',
  default: 2000,
  minimum: 0,
  maximum: 86_400_000,
  unit: 'milliseconds',
  description: 'How long a call waits.',
} as const;

const fraction = (value: number, description: string) =>
  ({ type: 'number', default: value, minimum: 0.01, maximum: 1, description }) as const;

/** MEMORY_FILL_FRACTION. */
export const MEMORY_FILL_FRACTION = fraction(0.7, 'Share of the heap that is filled.');

/** CPU_LOAD_FRACTION. */
export const CPU_LOAD_FRACTION = fraction(0.9, 'Share of the CPUs that is loaded.');

/** CM_EXCEPTIONS_TYPE and CM_EXCEPTIONS_ARGUMENTS. */
export const EXCEPTIONS = {
  CM_EXCEPTIONS_TYPE: {
    type: 'text',
    default: '',
    description: 'Class of the exception in full; default: java.lang.RuntimeException.',
  },
  CM_EXCEPTIONS_ARGUMENTS: {
    type: 'text',
    default: '',
    description: "Arguments of the exception's constructor: class:value,class:value.",
  },
} as const;
