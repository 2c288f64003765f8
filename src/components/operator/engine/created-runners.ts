import type { Clock } from '@turnsole/kube/base/clock';
import type { Pod } from '@turnsole/kube/kinds/core';

/** How long the cache may take to show a pod before it is looked for on the API server. */
export const CACHE_LAG_MS = 5_000;

interface Created {
  readonly pod: Pod;
  readonly atMs: number;
}

/**
 * Runner pods made by this process that the cache may not show yet. Engine and pods arrive by different watches: without this,
 * an engine that arrives first would seem to have no runner, and asking the API server each time costs three requests a run.
 */
export class CreatedRunners {
  readonly #clock: Clock;
  readonly #byEngine = new Map<string, Created>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  remember(engineUid: string, pod: Pod): void {
    this.#byEngine.set(engineUid, { pod, atMs: this.#clock.monotonic() });
  }

  /** The pod made for this engine a moment ago; undefined once the cache must have shown it. */
  find(engineUid: string): Pod | undefined {
    const created = this.#byEngine.get(engineUid);
    if (created === undefined) return undefined;
    if (this.#clock.monotonic() - created.atMs < CACHE_LAG_MS) return created.pod;
    this.#byEngine.delete(engineUid);
    return undefined;
  }

  /** The cache has shown this pod, or shown that it is gone: from now on the cache is right. */
  shown(engineUid: string, pod: Pod): void {
    if (this.#byEngine.get(engineUid)?.pod.metadata.uid === pod.metadata.uid)
      this.#byEngine.delete(engineUid);
  }

  /** The engine is no more. */
  forget(engineUid: string): void {
    this.#byEngine.delete(engineUid);
  }
}
