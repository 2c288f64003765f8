import assert from 'node:assert/strict';
import { once } from 'node:events';
import http, { type IncomingMessage } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { KubeClient } from '@turnsole/kube/client/types';
import type { Pod } from '@turnsole/kube/kinds/core';
import { PODS } from '@turnsole/kube/kinds/resources';
import type { LedgerEntry } from '../../../src/api/index.ts';
import { type Span, spansOf } from '../../../src/chaos/force-windows.ts';
import { isLost } from '../../../src/experiment/helper/helper-state.ts';

/** Whether the fault is in force on a pod, by the pod itself; undefined when it does not say. */
export type AskPod = (pod: Pod) => Promise<boolean | undefined>;

/** One answer of a pod, with when it was asked and when it had answered. */
interface Answer {
  readonly beganMs: number;
  readonly endedMs: number;
  readonly isInForce: boolean;
}

const EVERY_MS = 40;
const ANSWER_LIMIT_MS = 2_000;
/** Within which a pod that lives has answered once more. */
const OVER_LIMIT_MS = 3_000;

/** Whether the last answer is not one of a pod that has gone since. */
function isRecent(answers: readonly Answer[]): boolean {
  return Date.now() - (answers.at(-1)?.endedMs ?? 0) < OVER_LIMIT_MS / 2;
}

/** Asks the server in a pod, whose answer under the fault has this status. */
export function statusAsked(status: number): AskPod {
  return async ({ status: pod }) => {
    const signal = AbortSignal.timeout(ANSWER_LIMIT_MS);
    try {
      const request = http.get({ host: pod?.podIP, port: 8080, agent: false, signal });
      const [response] = (await once(request, 'response')) as [IncomingMessage];
      response.resume();
      return response.statusCode === status;
    } catch {
      return undefined;
    }
  };
}

/**
 * When the fault was being injected, and when it was being reverted: on a busy machine that takes a while. And when its rules may have expired:
 * they have been loaded at the earliest when that was asked for, and again at the latest when that was done.
 */
function changesOf(entry: LedgerEntry): Span[] {
  // Also of a window that ended as it began, as that of a pod that went while the fault was put on it.
  const { inForce = [], plannedAt, revertedAt } = entry;
  const [first, last] = [inForce[0], inForce.at(-1)];
  if (first === undefined || last === undefined) return [];
  const changes = [
    { fromMs: Date.parse(plannedAt ?? ''), toMs: Date.parse(first.from) },
    { fromMs: Date.parse(last.to ?? ''), toMs: Date.parse(revertedAt ?? '') },
    ...inForce.flatMap(({ to, ended }, index) =>
      ended === 'NotRenewed'
        ? [{ fromMs: Date.parse(to ?? ''), toMs: Date.parse(inForce[index + 1]?.from ?? revertedAt ?? '') }]
        : [],
    ),
  ];
  return changes.filter(({ fromMs, toMs }) => fromMs < toMs);
}

/**
 * An observer outside: asks every pod `app=web` of a namespace all the time whether the fault is in force, and takes down what it says.
 */
export class ForceWatch implements AsyncDisposable {
  readonly #answers = new Map<string, Answer[]>();
  /** When the control plane noted that the nodes of pods did not answer, each time, by uid. */
  readonly #losses = new Map<string, Set<number>>();
  readonly #over = new AbortController();
  readonly #asking = new Set<Promise<void>>();
  readonly #ask: AskPod;
  readonly #listing: Promise<void>;

