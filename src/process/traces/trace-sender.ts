import type { Clock, Random } from '@turnsole/kube/base/clock';
import type { LogFields } from '@turnsole/kube/base/log';
import { messageOf } from '@turnsole/kube/text/error-message';
import type { TraceRecord } from '../../tracing/trace-record.ts';
import type { TraceSettings } from './settings.ts';

/** What sends traces uses of its process. */
interface TraceSenderOptions {
  readonly clock: Clock;
  readonly random: Random;
  /** Logs for people: a constant sentence, and what varies as `detail`. */
  readonly warn: (fields: LogFields, sentence: string) => void;
}

/** Traces on their way at a time; a collector that does not answer keeps so many waiting. */
const AT_A_TIME = 4;
/** Traces that wait: an outage of the collector must not fill the memory. */
const MOST_WAITING = 500;
/** Time that the end of a process leaves to traces on their way. */
const CLOSE_LIMIT_MS = 5_000;

/** Gives a trace when its turn comes; undefined without one. */
type Gather = () => Promise<TraceRecord | undefined>;

/**
 * Sends traces of what is over, in the background. Its callers get no errors, whatever happens to the traces: an unreachable collector
 * is a warning.
 */
export class TraceSender {
  readonly #settings: TraceSettings;
  readonly #options: TraceSenderOptions;
  readonly #waiting: Gather[] = [];
  readonly #hurry = new AbortController();
  readonly #stop = new AbortController();
  readonly #underWay = new Set<Promise<void>>();
  #lost = 0;

  constructor(settings: TraceSettings, options: TraceSenderOptions) {
    this.#settings = settings;
    this.#options = options;
  }

  /** Sends a trace as soon as others are out of the way. Beyond 500 that wait the oldest is lost, which is logged. */
  add(gather: Gather): void {
    if (this.#stop.signal.aborted) return;
    this.#waiting.push(gather);
    if (this.#waiting.length > MOST_WAITING) {
      this.#waiting.shift();
      this.#lost += 1;
    }
    this.#fill();
  }

  /** Waits for requests under way, for 5 s at most; unsent traces are lost, which is logged. Idempotent. */
  async close(): Promise<void> {
    this.#hurry.abort();
    const { clock, warn } = this.#options;
    const timeUp = Promise.withResolvers<void>();
    const cancel = clock.setTimer(CLOSE_LIMIT_MS, timeUp.resolve);
    await Promise.race([this.#idle(), timeUp.promise]);
    cancel();
    this.#lost += this.#waiting.splice(0).length;
    this.#stop.abort(new Error('the process ends'));
    await this.#idle();
    if (this.#lost > 0) warn({ detail: `${this.#lost} traces are lost` }, 'traces could not be sent');
    this.#lost = 0;
  }

  async #idle(): Promise<void> {
    while (this.#underWay.size > 0) await Promise.race(this.#underWay);
  }

  #fill(): void {
    while (this.#underWay.size < AT_A_TIME) {
      const gather = this.#waiting.shift();
      if (gather === undefined) return;
      const work = this.#send(gather).finally(() => {
        this.#underWay.delete(work);
        this.#fill();
      });
      this.#underWay.add(work);
    }
  }

  async #send(gather: Gather): Promise<void> {
    const { clock, random, warn } = this.#options;
    const { url, protocol } = this.#settings;
    try {
      const record = await gather();
      if (record === undefined) return;
      const { sendTrace } = await import('./otlp/send.ts');
      const signals = { hurry: this.#hurry.signal, signal: this.#stop.signal };
      await sendTrace(record, this.#settings, { clock, random, ...signals });
    } catch (error) {
      // Never the URL as a whole: it may hold a key.
      warn({ collector: url.host, protocol, detail: messageOf(error) }, 'a trace could not be sent');
    }
  }
}
