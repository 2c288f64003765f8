import { DurationError, parseDuration } from '../api/duration.ts';
import type { RunProperties } from '../api/schema/probe.ts';
import { type FieldError, invalid, required } from '../api/validation/field-error.ts';
import type { PathSegment } from '../api/validation/path.ts';

/** How often and how long a probe tries: all present, in milliseconds. */
export interface CompiledRunProperties {
  /** Limit of one attempt. */
  readonly timeoutMs: number;
  /** At least 1. */
  readonly attempts: number;
  /** Pause between two attempts of one run. */
  readonly intervalMs: number;
  /** Pause between two runs of a background probe. */
  readonly pollingMs: number;
  /** How long values that come late are waited for; 0 for not at all. */
  readonly evaluationMs: number;
  /** Wait before the first run. */
  readonly initialDelayMs: number;
  readonly stopOnFailure: boolean;
  /** The comparison is logged on the first run only. */
  readonly logFirstRunOnly: boolean;
}

/**
 * Pause between the runs of a background probe that names neither probePollingInterval nor interval: often enough to see
 * an outage of seconds, seldom enough not to be a load test. Upstream spins without any pause there.
 */
const DEFAULT_POLLING_MS = 1000;

/** Timers of Node fire at once beyond this many milliseconds (2^31 - 1, almost 25 days). */
const LONGEST_TIMER_MS = 2_147_483_647;

const DURATION_FIELDS = [
  'probeTimeout',
  'interval',
  'probePollingInterval',
  'initialDelay',
  'evaluationTimeout',
] as const;

/**
 * Gives the run properties with defaults, or every problem with its path (relative to the probe). Pure.
 *
 * @param defaultTimeoutMs limit of one attempt when probeTimeout is blank or 0, so that no attempt waits for ever
 */
export function compileRunProperties(
  properties: RunProperties | undefined,
  defaultTimeoutMs: number,
): { readonly compiled: CompiledRunProperties; readonly problems: readonly FieldError[] } {
  const path: readonly PathSegment[] = ['runProperties'];
  const problems: FieldError[] = [];
  if (properties === undefined || properties === null) {
    problems.push(required(path, 'give at least probeTimeout and interval'));
  }
  const durations = new Map<(typeof DURATION_FIELDS)[number], number>();
  for (const field of DURATION_FIELDS) {
    const text = String(properties?.[field] ?? '');
    try {
      durations.set(field, Math.min(LONGEST_TIMER_MS, Math.max(0, parseDuration(text))));
    } catch (error) {
      if (!(error instanceof DurationError)) throw error;
      // The problem shows the value already.
      problems.push(invalid([...path, field], text, error.message.replace(`${JSON.stringify(text)} `, '')));
    }
  }
  const ms = (field: (typeof DURATION_FIELDS)[number]): number => durations.get(field) ?? 0;
  const seconds = Math.max(0, properties?.initialDelaySeconds ?? 0);
  const compiled: CompiledRunProperties = {
    timeoutMs: ms('probeTimeout') || defaultTimeoutMs,
    attempts: Math.max(1, properties?.attempt || properties?.retry || 1),
    intervalMs: ms('interval'),
    pollingMs: ms('probePollingInterval') || ms('interval') || DEFAULT_POLLING_MS,
    evaluationMs: ms('evaluationTimeout'),
    initialDelayMs: ms('initialDelay') || Math.min(LONGEST_TIMER_MS, seconds * 1000),
    stopOnFailure: properties?.stopOnFailure ?? false,
    logFirstRunOnly: properties?.verbosity === 'info',
  };
  return { compiled, problems };
}
