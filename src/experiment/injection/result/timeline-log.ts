import type { Clock } from '@turnsole/kube/base/clock';
import { appendTimeline, type TimelineEntry } from '../../../api/index.ts';
import { timestamp } from '../ledger/ledger.ts';

/** What a line of the timeline says beside who and when. */
export interface TimelineNote {
  readonly step: string;
  readonly object?: string | undefined;
  readonly message: string;
  /** @default now */
  readonly time?: string;
}

/**
 * The steps of this run, kept after those of earlier runs. Lines travel with the next write to the ChaosResult: a step that is
 * followed by a side effect is stored with the ledger entry that has to be stored before it anyway.
 */
export class TimelineLog {
  readonly #clock: Clock;
  readonly #actor: string;
  readonly #runId: string;
  #entries: readonly TimelineEntry[] = [];
  #dirty = false;

  constructor(options: { readonly clock: Clock; readonly actor: string; readonly runId: string }) {
    this.#clock = options.clock;
    this.#actor = options.actor;
    this.#runId = options.runId;
  }

  /** Puts the lines of earlier runs before those of this one. */
  adopt(earlier: readonly TimelineEntry[] | undefined): void {
    this.#entries = appendTimeline(earlier, ...this.#entries);
    this.#dirty = true;
  }

  note({ step, object, message, time }: TimelineNote, actor: string = this.#actor): void {
    const entry = {
      time: time ?? timestamp(this.#clock.now()),
      actor,
      step,
      object,
      message,
      runId: this.#runId,
    };
    this.#entries = appendTimeline(this.#entries, entry);
    this.#dirty = true;
  }

  get entries(): readonly TimelineEntry[] {
    return this.#entries;
  }

  /** Whether it has lines that were not taken yet. */
  get hasNews(): boolean {
    return this.#dirty;
  }

  /** The whole list when it has lines that were not taken yet. */
  take(): readonly TimelineEntry[] | undefined {
    if (!this.#dirty) return undefined;
    this.#dirty = false;
    return this.#entries;
  }
}
