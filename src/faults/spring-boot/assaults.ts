/** Orders for Chaos Monkey for Spring Boot: bodies of its `/assaults` and `/watchers`, and how they are taken back. All pure. */
import type { TunableProblem } from '../../experiment/injection/settings/parse-tunables.ts';

/** Members of a body; the names are Chaos Monkey's. */
export type Members = Readonly<Record<string, unknown>>;

/** What attacks by itself, as soon as it is ordered, instead of waiting for requests. */
const RUNTIME_FLAGS = ['killApplicationActive', 'memoryActive', 'cpuActive'] as const;

/** Every flag that switches an assault on. */
export const ASSAULT_FLAGS = ['latencyActive', 'exceptionsActive', ...RUNTIME_FLAGS] as const;

/** Components whose calls can be watched. */
export const WATCHERS = [
  'controller',
  'restController',
  'service',
  'repository',
  'component',
  'restTemplate',
  'webClient',
  'actuatorHealth',
] as const;

/** Not in every release: named only when it is wanted. */
const RARE_WATCHERS: readonly string[] = ['actuatorHealth'];

/** Every second: a runtime assault that has ended begins again while it is active. */
const CRON = '*/1 * * * * ?';

/** How long the memory filler waits between two steps; one step is the whole (fraction 1). */
const MEMORY_STEP_MS = 1000;

/** Settings that an assault is made of. */
export interface AssaultSettings {
  readonly level: number;
  /** Methods in full, of which alone calls are hit; empty means every watched call. */
  readonly services: readonly string[];
  readonly durationSeconds: number;
  readonly kill?: boolean;
  readonly latencyMs?: number;
  /** Shares from 0 to 1. */
  readonly memory?: number;
  readonly cpu?: number;
  readonly exceptions?: ExceptionSettings;
}

/** The exception to throw; a RuntimeException without a type. */
interface ExceptionSettings {
  readonly type: string;
  readonly arguments: readonly { readonly className: string; readonly value: string }[];
}

/** Why assaults change no call: no other one than a latency of nothing. Undefined where one does something. */
export function idleLatency({
  latencyMs,
  ...others
}: Pick<AssaultSettings, 'latencyMs' | 'exceptions' | 'memory' | 'cpu' | 'kill'>): string | undefined {
  const isAlone = Object.values(others).every((one) => one === undefined);
  return latencyMs === 0 && isAlone ? 'LATENCY is 0 ms, so that no call waits' : undefined;
}

/** The body that switches the wanted assaults on, and changes nothing about others. */
export function assaultsBody(settings: AssaultSettings): Members {
  const { level, services, durationSeconds, kill, latencyMs, memory, cpu, exceptions } = settings;
  const holdMs = durationSeconds * 1000;
  return {
    level,
    deterministic: true,
    watchedCustomServices: services,
    ...(kill === true ? { killApplicationActive: true, killApplicationCronExpression: CRON } : {}),
    ...(latencyMs === undefined
      ? {}
      : { latencyActive: true, latencyRangeStart: latencyMs, latencyRangeEnd: latencyMs }),
    ...(memory === undefined
      ? {}
      : {
          memoryActive: true,
          memoryMillisecondsHoldFilledMemory: holdMs,
          memoryMillisecondsWaitNextIncrease: MEMORY_STEP_MS,
          memoryFillIncrementFraction: 1,
          memoryFillTargetFraction: memory,
          memoryCronExpression: CRON,
        }),
    ...(cpu === undefined
      ? {}
      : {
          cpuActive: true,
          cpuMillisecondsHoldLoad: holdMs,
          cpuLoadTargetFraction: cpu,
          cpuCronExpression: CRON,
        }),
    ...(exceptions === undefined ? {} : { exceptionsActive: true, ...exceptionMember(exceptions) }),
  };
}

function exceptionMember({ type, arguments: args }: ExceptionSettings): Members {
  return type === '' ? {} : { exception: { type, arguments: args } };
}

/** The body that watches exactly these components; undefined, which keeps the application's own, when none is named. */
export function watchersBody(watchers: readonly string[]): Members | undefined {
  if (watchers.length === 0) return undefined;
  const named = WATCHERS.filter((name) => watchers.includes(name) || !RARE_WATCHERS.includes(name));
  return Object.fromEntries(named.map((name) => [name, watchers.includes(name)]));
}

/**
 * The body that restores what `changed` has changed, from the settings `before`. A switch in an unknown position is
 * off. An unset value cannot be restored; it has no effect while its switch is off, and is left out.
 */
export function restoringBody(changed: Members, before: Members | undefined): Members {
  const entries = Object.keys(changed).flatMap((key): [string, unknown][] => {
    const value = before?.[key];
    if (isSet(value)) return [[key, value]];
    if (key === 'watchedCustomServices') return [[key, []]];
    return typeof changed[key] === 'boolean' && key !== 'deterministic' ? [[key, false]] : [];
  });
  return Object.fromEntries(entries);
}

/** An exception that was never chosen is reported as one of no type. */
function isSet(value: unknown): boolean {
  if (value === undefined || value === null) return false;
  return !(typeof value === 'object' && 'type' in value && value.type === null);
}

/** Whether something would be attacked at once. */
export function attacksAtOnce(assaults: Members): boolean {
  return RUNTIME_FLAGS.some((flag) => assaults[flag] === true);
}

/** Whether the application's process is ended. */
export function isKill(assaults: Members): boolean {
  return assaults.killApplicationActive === true;
}

/** Whether calls are hit, for which something has to be watched. */
export function hitsCalls(assaults: Members): boolean {
  return assaults.latencyActive === true || assaults.exceptionsActive === true;
}

/** Reads `class:value,class:value`; everything behind the first colon is the value. */
export function parseArguments(text: string): ExceptionSettings['arguments'] | undefined {
  if (text.trim() === '') return [];
  const parsed = text.split(',').map((item) => {
    const [className = '', value] = item.split(/:(.*)/s);
    return { className: className.trim(), value };
  });
  const whole = parsed.flatMap(({ className, value }) =>
    className === '' || value === undefined ? [] : [{ className, value }],
  );
  return whole.length === parsed.length ? whole : undefined;
}

/** Problems of the settings of an exception. */
export function exceptionProblems(type: string, text: string): TunableProblem[] {
  if (parseArguments(text) === undefined) {
    return [{ variable: 'CM_EXCEPTIONS_ARGUMENTS', found: text, expected: 'class:value,class:value' }];
  }
  if (text.trim() === '' || type !== '') return [];
  return [
    {
      variable: 'CM_EXCEPTIONS_TYPE',
      found: type,
      expected: 'the class of the exception that CM_EXCEPTIONS_ARGUMENTS are for',
    },
  ];
}
