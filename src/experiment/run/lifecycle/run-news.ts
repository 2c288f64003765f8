import type { Clock } from '@turnsole/kube/base/clock';
import { CHAOS_STARTED, type ProbeStatus } from '../../../api/index.ts';
import type { ResultWriter } from '../../injection/result/result-writer.ts';
import type { TimelineLog } from '../../injection/result/timeline-log.ts';

/** How long a line of a fault may wait for a write that takes it along. */
const NEWS_MS = 500;

/** What reaches the result of a run beside the writes of its phases: lines of faults and states of probes. */
export class RunNews {
  readonly #clock: Clock;
  readonly #timeline: TimelineLog;
  readonly #writer: ResultWriter;
  readonly #hasMore: () => boolean;
  #hasChaosStarted = false;
  #isWaiting = false;
  readonly #closed = new AbortController();

  constructor(parts: {
    readonly clock: Clock;
    readonly timeline: TimelineLog;
    readonly writer: ResultWriter;
    /** Whether the next write takes anything else along. */
    readonly hasMore: () => boolean;
  }) {
    this.#clock = parts.clock;
    this.#hasMore = parts.hasMore;
    this.#timeline = parts.timeline;
    this.#writer = parts.writer;
  }

  /** Aborted when the verdict is about to be written. */
  get closed(): AbortSignal {
    return this.#closed.signal;
  }

  /** Whether the timeline says already that chaos has begun. */
  get hasChaosStarted(): boolean {
    return this.#hasChaosStarted;
  }

  /**
   * Writes into the timeline, once per run, that chaos begins: from there on its duration counts.
   *
   * @param time RFC 3339 with milliseconds @default now
   */
  chaosStarted(durationMs: number, time?: string): void {
    if (this.#hasChaosStarted) return;
    this.#hasChaosStarted = true;
    this.#timeline.note({ step: CHAOS_STARTED, message: `${durationMs / 1000} s of chaos begin`, time });
  }

  /** Most lines go with the write that follows them; this stores one that a fault notes while the run only waits. */
  storeSoon(): void {
    if (this.#isWaiting) return;
    this.#isWaiting = true;
    const store = (): void => {
      this.#isWaiting = false;
      // A failure is reported to the next write that is awaited.
      if ((this.#timeline.hasNews || this.#hasMore()) && !this.closed.aborted)
        void this.#writer.write({}).catch(() => {});
    };
    this.#clock.setTimer(NEWS_MS, store, { unref: true });
  }

  /** Stores how the probes stand. */
  storeProbes(probeStatuses: ProbeStatus[]): void {
    if (!this.closed.aborted) void this.#writer.write({ status: { probeStatuses } });
  }

  /** The verdict is about to be written: later news of faults and probes are not stored. */
  close(): void {
    this.#closed.abort(new Error('the verdict is written'));
  }
}
