import type { Pod } from '@turnsole/kube/kinds/core';
import { PODS } from '@turnsole/kube/kinds/resources';
import type { InjectionTarget } from '../../../api/index.ts';
import { askUntil } from '../../injection/ask-until.ts';
import { describeError } from '../../injection/errors.ts';
import { objectOf } from '../../injection/ledger/ledger-steps.ts';
import { podEndedAt } from '../../targets/container-status.ts';
import { followPods, shareOf } from '../../targets/resolve-targets.ts';
import type { PodCandidate } from '../../targets/select-pods.ts';
import type { Run } from '../lifecycle/run.ts';
import { nextTargets } from './next-targets.ts';

/** How targets that are hit together are followed. */
interface FollowOptions {
  /** Those that were chosen. */
  readonly targets: readonly InjectionTarget[];
  /** Which step of the run they are: in serial mode each target is one. */
  readonly step: number;
  /** Targets of later steps, which are not to be hit before their time. */
  readonly later: readonly InjectionTarget[];
  /** Until when chaos lasts, by the monotonic clock; it may become later. */
  readonly endsAtMs: () => number;
  readonly signal: AbortSignal;
  /**
   * Puts the fault on these, which are on one node, for the rest of the time: its entries have this round in their ids. Rejects when it
   * did not come into force, with nothing left of it.
   */
  readonly hit: (targets: readonly InjectionTarget[], round: number) => Promise<void>;
}

/** After a pod could not be hit, another try waits so long; twice as long after each further one. */
const REST_MS = 1_000;
const MOST_REST_MS = 15_000;

/** A pod that could not be hit. */
interface Rest {
  readonly untilMs: number;
  readonly pauseMs: number;
}

/**
 * Follows the pods that a held fault is on, until its time is over: notes when one is gone, and with FOLLOW_WORKLOAD puts the fault on the
 * pods that take their places. Looks when a pod has changed, and where pods may not be watched, again and again. What cannot be hit is
 * noted and tried again; nothing of it ends the run. Never rejects.
 */
export class WorkloadFollower {
  readonly #run: Run;
  readonly #options: FollowOptions;
  /** Pods that are hit or about to be, by uid, with their targets. */
  readonly #held = new Map<string, readonly InjectionTarget[]>();
  /** When pods were seen to be gone, by uid; those of them whose places are taken are forgotten. */
  readonly #gone = new Map<string, { readonly target: InjectionTarget; readonly atMs: number }>();
  readonly #resting = new Map<string, Rest>();
  readonly #working = new Set<Promise<void>>();
  readonly #bereft = new Set<string>();
  #hasComplained = false;

  constructor(run: Run, options: FollowOptions) {
    this.#run = run;
    this.#options = options;
    this.#hold(options.targets);
  }

