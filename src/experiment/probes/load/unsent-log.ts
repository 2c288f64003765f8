import type { UnsentRequests } from './load-plan.ts';
import { counted, NOTHING_DUE, type SendingCounts } from './unsent.ts';

/** Those of the same cause that were due within this time are kept as one. */
const MERGED_MS = 1000;

/** When which requests were not sent: at most two entries for each second in which there were any. */
export class UnsentLog {
  readonly #entries: UnsentRequests[] = [];

  add(unsent: UnsentRequests): void {
    const place = this.#entries.findLastIndex(({ why }) => why === unsent.why);
    const before = this.#entries[place];
    if (before === undefined || unsent.atMs - before.atMs >= MERGED_MS) {
      this.#entries.push(unsent);
      return;
    }
    const count = before.count + unsent.count;
    this.#entries[place] = { ...before, count, lateMs: Math.max(before.lateMs, unsent.lateMs) };
  }

  /** What was not sent since a time, as far as it was due by then; all without one. */
  since(fromMs = -Infinity): SendingCounts {
    return this.#entries.filter(({ atMs }) => atMs >= fromMs).reduce(counted, NOTHING_DUE);
  }
}
