import type { Clock } from '@turnsole/kube/base/clock';
import { isForbidden } from '@turnsole/kube/client/errors';
import type { KubeClient } from '@turnsole/kube/client/types';
import type { Pod } from '@turnsole/kube/kinds/core';
import { PODS } from '@turnsole/kube/kinds/resources';
import type { InjectionTarget } from '../../../api/index.ts';
import type { WorkloadReadiness } from '../../../api/schema/result.ts';
import { isCounted, isReady } from '../../targets/health/judge-pods.ts';
import type { Owner } from '../../targets/owner.ts';
import { isStale, type PodSighting, sightingOf } from './pod-sighting.ts';
import { belongsTo, type ReadyChange, readinessIn } from './readiness.ts';

/** What following workloads needs. */
interface WorkloadSightingsOptions {
  readonly client: Pick<KubeClient, 'list' | 'watch'>;
  readonly clock: Clock;
  /** Ends it. */
  readonly signal: AbortSignal;
  /** Called when the number of ready pods of a workload has changed. */
  readonly onChange: () => void;
}

interface FollowedWorkload {
  readonly owner: Owner;
  readonly namespace: string;
  readonly pods: Map<string, { readonly sighting: PodSighting; readonly isReady: boolean }>;
  readonly changes: ReadyChange[];
}

/** Workloads that are followed at most. */
const MOST_WORKLOADS = 20;
/** Changes that are kept of each: those of a workload that flaps all the time end there. */
const MOST_CHANGES = 5_000;
/** Changes that are stored of each: an object has a limited size. */
const MOST_STORED = 200;
/** After a watch that has ended or broken. */
const AGAIN_MS = 1_000;
/** Between two lists where watching is not allowed. */
const LIST_MS = 500;

/**
 * How many pods of the hit workloads are ready, from when their targets are chosen: by one list and one watch of each namespace, and where
 * watching is not allowed by lists. Delays nothing.
 */
export class WorkloadSightings {
  readonly #options: WorkloadSightingsOptions;
  readonly #workloads = new Map<string, FollowedWorkload>();
  readonly #namespaces = new Set<string>();
  #hasNews = false;

  constructor(options: WorkloadSightingsOptions) {
    this.#options = options;
  }

  /** From now on the workloads of these are followed. @param seen pods as they were when these were chosen */
  follow(targets: readonly InjectionTarget[], seen: readonly Pod[]): void {
    for (const { kind, namespace = '', owner } of targets) {
      if (kind !== 'pod' || owner === undefined) continue;
      const key = `${namespace}/${owner.kind}/${owner.name}`;
      if (this.#workloads.has(key) || this.#workloads.size >= MOST_WORKLOADS) continue;
      const workload: FollowedWorkload = { owner, namespace, pods: new Map(), changes: [] };
      this.#workloads.set(key, workload);
      for (const pod of seen) this.#note(workload, pod);
      this.#count(workload);
      if (this.#namespaces.has(namespace)) continue;
      this.#namespaces.add(namespace);
      void this.#keepLooking(namespace);
    }
  }

  /** What became of the workloads in a window of chaos. */
  readiness(window: Parameters<typeof readinessIn>[1]): WorkloadReadiness[] {
    return [...this.#workloads.values()].flatMap(({ owner, namespace, changes }) => {
      const found = readinessIn(changes, window);
      if (found === undefined) return [];
      const { before, lowest, noneMs } = found;
      const noneReadySeconds = Math.floor(noneMs / 100) / 10;
      return [
        {
          kind: owner.kind,
          namespace,
          name: owner.name,
          readyBefore: before,
          lowestReady: lowest,
          noneReadySeconds,
          ready: changes
            .slice(-MOST_STORED)
            .map(({ atMs, ready }) => ({ time: new Date(atMs).toISOString(), pods: ready })),
        },
      ];
    });
  }

  /** The readiness up to now, when it has changed since it was taken last; undefined when it has not, and after the end. */
  take(window: Parameters<typeof readinessIn>[1] | undefined): WorkloadReadiness[] | undefined {
    const { clock, signal } = this.#options;
    if (!this.#hasNews || signal.aborted) return undefined;
    this.#hasNews = false;
    const nowMs = clock.now();
    return this.readiness(window ?? { beginsMs: nowMs, fromMs: nowMs, toMs: nowMs });
  }

  /** Whether there is something to take. */
  get hasNews(): boolean {
    return this.#hasNews;
  }

  async #keepLooking(namespace: string): Promise<void> {
    const { client, clock, signal } = this.#options;
    let mayWatch = true;
    while (!signal.aborted) {
      try {
        const { items, metadata } = await client.list<Pod>(PODS, { namespace, signal });
        this.#sawAll(namespace, items);
        const { resourceVersion } = metadata ?? {};
        if (mayWatch) {
          for await (const event of client.watch<Pod>(PODS, { namespace, resourceVersion, signal })) {
            if (event.type === 'BOOKMARK') continue;
            for (const workload of this.#of(namespace)) {
              if (event.type === 'DELETED') this.#lose(workload, event.object);
              else this.#note(workload, event.object);
              this.#count(workload);
            }
          }
        }
      } catch (error) {
        if (isForbidden(error)) mayWatch = false;
      }
      await clock.sleep(mayWatch ? AGAIN_MS : LIST_MS, signal).catch(() => {});
    }
  }

  #of(namespace: string): FollowedWorkload[] {
    return [...this.#workloads.values()].filter((workload) => workload.namespace === namespace);
  }

  /** Pods that are seen at once are one number. */
  #sawAll(namespace: string, pods: readonly Pod[]): void {
    const present = new Set(pods.map(({ metadata }) => metadata.uid));
    for (const workload of this.#of(namespace)) {
      for (const pod of pods) this.#note(workload, pod);
      for (const uid of workload.pods.keys()) if (!present.has(uid)) this.#forget(workload, uid);
      this.#count(workload);
    }
  }

  #note(workload: FollowedWorkload, pod: Pod): void {
    if (!belongsTo(workload.owner, pod)) return;
    const { uid = '' } = pod.metadata;
    const before = workload.pods.get(uid)?.sighting;
    const sighting = sightingOf(pod, before);
    if (isStale(before, sighting)) return;
    workload.pods.set(uid, { sighting, isReady: isCounted(pod) && isReady(pod) });
  }

  #lose(workload: FollowedWorkload, pod: Pod): void {
    if (belongsTo(workload.owner, pod)) this.#forget(workload, pod.metadata.uid ?? '');
  }

  #forget(workload: FollowedWorkload, uid: string): void {
    const before = workload.pods.get(uid)?.sighting;
    workload.pods.set(uid, { sighting: sightingOf(undefined, before), isReady: false });
  }

  #count({ pods, changes }: FollowedWorkload): void {
    // Nothing is known of it yet.
    if (pods.size === 0) return;
    const ready = [...pods.values()].filter((pod) => pod.isReady).length;
    if (changes.at(-1)?.ready === ready || changes.length >= MOST_CHANGES) return;
    const atMs = this.#options.clock.now();
    if (changes.at(-1)?.atMs === atMs) changes.pop();
    if (changes.at(-1)?.ready === ready) return;
    changes.push({ atMs, ready });
    this.#hasNews = true;
    this.#options.onChange();
  }
}