  /** Follows until the time is over; resolves when all that was hit on the way has ended. */
  async follow(): Promise<void> {
    const { signal, endsAtMs } = this.#options;
    const { client, clock } = this.#run;
    const bell = { client, resource: PODS, ...this.#bellPlace() };
    while (!signal.aborted) {
      const nowMs = clock.monotonic();
      const untilMs = Math.min(endsAtMs(), ...[...this.#resting.values()].map((rest) => rest.untilMs));
      if (endsAtMs() <= nowMs) break;
      const timeoutMs = Math.max(1, untilMs - nowMs);
      try {
        const next = await askUntil({ ask: () => this.#look(), timeoutMs, clock, signal, bell });
        if (next !== undefined) this.#take(next);
      } catch {
        // Only an abort ends asking: what cannot be looked at is noted by the look.
        break;
      }
    }
    await Promise.all(this.#working);
  }

  /** Pods of one namespace are watched there; of several, all that may be. */
  #bellPlace(): { readonly namespace?: string } {
    const namespaces = new Set(this.#options.targets.map(({ namespace }) => namespace ?? ''));
    const [only] = namespaces;
    return namespaces.size === 1 && only !== undefined ? { namespace: only } : {};
  }

  /** What is to be hit next; undefined when nothing is. */
  async #look(): Promise<readonly PodCandidate[] | undefined> {
    const { client, fault, settings, random, clock } = this.#run;
    const { targets, later, signal } = this.#options;
    try {
      const input = { client, fault, settings, clock, random, signal };
      const { pods, candidates } = await followPods(input, targets);
      await this.#noteGone(pods);
      if (!settings.tunables.FOLLOW_WORKLOAD) return undefined;
      const nowMs = clock.monotonic();
      const resting = [...this.#resting].flatMap(([uid, { untilMs }]) => (untilMs > nowMs ? [uid] : []));
      const next = nextTargets({
        candidates,
        hit: new Set(this.#held.keys()),
        left: new Set([...resting, ...later.map(({ uid = '' }) => uid)]),
        earlier: this.#run.force.podsBefore(this.#options.step),
        bereft: this.#bereft,
        wanted: this.#wanted(),
      });
      return next.length === 0 ? undefined : next;
    } catch (error) {
      signal.throwIfAborted();
      if (!this.#hasComplained) {
        this.#hasComplained = true;
        const message = `cannot look for pods that take the places of hit ones: ${describeError(error)}; tried again`;
        this.#run.timeline.note({ step: 'FollowFailed', message });
      }
      return undefined;
    }
  }

  #wanted(): (candidates: number) => number {
    const { settings } = this.#run;
    const pods = new Set(this.#options.targets.map(({ uid }) => uid)).size;
    const share = settings.sequence === 'serial' ? undefined : shareOf(settings);
    return share ?? (() => pods);
  }

  async #noteGone(pods: readonly Pod[]): Promise<void> {
    const byUid = new Map(pods.map((pod) => [pod.metadata.uid, pod]));
    await Promise.all(
      [...this.#held].map(async ([uid, targets]) => {
        const [target] = targets;
        if (target === undefined) return;
        // One that the choice means no more may be there all the same.
        const pod = byUid.get(uid) ?? (await this.#find(target));
        const nowMs = this.#run.clock.now();
        const atMs = pod === undefined || pod.metadata.uid !== uid ? nowMs : podEndedAt(pod, nowMs);
        if (atMs !== undefined) this.#lose(uid, targets, atMs);
      }),
    );
  }

  #find({ namespace, name }: InjectionTarget): Promise<Pod | undefined> {
    return this.#run.client.find<Pod>(PODS, name, { namespace, signal: this.#options.signal });
  }

  #lose(uid: string, targets: readonly InjectionTarget[], atMs: number): void {
    const [target] = targets;
    if (target === undefined || !this.#held.delete(uid)) return;
    const { force, fault, timeline, news } = this.#run;
    this.#gone.set(uid, { target, atMs });
    if (target.owner?.uid !== undefined) this.#bereft.add(target.owner.uid);
    for (const one of targets) force.lost(one, 'PodGone', atMs);
    const message = `the pod is gone, and ${fault.name} with it`;
    timeline.note({ step: 'TargetGone', object: objectOf(target), message });
    news.storeSoon();
  }

  #hold(targets: readonly InjectionTarget[]): void {
    for (const [uid, own] of Map.groupBy(targets, (target) => target.uid ?? '')) this.#held.set(uid, own);
  }

  #take(next: readonly PodCandidate[]): void {
    const { force, timeline, news, clock, fault } = this.#run;
    const { step } = this.#options;
    const targets = next.flatMap((candidate) => candidate.targets);
    this.#hold(targets);
    for (const target of targets) force.followed(target, step);
    for (const { targets: own } of next) {
      const [target] = own;
      if (target === undefined) continue;
      const lost = this.#predecessorOf(target);
      const whose =
        lost === undefined
          ? 'it has come to those that are meant'
          : `it takes the place of ${objectOf(lost.target)}, which has been gone for ${seconds(clock.now() - lost.atMs)} s`;
      const message = `${fault.name} is put on it as well: ${whose}`;
      timeline.note({ step: 'TargetFollowed', object: objectOf(target), message });
    }
    news.storeSoon();
    for (const own of Map.groupBy(targets, ({ node }) => node).values()) this.#hit(own);
  }

  #hit(targets: readonly InjectionTarget[]): void {
    const { force, timeline, clock } = this.#run;
    const { hit, step, endsAtMs, signal } = this.#options;
    const working = hit(targets, force.nextRound(step))
      .catch((error: unknown) => {
        this.#rest(targets);
        if (signal.aborted || clock.monotonic() >= endsAtMs()) return;
        for (const target of targets) {
          const message = `could not be hit, and counts as not hit: ${describeError(error)}`;
          timeline.note({ step: 'FollowFailed', object: objectOf(target), message });
        }
      })
      .finally(() => this.#working.delete(working));
    this.#working.add(working);
  }

  /** The pod whose place another one takes: the first of its workload that went. */
  #predecessorOf(
    target: InjectionTarget,
  ): { readonly target: InjectionTarget; readonly atMs: number } | undefined {
    for (const [uid, lost] of this.#gone) {
      const isSame =
        lost.target.owner?.uid === target.owner?.uid && lost.target.namespace === target.namespace;
      if (!isSame || (target.owner === undefined && lost.target.name !== target.name)) continue;
      this.#gone.delete(uid);
      return lost;
    }
    return undefined;
  }

  #rest(targets: readonly InjectionTarget[]): void {
    for (const { uid = '' } of targets) {
      this.#held.delete(uid);
      const pauseMs = Math.min(MOST_REST_MS, (this.#resting.get(uid)?.pauseMs ?? REST_MS / 2) * 2);
      this.#resting.set(uid, { pauseMs, untilMs: this.#run.clock.monotonic() + pauseMs });
    }
  }
}

function seconds(ms: number): string {
  return (Math.max(ms, 0) / 1000).toFixed(1);
}
