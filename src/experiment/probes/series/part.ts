import type { ProbeSummaryPart } from '../../../api/schema/result.ts';
import { Latencies } from './latencies.ts';
import type { SeriesMeasurement } from './measurement.ts';

/** The measurements of one part of a run: before, during, or after the fault. */
export class Part {
  #measurements = 0;
  #failed = 0;
  #retried = 0;
  readonly #kinds = new FailureKinds();
  readonly #latencies = new Latencies();
  #firstFailureMs: number | undefined;
  #lastFailureMs: number | undefined;

  get measurements(): number {
    return this.#measurements;
  }

  get failed(): number {
    return this.#failed;
  }

  /** When the first one that failed began. */
  get firstFailureMs(): number | undefined {
    return this.#firstFailureMs;
  }

  /** When the last one that failed began. */
  get lastFailureMs(): number | undefined {
    return this.#lastFailureMs;
  }

  add({ beganMs, ok, failure, latencyMs, retriedUntilMs }: SeriesMeasurement): void {
    this.#measurements += 1;
    if (ok && retriedUntilMs !== undefined) this.#retried += 1;
    if (latencyMs !== undefined) this.#latencies.add(latencyMs);
    if (ok) return;
    this.#failed += 1;
    this.#kinds.add(failure ?? 'failed');
    this.#firstFailureMs ??= beganMs;
    this.#lastFailureMs = beganMs;
  }

  summary(): ProbeSummaryPart {
    const [p50Ms, p95Ms, p99Ms] = [0.5, 0.95, 0.99].map((share) =>
      rounded(this.#latencies.percentile(share)),
    );
    const maxMs = rounded(this.#latencies.maxMs);
    return {
      measurements: this.#measurements,
      failed: this.#failed,
      ...(this.#failed > 0 && { failures: this.#kinds.list() }),
      ...(this.#retried > 0 && { retried: this.#retried }),
      ...(p50Ms !== undefined && { latencies: this.#latencies.count, p50Ms, p95Ms, p99Ms, maxMs }),
    };
  }

  /** Adds all of another, whose measurements were later. */
  merge(other: Part): void {
    this.#measurements += other.#measurements;
    this.#failed += other.#failed;
    this.#retried += other.#retried;
    this.#kinds.merge(other.#kinds);
    this.#latencies.merge(other.#latencies);
    this.#firstFailureMs ??= other.#firstFailureMs;
    this.#lastFailureMs = other.#lastFailureMs ?? this.#lastFailureMs;
  }

  copy(): Part {
    const copy = new Part();
    copy.merge(this);
    return copy;
  }
}

/** Three digits say what a clock of milliseconds and steps of 2 % know. */
function rounded(ms: number | undefined): number | undefined {
  return ms === undefined ? undefined : ms >= 100 ? Math.round(ms) : Number(ms.toPrecision(3));
}

/** More kinds than these are counted together: a server may answer with as many different words as it likes. */
const MOST_KINDS = 12;
const MOST_CHARACTERS = 80;
/** The kind of those that are not told apart any more. */
const OTHER = 'other';

/** How many measurements failed in which way; bounded, with exact counts. */
class FailureKinds {
  readonly #counts = new Map<string, number>();

  /** @param kind in words that follow a number: `refused`, `no answer in 1 s`, `status 503` */
  add(kind: string, times = 1): void {
    const short = kind.length > MOST_CHARACTERS ? `${kind.slice(0, MOST_CHARACTERS)}…` : kind;
    const isKnown = this.#counts.has(short) || this.#counts.size < MOST_KINDS;
    const counted = isKnown ? short : OTHER;
    this.#counts.set(counted, (this.#counts.get(counted) ?? 0) + times);
  }

  /** The most frequent ones first. */
  list(): { kind: string; count: number }[] {
    return [...this.#counts].map(([kind, count]) => ({ kind, count })).sort((a, b) => b.count - a.count);
  }

  /** Adds all of another. */
  merge(other: FailureKinds): void {
    for (const [kind, count] of other.#counts) this.add(kind, count);
  }

  copy(): FailureKinds {
    const copy = new FailureKinds();
    copy.merge(this);
    return copy;
  }
}
