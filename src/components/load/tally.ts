import type { ProbeSummaryPart } from '../../api/schema/result.ts';
import type { LoadRecord } from '../../experiment/probes/load/load-plan.ts';
import { counted, NOTHING_DUE, type SendingCounts, together } from '../../experiment/probes/load/unsent.ts';
import { Part } from '../../experiment/probes/series/part.ts';

/** What came of the requests of some time. */
export interface TallySpan {
  readonly sending: SendingCounts;
  readonly part: ProbeSummaryPart;
}

/** The requests of one second. */
interface Second {
  readonly part: Part;
  sending: SendingCounts;
}

/** How long single seconds are known; the sum of all is known for good. */
export const KEPT_MS = 3_600_000;

/** The requests of a load by the second in which they were sent, in bounded memory. */
export class Tally {
  readonly #seconds = new Map<number, Second>();
  #all: Second = { part: new Part(), sending: NOTHING_DUE };
  #sinceMs: number;

  /** @param nowMs in milliseconds since 1970, as all times here */
  constructor(nowMs: number) {
    this.#sinceMs = nowMs;
  }

  /** Since when all is counted. */
  get sinceMs(): number {
    return this.#sinceMs;
  }

  /** Adds what came of a request; not for one that was sent before the counts began. */
  add(record: LoadRecord): void {
    const { atMs } = record;
    if (atMs < this.#sinceMs) return;
    const key = secondOf(atMs);
    const second = this.#seconds.get(key) ?? { part: new Part(), sending: NOTHING_DUE };
    this.#seconds.set(key, second);
    this.#forget(key);
    for (const one of [second, this.#all]) {
      one.sending = counted(one.sending, record);
      if (record.outcome === 'unsent') continue;
      const { tookMs, reason } = record;
      const ok = record.outcome === 'answered';
      one.part.add({
        beganMs: atMs,
        endedMs: atMs + tookMs,
        ok,
        failure: reason,
        latencyMs: ok ? tookMs : undefined,
      });
    }
  }

  /** Begins anew: what is under way was sent before, and does not count. */
  reset(nowMs: number): void {
    this.#seconds.clear();
    this.#all = { part: new Part(), sending: NOTHING_DUE };
    this.#sinceMs = nowMs;
  }

  /**
   * The requests that were sent in the second of that time or later; all, where it is absent or before the counts began. Undefined for a time
   * of which single seconds are not known any more.
   */
  span(sinceMs: number | undefined, nowMs: number): TallySpan | undefined {
    if (sinceMs === undefined || sinceMs <= this.#sinceMs)
      return { sending: this.#all.sending, part: this.#all.part.summary() };
    if (sinceMs < nowMs - KEPT_MS) return undefined;
    const part = new Part();
    let sending = NOTHING_DUE;
    for (const [key, second] of [...this.#seconds].sort(([a], [b]) => a - b)) {
      if (key < secondOf(sinceMs)) continue;
      part.merge(second.part);
      sending = together(sending, second.sending);
    }
    return { sending, part: part.summary() };
  }

  #forget(newest: number): void {
    for (const key of this.#seconds.keys()) {
      if (key >= newest - KEPT_MS / 1000) break;
      this.#seconds.delete(key);
    }
  }
}

function secondOf(ms: number): number {
  return Math.floor(ms / 1000);
}
