import type { Clock } from '@turnsole/kube/base/clock';
import type { Pod } from '@turnsole/kube/kinds/core';
import type { PodUsage, UsageSource } from '../../apiserver/metrics/usage.ts';
import type { ContainerUsage } from '../runtime/types.ts';
import { type ContainerSample, decideUsage, type Sample } from './decide-usage.ts';

/** A container that runs now. */
interface MeasuredContainer {
  readonly podUid: string;
  readonly name: string;
  readonly running: { readonly id: string; usage?(): Promise<ContainerUsage | undefined> };
}

/** What the sampler looks at, and how often. */
interface UsageSamplerOptions {
  readonly containers: () => Iterable<MeasuredContainer>;
  readonly clock: Clock;
  /** Time from sample to sample. */
  readonly intervalMs: number;
}

/** The first window is shorter, because a client waits for it. */
const FIRST_WINDOW_MS = 1_000;
/** After this long without a question, nothing is measured any more. */
const REST_AFTER_MS = 60_000;

/**
 * Measures what containers use while clients ask for it: a cluster whose figures are not asked for pays nothing.
 *
 * The first question begins to measure and is answered after a first, short window. From then on a sample is taken each
 * interval, and questions are answered at once from the last two, until a minute has passed without one.
 */
export class UsageSampler implements UsageSource {
  readonly windowMs: number;
  readonly #options: UsageSamplerOptions;
  readonly #closed = new AbortController();
  #askedAtMs = 0;
  #usage: Promise<ReadonlyMap<string, PodUsage>> | undefined;
  #cancel = (): void => {};

  constructor(options: UsageSamplerOptions) {
    this.#options = options;
    this.windowMs = options.intervalMs;
  }

  async usageOf(pods: readonly Pod[]): Promise<readonly (PodUsage | undefined)[]> {
    this.#askedAtMs = this.#options.clock.monotonic();
    this.#usage ??= this.#begin();
    const usage = await this.#usage;
    return pods.map(({ metadata }) => usage.get(metadata.uid ?? ''));
  }

  /** Measures no more; questions that wait are answered with nothing. */
  close(): void {
    this.#closed.abort(new Error('the cluster is being closed'));
    this.#cancel();
    this.#usage = Promise.resolve(new Map());
  }

  async #begin(): Promise<ReadonlyMap<string, PodUsage>> {
    const { clock, intervalMs } = this.#options;
    const first = await this.#sample();
    try {
      await clock.sleep(Math.min(FIRST_WINDOW_MS, intervalMs), this.#closed.signal);
    } catch {
      return new Map();
    }
    const second = await this.#sample();
    this.#goOn(second);
    return decideUsage(first, second);
  }

  /** Arms the next sample, or rests when no client has asked for a while. */
  #goOn(last: Sample): void {
    if (this.#closed.signal.aborted) return;
    const { clock, intervalMs } = this.#options;
    this.#cancel = clock.setTimer(
      intervalMs,
      () => {
        if (clock.monotonic() - this.#askedAtMs > REST_AFTER_MS) this.#usage = undefined;
        else void this.#next(last);
      },
      { unref: true },
    );
  }

  async #next(last: Sample): Promise<void> {
    const sample = await this.#sample();
    if (this.#closed.signal.aborted) return;
    this.#usage = Promise.resolve(decideUsage(last, sample));
    this.#goOn(sample);
  }

  async #sample(): Promise<Sample> {
    const { clock, containers } = this.#options;
    const read = async ({
      podUid,
      name,
      running,
    }: MeasuredContainer): Promise<[string, ContainerSample][]> => {
      const usage = await running.usage?.();
      return usage === undefined ? [] : [[running.id, { podUid, name, usage, atMs: clock.now() }]];
    };
    return new Map((await Promise.all([...containers()].map(read))).flat());
  }
}
