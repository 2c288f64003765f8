import type { ProbeType } from '../../api/schema/vocabulary.ts';
import type { Clock } from '../../kube/runtime/clock.ts';
import { messageOf } from '../../text/error-message.ts';
import { ATTEMPT_TIMEOUT_REASON, errorCode, failureCode } from './codes.ts';
import type { Measurement } from './outcome.ts';
import type { CompiledRunProperties } from './run-properties.ts';
import { withTimeLimit } from './time-limit.ts';

/** One run of a probe: how it is measured and how often that is tried. */
interface Run {
  readonly type: ProbeType;
  readonly limits: Pick<CompiledRunProperties, 'timeoutMs' | 'attempts' | 'intervalMs'>;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly measure: (signal: AbortSignal) => Promise<Measurement>;
}

/**
 * Gives the first attempt that passed, else the last one. An attempt beyond its limit is interrupted and counts as a
 * failure; one that throws is an error.
 *
 * @throws the reason of `signal` when that is aborted; nothing else
 */
export async function runAttempts(run: Run): Promise<Measurement> {
  for (let attempt = 1; ; attempt += 1) {
    const measurement = await runAttempt(run);
    if (measurement.outcome === 'passed' || attempt >= run.limits.attempts) return measurement;
    if (run.limits.intervalMs > 0) await run.clock.sleep(run.limits.intervalMs, run.signal);
    run.signal.throwIfAborted();
  }
}

async function runAttempt({ type, limits, clock, signal, measure }: Run): Promise<Measurement> {
  try {
    const limited = await withTimeLimit({ clock, ms: limits.timeoutMs, signal }, measure);
    if (!limited.timedOut) return limited.value;
    return { outcome: 'failure', code: failureCode(type), reason: ATTEMPT_TIMEOUT_REASON };
  } catch (error) {
    signal.throwIfAborted();
    const reason = messageOf(error);
    return { outcome: 'error', code: errorCode(type), reason };
  }
}
