import type { Clock } from '@turnsole/kube/base/clock';
import { ApiError } from '@turnsole/kube/client/errors';
import type { KubeClient } from '@turnsole/kube/client/types';
import type { Pod } from '@turnsole/kube/kinds/core';
import { PODS } from '@turnsole/kube/kinds/resources';
import type { InjectionTarget } from '../../../api/index.ts';
import type { PodsSeen } from '../../injection/fault.ts';
import { objectOf } from '../../injection/ledger/ledger-steps.ts';
import { isStale, type PodSighting, podNews, sightingOf } from './pod-sighting.ts';

/** What reporting the states of pods needs. */
interface PodSightingsOptions {
  readonly client: Pick<KubeClient, 'watch'>;
  readonly clock: Clock;
  /** Ends it. */
  readonly signal: AbortSignal;
  readonly note: (step: string, object: string, message: string) => void;
}

interface Followed {
  readonly target: InjectionTarget;
  last: PodSighting | undefined;
}

/** Each is a watch, where pods may be watched. */
const MOST_PODS = 20;
/** States of pods are not to push other steps out of the timeline. */
const MOST_NOTES = 200;
/** After a watch that has ended or broken. */
const AGAIN_MS = 1_000;

/**
 * The states of the hit pods, as steps of the timeline: by a watch of each, and where watching is not allowed, by what the fault sees of
 * them when it waits for their recovery. Costs one request for each pod, and delays nothing.
 */
export class PodSightings implements PodsSeen {
  readonly #options: PodSightingsOptions;
  readonly #followed = new Map<string, Followed>();
  #mayWatch = true;
  #notes = 0;

  constructor(options: PodSightingsOptions) {
    this.#options = options;
  }

  /** From now on these are followed, as far as they are pods. @param seen pods as they were when these were chosen */
  follow(targets: readonly InjectionTarget[], seen: readonly Pod[]): void {
    for (const target of targets) {
      const { kind, namespace, name } = target;
      const key = `${namespace}/${name}`;
      if (kind !== 'pod' || this.#followed.has(key) || this.#followed.size >= MOST_PODS) continue;
      const followed: Followed = { target: { kind, namespace: namespace ?? '', name }, last: undefined };
      this.#followed.set(key, followed);
      const pod = seen.find(({ metadata }) => metadata.name === name && metadata.namespace === namespace);
      if (pod !== undefined) this.#saw(followed, pod);
      void this.#watch(followed);
    }
  }

  all(namespace: string, pods: readonly Pod[]): void {
    for (const followed of this.#followed.values()) {
      if (followed.target.namespace !== namespace) continue;
      this.#saw(
        followed,
        pods.find(({ metadata }) => metadata.name === followed.target.name),
      );
    }
  }

  one({ namespace, name }: Pick<InjectionTarget, 'namespace' | 'name'>, pod: Pod | undefined): void {
    const followed = this.#followed.get(`${namespace}/${name}`);
    if (followed !== undefined) this.#saw(followed, pod);
  }

  #saw(followed: Followed, pod: Pod | undefined): void {
    const { namespace, name } = followed.target;
    const now = sightingOf(pod, followed.last);
    if (isStale(followed.last, now)) return;
    const news = podNews(`pod ${namespace}/${name}`, followed.last, now);
    followed.last = now;
    if (this.#options.signal.aborted) return;
    for (const { step, message } of news) {
      if (this.#notes++ < MOST_NOTES) this.#options.note(step, objectOf(followed.target), message);
    }
  }

  /** Without a version the server first sends the pod as it is. */
  async #watch(followed: Followed): Promise<void> {
    const { client, clock, signal } = this.#options;
    const { namespace, name } = followed.target;
    const selection = { namespace: namespace ?? '', fieldSelector: `metadata.name=${name}` };
    while (this.#mayWatch && !signal.aborted) {
      try {
        for await (const event of client.watch<Pod>(PODS, { ...selection, signal })) {
          if (event.type !== 'BOOKMARK')
            this.#saw(followed, event.type === 'DELETED' ? undefined : event.object);
        }
      } catch (error) {
        // Not for this account: the fault itself sees some of it.
        if (error instanceof ApiError && error.code === 403) this.#mayWatch = false;
      }
      await clock.sleep(AGAIN_MS, signal).catch(() => {});
    }
  }
}
