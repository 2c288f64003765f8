import { Backoff } from '@turnsole/kube/base/backoff';
import type { Clock } from '@turnsole/kube/base/clock';
import { ApiError, ConnectionError, isExpired } from '@turnsole/kube/client/errors';
import type { KubeClient, KubeList } from '@turnsole/kube/client/types';
import type { CoreEvent, Job, Pod } from '@turnsole/kube/kinds/core';
import { EVENTS, JOBS, PODS } from '@turnsole/kube/kinds/resources';
import { pollDelayMs } from '@turnsole/kube/runtime/wait';
import { classifyRefusal, type PodStartProblem } from '../../chaos/pod-start.ts';
import { observeExperimentPod, type PodState } from './experiment-pod.ts';

/** Which pod is followed, and who gets the news. */
interface FollowPodOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly namespace: string;
  /** Name of the Job and of the container. */
  readonly job: string;
  readonly jobUid: string | undefined;
  /** Called for every change of state but the last one. Returning false ends the wait with that state. */
  readonly onState: (state: PodState) => boolean;
  /** Called when the Job makes no pod, with what its controller says, once it says something. */
  readonly onNoPod: (problem: PodStartProblem) => void;
  readonly signal: AbortSignal;
}

/** When a Job has no pod for this long, the follower asks why. */
const NO_POD_AFTER_MS = 500;
/** While a followed log shows when the container ends, its pod is still read this often. */
const LOGGED_POLL_MS = 10_000;
/** A followed log that ends sooner proves nothing: the container had ended already, or its log cannot be read. */
const LOG_TOO_SHORT_MS = 50;
/** So many of them in a row: the log cannot be had, and asking for it with every look would double the requests. */
const MAX_SHORT_LOGS = 3;
/** After a log has ended: the first look at the pod's status again, then twice as long, up to the pace of polling. */
const FIRST_LOOK_MS = 10;
/** A watch that says nothing for this long is opened anew: its connection may be dead. */
const WATCH_LIMIT_MS = 120_000;

/**
 * Follows the pod of a Job until its container has ended or the pod is gone, and resolves to that state.
 *
 * Watches where that is allowed. Service accounts of upstream's charts may not watch (403): then the pod is read at
 * growing intervals, and while its container runs, the end of its followed log shows that it has ended. The truth
 * is the pod's status in both cases. Outages of the API server are survived until `signal` is aborted.
 *
 * @throws ApiError when pods may not be listed · the signal's reason
 */
export async function followPod(options: FollowPodOptions): Promise<PodState> {
  return new PodFollower(options).run();
}

class PodFollower {
  readonly #options: FollowPodOptions;
  readonly #selector: string;
  readonly #backoff = new Backoff({ baseMs: 50, maxMs: 2_000 });
  #mayWatch = true;
  #sawPod = false;
  #shortLogs = 0;
  #state: PodState = { kind: 'absent' };
  #changedAt: number;
  #askedAt: number | undefined;

  constructor(options: FollowPodOptions) {
    this.#options = options;
    this.#selector = `job-name=${options.job}`;
    this.#changedAt = options.clock.monotonic();
  }

