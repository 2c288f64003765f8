import type { Clock } from '@turnsole/kube/base/clock';
import { unlessAborted } from '@turnsole/kube/base/unless-aborted';
import { messageOf } from '@turnsole/kube/text/error-message';
import { humanTime } from '@turnsole/kube/text/human-time';
import type { ProbeType } from '../../api/probe-types/index.ts';
import { describeSpent, PacedLimit, paceSources, type Spent } from '../../process/pace/paced-limit.ts';
import { RunDelay } from '../../process/pace/run-delay.ts';
import { ATTEMPT_TIMEOUT_REASON, errorCode, failureCode } from './codes.ts';
import type { Measurement } from './outcome.ts';
import type { CompiledRunProperties } from './run-properties.ts';

/** So often an attempt is made that this machine gives no processor. */
const MOST_TRIES = 3;

/** One run of a probe: how it is measured and how often that is tried. */
interface Run {
  readonly type: ProbeType;
  readonly limits: Pick<CompiledRunProperties, 'timeoutMs' | 'attempts' | 'intervalMs'>;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** @param onProcess see `MeasureContext` */
  readonly measure: (
    signal: AbortSignal,
    onProcess: (pid: number | undefined) => void,
  ) => Promise<Measurement>;
  /** What is asked, for messages: `GET http://web/`. */
  readonly subject: () => string;
}

/**
 * Gives the first attempt that passed, else the last one. An attempt beyond its limit, of which time without a processor does not count, is
 * interrupted and counts as a failure; one that throws is an error.
 *
 * @throws the reason of `signal` when that is aborted; nothing else
 */
export async function runAttempts(run: Run): Promise<Measurement> {
  for (let attempt = 1; ; attempt += 1) {
    const beganMs = run.clock.now();
    const measurement = await runAttempt(run);
    if (measurement.outcome === 'passed')
      return attempt === 1 ? measurement : { ...measurement, retriedUntilMs: beganMs };
    if (measurement.isTooBusy === true) return measurement;
    if (attempt >= run.limits.attempts) return attempt === 1 ? measurement : ofAttempt(measurement, attempt);
    if (run.limits.intervalMs > 0) await run.clock.sleep(run.limits.intervalMs, run.signal);
    run.signal.throwIfAborted();
  }
}

/** One attempt. One that the machine of this process gave no processor is made anew at once: it says nothing of the application. */
async function runAttempt(run: Run): Promise<Measurement> {
  for (let tries = 1; ; tries += 1) {
    const measurement = await runOnce(run);
    if (measurement.outcome === 'passed' || measurement.isTooBusy !== true || tries >= MOST_TRIES)
      return measurement;
    run.signal.throwIfAborted();
  }
}

async function runOnce({ type, limits, clock, signal, measure, subject }: Run): Promise<Measurement> {
  signal.throwIfAborted();
  const { timeoutMs } = limits;
  let delay = new RunDelay(undefined);
  const onProcess = (pid: number | undefined): void => {
    delay = new RunDelay(pid);
  };
  using limit = new PacedLimit(
    { limitMs: timeoutMs, waitedMs: () => delay.totalMs() },
    (_spent, isStarved) => new AttemptOver(isStarved),
    paceSources(clock),
  );
  const either = AbortSignal.any([signal, limit.signal]);
  try {
    const value = await unlessAborted(measure(either, onProcess), either);
    return inTime(value, limit.spent(), { type, timeoutMs, subject });
  } catch (error) {
    signal.throwIfAborted();
    if (!limit.signal.aborted) return { outcome: 'error', code: errorCode(type), reason: messageOf(error) };
    const { reason: over } = limit.signal;
    if (over instanceof AttemptOver && over.isStarved) return tooBusy(type, subject(), limit.spent());
    const failure = `no answer in ${humanTime(timeoutMs)}`;
    const reason = `${ATTEMPT_TIMEOUT_REASON}: ${subject()}: ${failure}`;
    return { outcome: 'failure', code: failureCode(type), reason, failure, latencyMs: timeoutMs };
  }
}

/** The attempt had its time. */
class AttemptOver extends Error {
  override readonly name = 'AttemptOver';
  readonly isStarved: boolean;

  constructor(isStarved: boolean) {
    super('not done within the time limit of the attempt');
    this.isStarved = isStarved;
  }
}

/** A latency of which more than this share is the wait of this process says nothing of the application. */
const MOST_LOST_SHARE = 0.2;
const MOST_LOST_MS = 10;

/**
 * What an answer means that this process read after so much time. How long the application took lies between all of the time and what is left
 * without the time in which this process had no processor: a pass counts where both are within the limit. Pure.
 */
function inTime(
  measurement: Measurement,
  { wallMs, lostMs }: Spent,
  {
    type,
    timeoutMs,
    subject,
  }: { readonly type: ProbeType; readonly timeoutMs: number; readonly subject: () => string },
): Measurement {
  if (measurement.outcome !== 'passed') return measurement;
  if (wallMs > timeoutMs + LATE_TIMER_MS && lostMs > 0) return tooBusy(type, subject(), { wallMs, lostMs });
  if (lostMs <= MOST_LOST_MS || lostMs <= wallMs * MOST_LOST_SHARE) return withLatency(measurement, wallMs);
  const { latencyMs: _latency, measured, ...rest } = measurement;
  // Other numbers than times are as true as ever.
  return measured?.unit === 'ms' ? rest : { ...rest, measured };
}

/** Timers of a quiet machine are late by a little. */
const LATE_TIMER_MS = 20;

function tooBusy(type: ProbeType, subject: string, spent: Spent): Measurement {
  const reason = `not measured: ${subject}: this machine was too busy; the attempt had ${describeSpent(spent)}`;
  return { outcome: 'error', code: errorCode(type), reason, failure: 'not measured', isTooBusy: true };
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
