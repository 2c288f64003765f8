import type { ProbeMoment, ProbeOutage, ProbeSummary } from '../../../api/schema/result.ts';
import type { SeriesMeasurement } from './measurement.ts';
import { Part } from './part.ts';

/** Options of a {@link Series}. */
interface SeriesOptions {
  /**
   * How many measurements are kept until they are counted for good. They are put into the order of their begin, and it may become known
   * that the fault began or ended before they did: for that they need to stay about as long as the longest of them takes.
   *
   * @default 1024
   */
  readonly pendingLimit?: number;
}

const PENDING_LIMIT = 1024;

/**
 * What was measured of an application around a fault, in bounded memory, whatever the number of measurements. Counts, outages and moments
 * are exact; of latencies see `Latencies`.
 *
 * - A measurement that ended before the fault was in force is one of `before`; one that began after the revert had begun is one of
 *   `after`; all others saw the fault, and are those of `during`. Without any fault all are those of `before`.
 * - An outage lasts from the begin of the first measurement that failed to the begin of the next that succeeded, in the order of their
 *   begins; one that lasts is counted to the end of the last measurement that failed. Outages that were over before the fault are none.
 * - A gap is a time from the begin of the fault to its end in which no measurement was under way: nothing is known of it.
 */
export class Series {
  readonly #pendingLimit: number;
  /** In the order of their begins. */
  #pending: SeriesMeasurement[] = [];
  #settled = new Settled();
  #window: FaultWindow = { injectedMs: undefined, revertedMs: undefined };

  constructor({ pendingLimit = PENDING_LIMIT }: SeriesOptions = {}) {
    this.#pendingLimit = pendingLimit;
  }