  async run(): Promise<PodState> {
    const { clock, signal } = this.#options;
    for (let isFirst = true; ; isFirst = false) {
      signal.throwIfAborted();
      try {
        // Without a version a watch begins with the existing objects, which saves the first list.
        if (isFirst && (await this.#watch(undefined, []))) return this.#state;
        const list = await this.#list();
        if (this.#isOver(list.items)) return this.#state;
        if (this.#state.kind === 'absent') {
          const state = await this.#checkAbsent(signal);
          if (state !== undefined) return state;
        }
        if (this.#mayWatch && (await this.#watch(list.metadata.resourceVersion, list.items)))
          return this.#state;
        if (!this.#mayWatch) await this.#pause();
        this.#backoff.reset();
      } catch (error) {
        signal.throwIfAborted();
        if (!isPassing(error)) throw error;
        await clock.sleep(this.#backoff.next(), signal);
      }
    }
  }

  #list(): Promise<KubeList<Pod>> {
    const { client, namespace, signal } = this.#options;
    return client.list<Pod>(PODS, { namespace, labelSelector: this.#selector, signal });
  }

  /** Takes note of the pods; true when the wait is over. */
  #isOver(pods: readonly Pod[]): boolean {
    const { job, onState, clock } = this.#options;
    const state = observeExperimentPod(pods, job, this.#sawPod);
    if (pods.length > 0) this.#sawPod = true;
    const isNews = JSON.stringify(state) !== JSON.stringify(this.#state);
    this.#state = state;
    if (isNews) this.#changedAt = clock.monotonic();
    if (state.kind === 'ended' || state.kind === 'gone') return true;
    return isNews && !onState(state);
  }

  /** Follows the watch until it ends; true when the wait is over. */
  async #watch(resourceVersion: string | undefined, pods: readonly Pod[]): Promise<boolean> {
    const { client, clock, namespace, signal } = this.#options;
    const present = new Map(pods.map((pod) => [pod.metadata.name, pod]));
    const limit = new AbortController();
    const questions = this.#askWhileAbsent(limit);
    let stopTimer = clock.setTimer(WATCH_LIMIT_MS, () => limit.abort());
    try {
      const events = client.watch<Pod>(PODS, {
        namespace,
        labelSelector: this.#selector,
        resourceVersion,
        signal: AbortSignal.any([signal, limit.signal]),
      });
      for await (const event of events) {
        if (event.type === 'BOOKMARK') continue;
        if (event.type === 'DELETED') present.delete(event.object.metadata.name);
        else present.set(event.object.metadata.name, event.object);
        stopTimer();
        stopTimer = clock.setTimer(WATCH_LIMIT_MS, () => limit.abort());
        if (this.#isOver([...present.values()])) return true;
      }
      return false;
    } catch (error) {
      signal.throwIfAborted();
      if (limit.signal.aborted || isExpired(error)) return false;
      if (error instanceof ApiError && error.code === 403) {
        this.#mayWatch = false;
        return false;
      }
      throw error;
    } finally {
      stopTimer();
      limit.abort();
      await questions;
    }
  }

  /**
   * While the Job has no pod, asks beside the watch why; ends the watch when it will get none, or when a question fails. Never rejects.
   */
  async #askWhileAbsent(watch: AbortController): Promise<void> {
    const { clock } = this.#options;
    const signal = AbortSignal.any([this.#options.signal, watch.signal]);
    try {
      while (this.#state.kind === 'absent') {
        await clock.sleep(Math.max(0, this.#nextQuestionAt() - clock.monotonic()), signal);
        if ((await this.#checkAbsent(signal)) === undefined) continue;
        // The list that follows has the last word: its pod may have come and gone meanwhile.
        this.#askedAt = undefined;
        watch.abort();
      }
    } catch {
      // Asked again after the next list, where a failure counts, unless it was the watch's end that cut the question off.
      if (!signal.aborted) this.#askedAt = undefined;
      watch.abort();
    }
  }

  /** Questions come after half a second without a pod, then after half the time waited so far. */
  #nextQuestionAt(): number {
    const asked = this.#askedAt;
    if (asked === undefined || asked < this.#changedAt) return this.#changedAt + NO_POD_AFTER_MS;
    return asked + Math.max(NO_POD_AFTER_MS, (asked - this.#changedAt) / 2);
  }

  /** Until the next look, where watching is not allowed. */
  async #pause(): Promise<void> {
    const { clock, signal } = this.#options;
    const state = this.#state;
    const delayMs = pollDelayMs(clock.monotonic() - this.#changedAt);
    if (state.kind !== 'running' || this.#shortLogs >= MAX_SHORT_LOGS) return clock.sleep(delayMs, signal);
    const done = new AbortController();
    const both = AbortSignal.any([signal, done.signal]);
    const logEnd = this.#untilLogEnds(state.pod, both);
    const look = clock.sleep(LOGGED_POLL_MS, both);
    // The one that loses is aborted and rejects when it is no longer listened to.
    logEnd.catch(() => {});
    look.catch(() => {});
    try {
      await Promise.race([logEnd, look]);
    } finally {
      done.abort();
    }
    // The kubelet reports the end a moment after the log's; ask for it quickly again.
    this.#changedAt = clock.monotonic();
  }

  /** Resolves when the container's log has ended; without a log, or with one that ends at once, at the pace of polling. */
  async #untilLogEnds(pod: string, signal: AbortSignal): Promise<void> {
    const { client, clock, namespace, job } = this.#options;
    const openedAt = clock.monotonic();
    try {
      const lines = client.logLines(pod, { namespace, container: job, follow: true, tailLines: 1, signal });
      for await (const _line of lines) {
        // Only its end matters.
      }
    } catch (error) {
      if (!(error instanceof ApiError) && !(error instanceof ConnectionError)) {
        signal.throwIfAborted();
        throw error;
      }
    }
    if (clock.monotonic() - openedAt >= LOG_TOO_SHORT_MS) {
      this.#shortLogs = 0;
      return;
    }
    // Most likely it has just ended and the kubelet is about to say so: the first looks come quickly.
    await clock.sleep(Math.min(pollDelayMs(0), FIRST_LOOK_MS * 2 ** this.#shortLogs), signal);
    this.#shortLogs += 1;
  }

  /** Asks the Job why it has no pod; a state when it will never have one. */
  async #checkAbsent(signal: AbortSignal): Promise<PodState | undefined> {
    const { client, clock, namespace, job, jobUid, onNoPod } = this.#options;
    if (clock.monotonic() < this.#nextQuestionAt()) return undefined;
    this.#askedAt = clock.monotonic();
    const found = await client.find<Job>(JOBS, job, { namespace, signal });
    // A Job that has ended makes no pod any more: the one it had was deleted before it was seen here.
    const hasEnded = found?.status?.conditions?.some(
      ({ type, status }) => (type === 'Failed' || type === 'Complete') && status === 'True',
    );
    if (found === undefined || hasEnded === true) return { kind: 'gone' };
    // It has made its pod, which this follower is about to see.
    if ((found.status?.active ?? 0) > 0) return undefined;
    try {
      const events = await client.list<CoreEvent>(EVENTS, {
        namespace,
        fieldSelector: `involvedObject.kind=Job,involvedObject.name=${job}`,
        signal,
      });
      const failure = events.items.find(
        ({ reason, involvedObject }) =>
          reason === 'FailedCreate' && (jobUid === undefined || involvedObject.uid === jobUid),
      );
      const said = failure?.message;
      if (said !== undefined) {
        const reason = classifyRefusal({ code: 403, reason: '', message: said }) ?? 'Forbidden';
        onNoPod({ reason, message: `Job ${job} cannot create its pod: ${said}` });
      }
    } catch (error) {
      // Events explain a wait and do not decide it: without permission to read them it simply goes on.
      if (!(error instanceof ApiError)) throw error;
    }
    return undefined;
  }
}

function isPassing(error: unknown): boolean {
  if (error instanceof ConnectionError) return true;
  return error instanceof ApiError && (error.code >= 500 || error.code === 429 || error.code === 410);
}
