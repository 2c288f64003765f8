import { parseDuration } from '@turnsole/kube/text/duration';
import type { RunProperties } from '../../api/schema/probe.ts';
import { DEFAULT_POLLING_MS } from '../../api/validation/probe-tolerance.ts';

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
 * Gives the run properties with defaults and in milliseconds. Pure; the properties have passed `validateProbe`.
 *
 * @param defaultTimeoutMs limit of one attempt when probeTimeout is blank or 0, so that no attempt waits for ever
 */
export function compileRunProperties(
  properties: RunProperties,
  defaultTimeoutMs: number,
): CompiledRunProperties {
  const ms = (text: string | undefined): number => parseDuration(text ?? '');
  const { attempt, retry, initialDelaySeconds = 0 } = properties;
  const intervalMs = ms(properties.interval);
  return {
    timeoutMs: ms(properties.probeTimeout) || defaultTimeoutMs,
    attempts: attempt || retry || 1,
    intervalMs,
    pollingMs: ms(properties.probePollingInterval) || intervalMs || DEFAULT_POLLING_MS,
    evaluationMs: ms(properties.evaluationTimeout),
    initialDelayMs: ms(properties.initialDelay) || initialDelaySeconds * 1000,
    stopOnFailure: properties.stopOnFailure ?? false,
    logFirstRunOnly: properties.verbosity === 'info',
  };
}