  /** Adds a measurement that has ended; those that overlap may come in any order. */
  add(measurement: SeriesMeasurement): void {
    const pending = this.#pending;
    let place = pending.length;
    while (place > 0 && (pending[place - 1]?.beganMs ?? 0) > measurement.beganMs) place -= 1;
    if (place === pending.length) pending.push(measurement);
    else pending.splice(place, 0, measurement);
    // Half of them at a time: taking one from the front of a long list each time is slow.
    if (pending.length < 2 * this.#pendingLimit) return;
    for (const one of pending.splice(0, this.#pendingLimit)) this.#settled.add(one, this.#window);
  }

  /** The fault has been in force since then. Repeating it with a later time changes nothing. */
  injected(atMs: number): void {
    this.#window = { ...this.#window, injectedMs: Math.min(this.#window.injectedMs ?? atMs, atMs) };
  }

  /** The last revert began then. Repeating it changes nothing, nor does it without a fault. */
  reverted(atMs: number): void {
    if (this.#window.injectedMs === undefined) return;
    this.#window = { ...this.#window, revertedMs: this.#window.revertedMs ?? atMs };
  }

  /** Sums up what was measured so far. */
  summary(): ProbeSummary {
    const all = this.#settled.copy();
    for (const one of this.#pending) all.add(one, this.#window);
    return all.summary(this.#window);
  }
}

/** When the fault of a run was in force, as far as it is known. */
interface FaultWindow {
  readonly injectedMs: number | undefined;
  readonly revertedMs: number | undefined;
}

type PartName = 'before' | 'during' | 'after';

function partOf(
  { beganMs, endedMs }: SeriesMeasurement,
  { injectedMs = Infinity, revertedMs = Infinity }: FaultWindow,
): PartName {
  if (beganMs >= revertedMs) return 'after';
  return beganMs < injectedMs && endedMs <= injectedMs ? 'before' : 'during';
}

/** Measurements that are counted for good, in the order of their begins. */
class Settled {
  #parts = { before: new Part(), during: new Part(), after: new Part() };
  /** When the outage that lasts began. */
  #failingSinceMs: number | undefined;
  #lastFailureEndedMs = 0;
  /** The longest outage that was not over before the fault. */
  #outage: { readonly fromMs: number; readonly untilMs: number } | undefined;
  /** When the first measurement that succeeded after the last failure began. */
  #recoveredMs: number | undefined;
  #endedMs = 0;
  #gapMs = 0;

  add(measurement: SeriesMeasurement, window: FaultWindow): void {
    const { beganMs, endedMs, ok, retriedUntilMs } = measurement;
    this.#parts[partOf(measurement, window)].add(measurement);
    this.#gapMs = Math.max(this.#gapMs, this.#gapBefore(beganMs, window));
    this.#endedMs = Math.max(this.#endedMs, endedMs);
    if (!ok) {
      this.#failingSinceMs ??= beganMs;
      this.#lastFailureEndedMs = Math.max(this.#lastFailureEndedMs, endedMs);
      this.#recoveredMs = undefined;
      return;
    }
    // Attempts that failed are as much of an outage as measurements that failed.
    if (retriedUntilMs !== undefined) this.#failingSinceMs ??= beganMs;
    if (this.#failingSinceMs === undefined) return;
    const recoveredMs = retriedUntilMs ?? beganMs;
    this.#recoveredMs = recoveredMs;
    this.#outage = longer(this.#outage, outageOf(this.#failingSinceMs, recoveredMs, window));
    this.#failingSinceMs = undefined;
    this.#lastFailureEndedMs = 0;
  }

  copy(): Settled {
    const copy = new Settled();
    const { before, during, after } = this.#parts;
    copy.#parts = { before: before.copy(), during: during.copy(), after: after.copy() };
    copy.#failingSinceMs = this.#failingSinceMs;
    copy.#lastFailureEndedMs = this.#lastFailureEndedMs;
    copy.#outage = this.#outage;
    copy.#recoveredMs = this.#recoveredMs;
    copy.#endedMs = this.#endedMs;
    copy.#gapMs = this.#gapMs;
    return copy;
  }

  summary(window: FaultWindow): ProbeSummary {
    const { before, during, after } = this.#parts;
    const { injectedMs, revertedMs } = window;
    const moment = (ms: number): ProbeMoment => momentOf(ms, window);
    const first = during.firstFailureMs ?? after.firstFailureMs;
    const last = after.lastFailureMs ?? during.lastFailureMs;
    const outage = this.#longestOutage(window);
    const lastBefore = before.lastFailureMs;
    return {
      measurements: before.measurements + during.measurements + after.measurements,
      failed: before.failed + during.failed + after.failed,
      ...(injectedMs !== undefined && { injected: timeOf(injectedMs) }),
      ...(revertedMs !== undefined && { reverted: timeOf(revertedMs) }),
      before: before.summary(),
      during: during.summary(),
      after: after.summary(),
      ...(lastBefore !== undefined && { lastFailureBefore: moment(lastBefore) }),
      ...(first !== undefined && { firstFailure: moment(first) }),
      ...(last !== undefined && { lastFailure: moment(last) }),
      ...(first !== undefined && this.#recoveredMs !== undefined && { recovery: moment(this.#recoveredMs) }),
      ...(this.#failingSinceMs !== undefined && { failingSince: moment(this.#failingSinceMs) }),
      ...(outage !== undefined && { outage }),
      ...(injectedMs !== undefined && { longestGapMs: this.#longestGap(window) }),
    };
  }

  #longestOutage(window: FaultWindow): ProbeOutage | undefined {
    const since = this.#failingSinceMs;
    const lasting = since === undefined ? undefined : outageOf(since, this.#lastFailureEndedMs, window);
    const longest = longer(this.#outage, lasting);
    if (longest === undefined) return undefined;
    const { fromMs, untilMs } = longest;
    return {
      from: timeOf(fromMs),
      until: timeOf(untilMs),
      ms: untilMs - fromMs,
      ended: longest !== lasting,
    };
  }

  #longestGap({ injectedMs, revertedMs }: FaultWindow): number {
    if (injectedMs === undefined || revertedMs === undefined) return this.#gapMs;
    const from = Math.max(this.#endedMs, injectedMs);
    return Math.max(this.#gapMs, revertedMs - from);
  }

  /** How long no measurement was under way before this begin, while the fault was in force. */
  #gapBefore(beganMs: number, { injectedMs = Infinity, revertedMs = Infinity }: FaultWindow): number {
    return Math.min(beganMs, revertedMs) - Math.max(this.#endedMs, injectedMs);
  }
}

/** Undefined for one that was over before the fault, and without a fault. */
function outageOf(
  fromMs: number,
  untilMs: number,
  { injectedMs }: FaultWindow,
): { readonly fromMs: number; readonly untilMs: number } | undefined {
  return injectedMs !== undefined && untilMs > injectedMs ? { fromMs, untilMs } : undefined;
}

function longer<T extends { readonly fromMs: number; readonly untilMs: number }>(
  one: T | undefined,
  other: T | undefined,
): T | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return other.untilMs - other.fromMs > one.untilMs - one.fromMs ? other : one;
}

function momentOf(ms: number, { injectedMs, revertedMs }: FaultWindow): ProbeMoment {
  return {
    time: timeOf(ms),
    ...(injectedMs !== undefined && { sinceInjectionMs: ms - injectedMs }),
    ...(revertedMs !== undefined && { sinceRevertMs: ms - revertedMs }),
  };
}

function timeOf(ms: number): string {
  return new Date(ms).toISOString();
}
