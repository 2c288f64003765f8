import type { Clock } from '@turnsole/kube/base/clock';

/** Something that has a write to do. */
export interface PendingWrite {
  /** Does it; says whether it has to be tried again. Never rejects. */
  write(): Promise<'done' | 'retry'>;
}

/** Writes under way at a time: enough to keep the API server busy, few enough that none waits long. */
const PARALLEL = 32;
const RETRY_MS = 500;

/**
 * Writes of all simulated pods, first come, first served. A pod stands in it once: what changes while it waits is written
 * together, and fifty thousand pods that become ready at once do not open fifty thousand requests.
 */
export class WriteQueue {
  readonly #clock: Clock;
  readonly #pending = new Set<PendingWrite>();
  readonly #running = new Set<PendingWrite>();
  #closed = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Has it written soon. While its write is under way, it is written once more after that. */
  add(item: PendingWrite): void {
    if (this.#closed) return;
    this.#pending.add(item);
    this.#pump();
  }

  /** Begins no more writes. */
  close(): void {
    this.#closed = true;
    this.#pending.clear();
  }

  #pump(): void {
    for (const item of this.#pending) {
      if (this.#running.size >= PARALLEL) return;
      if (this.#running.has(item)) continue;
      this.#pending.delete(item);
      this.#running.add(item);
      void this.#run(item);
    }
  }

  async #run(item: PendingWrite): Promise<void> {
    const outcome = await item.write();
    this.#running.delete(item);
    if (outcome === 'retry') this.#clock.setTimer(RETRY_MS, () => this.add(item), { unref: true });
    this.#pump();
  }
}
