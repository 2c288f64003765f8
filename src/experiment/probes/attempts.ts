import type { ProbeType } from '../../api/schema/vocabulary.ts';
import type { Clock } from '../../kube/runtime/clock.ts';
import { messageOf } from '../../text/error-message.ts';
import { humanTime } from '../../text/human-time.ts';
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
  /** What is asked, for messages: `GET http://web/`. */
  readonly subject: () => string;
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
    if (measurement.outcome === 'passed') return measurement;
    if (attempt >= run.limits.attempts) return attempt === 1 ? measurement : ofAttempt(measurement, attempt);
    if (run.limits.intervalMs > 0) await run.clock.sleep(run.limits.intervalMs, run.signal);
    run.signal.throwIfAborted();
  }
}

async function runAttempt({ type, limits, clock, signal, measure, subject }: Run): Promise<Measurement> {
  const { timeoutMs } = limits;
  const beganMs = clock.monotonic();
  try {
    const limited = await withTimeLimit({ clock, ms: timeoutMs, signal }, measure);
    if (!limited.timedOut) return withLatency(limited.value, clock.monotonic() - beganMs);
    const failure = `no answer in ${humanTime(timeoutMs)}`;
    const reason = `${ATTEMPT_TIMEOUT_REASON}: ${subject()}: ${failure}`;
    return { outcome: 'failure', code: failureCode(type), reason, failure, latencyMs: timeoutMs };
  } catch (error) {
    signal.throwIfAborted();
    const reason = messageOf(error);
    return { outcome: 'error', code: errorCode(type), reason };
  }
}

/** Types that know better how long their answer took have said it. */
function withLatency(measurement: Measurement, tookMs: number): Measurement {
  if (measurement.outcome !== 'passed' || measurement.latencyMs !== undefined) return measurement;
  return { ...measurement, latencyMs: tookMs };
}

/** All attempts but the last have failed as well. */
function ofAttempt(measurement: Measurement, attempts: number): Measurement {
  if (measurement.outcome === 'passed') return measurement;
  return { ...measurement, reason: `${measurement.reason} (attempt ${attempts} of ${attempts})` };
}