  constructor(client: KubeClient, namespace: string, ask: AskPod) {
    this.#ask = ask;
    this.#listing = this.#follow(client, namespace);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#over.abort();
    await this.#listing;
    await Promise.all(this.#asking);
  }

  /** How many answers there are. */
  get count(): number {
    return [...this.#answers.values()].reduce((sum, answers) => sum + answers.length, 0);
  }

  /** Resolves when each pod that still answers does so as without the fault. */
  async assertOver(): Promise<void> {
    const until = Date.now() + OVER_LIMIT_MS;
    const last = (answers: readonly Answer[]): boolean => answers.at(-1)?.isInForce === true;
    while ([...this.#answers.values()].some(last) && Date.now() < until) await delay(EVERY_MS);
    const left = [...this.#answers]
      .filter(([, answers]) => last(answers) && isRecent(answers))
      .map(([uid]) => uid);
    assert.deepEqual(left, [], 'pods that answer as under the fault when it is over');
  }

  /**
   * Compares with the windows of a ledger: each answer that was wholly within a window says that the fault is in force, and each that was
   * wholly outside says that it is not. While it is being injected or reverted, either is right.
   *
   * @param graceMs how near to the edge of a window an answer counts for nothing
   */
  assertAgrees(entries: readonly LedgerEntry[], graceMs = 300): void {
    const wrong: string[] = [];
    for (const [uid, answers] of this.#answers) {
      const own = entries.filter(({ target }) => target.uid === uid);
      const spans = own.flatMap((entry) => spansOf(entry, Date.now()));
      const changes = own.flatMap(changesOf);
      for (const { beganMs, endedMs, isInForce } of answers) {
        const isWithin = spans.some(
          ({ fromMs, toMs }) => beganMs >= fromMs + graceMs && endedMs <= toMs - graceMs,
        );
        const isOutside = [...spans, ...changes].every(
          ({ fromMs, toMs }) => endedMs <= fromMs - graceMs || beganMs >= toMs + graceMs,
        );
        if ((isWithin && !isInForce) || (isOutside && isInForce)) {
          const when = new Date(beganMs).toISOString();
          wrong.push(
            `${uid} at ${when}: ${isInForce ? 'in force' : 'not in force'} outside of what is recorded`,
          );
        }
      }
    }
    const windows = entries.map(({ target, inForce }) => ({ name: target.name, uid: target.uid, inForce }));
    assert.deepEqual(wrong, [], JSON.stringify(windows, undefined, 1));
    assert.ok(this.count > 0, 'the observer got no answer at all');
  }

  /**
   * Compares the ends of the windows with the last answers in them: a pod that has been silent for long is not known to be under the fault.
   * The silence counts from when the control plane noted it, which on a busy machine may be late.
   *
   * @param silentMs how long it may take until a loss shows
   */
  assertHeard(entries: readonly LedgerEntry[], silentMs: number): void {
    const unheard = entries.flatMap((entry) =>
      spansOf(entry, Date.now()).flatMap(({ fromMs, toMs }) => {
        const { uid = '' } = entry.target;
        const answered = (this.#answers.get(uid) ?? []).map(({ endedMs }) => endedMs);
        const signs = [...answered, ...(this.#losses.get(uid) ?? [])];
        const heardMs = Math.max(fromMs, ...signs.filter((ms) => ms <= toMs));
        return toMs - heardMs <= silentMs
          ? []
          : [`${entry.target.name}: silent for the last ${toMs - heardMs} ms`];
      }),
    );
    assert.deepEqual(unheard, [], 'windows that end long after the last answer of their pods');
  }

  async #follow(client: KubeClient, namespace: string): Promise<void> {
    const known = new Set<string>();
    while (!this.#over.signal.aborted) {
      const { items } = await client.list<Pod>(PODS, { namespace, labelSelector: 'app=web' });
      for (const pod of items) {
        const { uid = '' } = pod.metadata;
        if (isLost(pod)) this.#noteLost(uid, pod);
        if (pod.status?.podIP === undefined || known.has(uid)) continue;
        known.add(uid);
        this.#asking.add(this.#askAll(pod, uid));
      }
      await delay(EVERY_MS);
    }
  }

  #noteLost(uid: string, { status }: Pod): void {
    const ready = status?.conditions?.find(({ type }) => type === 'Ready');
    const lostMs = Date.parse(ready?.lastTransitionTime ?? '');
    if (!Number.isNaN(lostMs)) this.#losses.set(uid, (this.#losses.get(uid) ?? new Set()).add(lostMs));
  }

  async #askAll(pod: Pod, uid: string): Promise<void> {
    const answers: Answer[] = [];
    this.#answers.set(uid, answers);
    while (!this.#over.signal.aborted) {
      const beganMs = Date.now();
      const isInForce = await this.#ask(pod);
      if (isInForce !== undefined) answers.push({ beganMs, endedMs: Date.now(), isInForce });
      await delay(EVERY_MS);
    }
  }
}
