import type { Clock } from '@turnsole/kube/base/clock';
import type { Logger } from '@turnsole/kube/base/log';
import { WorkQueue } from '@turnsole/kube/runtime/work-queue';
import { messageOf } from '@turnsole/kube/text/error-message';
import { AwsV4Signer } from 'aws4fetch';
import type { ScopeExporter } from '../scope/scope-exporter.ts';
import { ask } from './answer.ts';
import { Credentials } from './credentials.ts';
import { type Datum, inRequests, putMetricData, resultData, sumData } from './metric-data.ts';
import type { CloudWatchSettings } from './settings.ts';

/** Changes within this time are pushed together. */
const GATHERED_MS = 10_000;
/** Sums are pushed this often where nothing changes, as upstream's resync does, so that no gap looks like an outage. */
const AT_REST_MS = 300_000;
/** A push that failed is tried again after this time, with all that has changed since. */
const AGAIN_MS = 30_000;
/** The queue's only key. */
const PUSH = 'push';

/** The metrics to push. */
type Source = Pick<ScopeExporter, 'checkReady' | 'onChange' | 'readingOf' | 'sums'>;

interface PusherOptions {
  readonly settings: CloudWatchSettings;
  readonly source: Source;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * Pushes the figures of a namespace or cluster to CloudWatch: those of results that have changed, and the sums. It has its own loop, so
 * that scrapes never wait for it; what could not be sent is kept, by the names of the results, and sent as it is then.
 */
export class CloudWatchPusher {
  readonly #settings: CloudWatchSettings;
  readonly #source: Source;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #credentials: Credentials;
  readonly #queue: WorkQueue;
  readonly #changed = new Set<string>();
  readonly #ending = new AbortController();
  /** Why the last push failed; undefined: it did not. */
  #failure: string | undefined;

  constructor({ settings, source, clock, logger }: PusherOptions) {
    this.#settings = settings;
    this.#source = source;
    this.#clock = clock;
    this.#logger = logger;
    this.#credentials = new Credentials(settings, clock);
    this.#queue = new WorkQueue({ clock });
  }

  /** Pushes until it is stopped. */
  async run(): Promise<void> {
    this.#source.onChange((key) => {
      this.#changed.add(key);
      this.#queue.addAfter(PUSH, GATHERED_MS);
    });
    this.#queue.addAfter(PUSH, GATHERED_MS);
    for (let key = await this.#queue.get(); key !== undefined; key = await this.#queue.get()) {
      const isPushed = await this.#push();
      this.#queue.done(key);
      this.#queue.addAfter(PUSH, isPushed ? AT_REST_MS : AGAIN_MS);
    }
  }

  /** Ends a push that is under way. */
  async stop(): Promise<void> {
    this.#ending.abort(new Error('the exporter stops'));
    await this.#queue.shutdown({ drain: false });
  }

  async #push(): Promise<boolean> {
    try {
      this.#source.checkReady();
      const keys = [...this.#changed];
      // Whatever changes from here on belongs to the next push.
      this.#changed.clear();
      await this.#send(keys).catch((error: unknown) => {
        for (const key of keys) this.#changed.add(key);
        throw error;
      });
      this.#logOutcome(undefined);
      return true;
    } catch (error) {
      if (!this.#ending.signal.aborted) this.#logOutcome(messageOf(error));
      return false;
    }
  }

  async #send(keys: readonly string[]): Promise<void> {
    const readings = keys
      .map((key) => this.#source.readingOf(key))
      .filter((reading) => reading !== undefined);
    for (const data of inRequests([...readings.flatMap(resultData), ...sumData(this.#source.sums())])) {
      await this.#put(data);
    }
  }

  async #put(data: readonly Datum[]): Promise<void> {
    const { endpoint, region } = this.#settings;
    const { signal } = this.#ending;
    const keys = await this.#credentials.current(signal);
    const body = putMetricData(data, this.#settings, this.#clock.now());
    const headers = { 'content-type': 'application/x-www-form-urlencoded; charset=utf-8' };
    const request = { method: 'POST', url: endpoint, headers, body, service: 'monitoring', region, ...keys };
    const signed = await new AwsV4Signer(request).sign();
    await ask('PutMetricData', endpoint, { method: 'POST', headers: signed.headers, body }, signal);
  }

  /** Logs each reason once, until it changes; a reason that differs only in a time or a count is the same. */
  #logOutcome(failure: string | undefined): void {
    const withoutNumbers = failure?.replaceAll(/\d+/g, '');
    if (withoutNumbers === this.#failure) return;
    if (failure === undefined) this.#logger.info({}, 'pushing to CloudWatch works again');
    else this.#logger.warn({ detail: failure }, 'cannot push to CloudWatch; scrapes go on');
    this.#failure = withoutNumbers;
  }
}
