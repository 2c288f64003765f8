import { backoffDelayMs } from '@turnsole/kube/base/backoff';
import { Limiter } from '@turnsole/kube/base/limiter';
import type { BasicsWithRandom } from '@turnsole/kube/runtime/basics';
import type { NodeId } from '@turnsole/workflows/kinds/status';
import type { LiveRun } from './live-run.ts';
import { isTransient } from './refusals.ts';

/** Requests of this kind under way at a time: a loop of a thousand must not take the connections of all others. */
const MOST_REQUESTS = 32;
/** A refused request is tried again after this time, longer with each refusal. */
const RETRY = { baseMs: 500, maxMs: 30_000, jitter: 'equal' } as const;

interface NodeWorkParts extends Omit<BasicsWithRandom, 'client'> {
  /** Lets a workflow be worked on. */
  readonly wake: (key: string) => void;
}

/** The work under way for a workflow. */
interface Work {
  readonly abort: AbortController;
  /** Per node, so that a pod is ended only after its creation was answered. */
  readonly byNode: Map<NodeId, Promise<void>>;
  readonly reading: Set<NodeId>;
  readonly tasks: Map<NodeId, AbortController>;
  readonly refusals: Map<NodeId, number>;
  readonly timers: Set<() => void>;
  /** Pods that wait for their turn under `resourceRateLimit`. */
  readonly turns: Map<NodeId, AbortController>;
}

/** Does pieces of work for the nodes of workflows: in order for each node, patiently, and not too many at a time. */
export class NodeWork {
  readonly #parts: NodeWorkParts;
  readonly #limiter = new Limiter(MOST_REQUESTS);
  readonly #work = new Map<LiveRun, Work>();

  constructor(parts: NodeWorkParts) {
    this.#parts = parts;
  }

  /** Undefined while nothing is under way. */
  find(live: LiveRun): Work | undefined {
    return this.#work.get(live);
  }

  of(live: LiveRun): Work {
    let work = this.#work.get(live);
    if (work === undefined) {
      work = {
        abort: new AbortController(),
        byNode: new Map(),
        reading: new Set(),
        tasks: new Map(),
        refusals: new Map(),
        timers: new Set(),
        turns: new Map(),
      };
      this.#work.set(live, work);
    }
    return work;
  }

  /** One piece of work after the other for each node; see {@link NodeWork.done}. */
  do(...work: Parameters<NodeWork['done']>): void {
    void this.done(...work);
  }

  /**
   * The same, for those who wait for its end.
   *
   * @param turn waited for before the work takes a place among the requests
   * @returns when it is done or given up; never rejects
   */
  done(
    live: LiveRun,
    node: NodeId,
    work: (signal: AbortSignal) => Promise<void>,
    turn?: Promise<unknown>,
  ): Promise<void> {
    const of = this.of(live);
    const { abort, byNode } = of;
    const { signal } = abort;
    const own = Promise.all([byNode.get(node), turn])
      .then(() => this.#patiently(work, signal))
      .catch((error: unknown) => {
        if (signal.aborted) return;
        this.#parts.logger.error({ workflow: live.key, node, err: error }, 'an action failed');
      })
      .finally(() => {
        if (byNode.get(node) === own) byNode.delete(node);
        if (isIdle(of)) this.#work.delete(live);
        if (live.isOver && byNode.size === 0) this.#parts.wake(live.key);
      });
    byNode.set(node, own);
    return own;
  }

  /** Tries again what is refused for now, until the signal is aborted. */
  async #patiently(work: (signal: AbortSignal) => Promise<void>, signal: AbortSignal): Promise<void> {
    const { clock, random } = this.#parts;
    for (let failures = 1; !signal.aborted; failures++) {
      try {
        await this.request(async () => (signal.aborted ? undefined : await work(signal)));
        return;
      } catch (error) {
        if (signal.aborted || !isTransient(error)) throw error;
      }
      await clock.sleep(backoffDelayMs(failures, RETRY, random), signal);
    }
  }

  /** Work of no node, which takes a place among the requests. */
  request<T>(work: () => Promise<T>): Promise<T> {
    return this.#limiter.run(work);
  }

  /** Calls back after a delay that grows with each refusal of the node. */
  afterRefusal(live: LiveRun, node: NodeId, callback: () => void): void {
    const { clock, random } = this.#parts;
    const { refusals, timers } = this.of(live);
    const count = (refusals.get(node) ?? 0) + 1;
    refusals.set(node, count);
    const cancel = clock.setTimer(
      backoffDelayMs(count, RETRY, random),
      () => {
        timers.delete(cancel);
        callback();
      },
      { unref: true },
    );
    timers.add(cancel);
  }

  /** Resolves to true after the wait, and to false when the turn is given up before that. */
  async turn(live: LiveRun, node: NodeId, waitMs: number): Promise<boolean> {
    const { abort, turns } = this.of(live);
    const own = new AbortController();
    turns.set(node, own);
    try {
      await this.#parts.clock.sleep(waitMs, AbortSignal.any([abort.signal, own.signal]));
      return true;
    } catch {
      return false;
    } finally {
      turns.delete(node);
    }
  }

  giveUpTurn(live: LiveRun, node: NodeId): void {
    this.find(live)?.turns.get(node)?.abort();
  }

  /** Ends the work under way for a workflow that is gone or over. */
  forget(live: LiveRun): void {
    const work = this.#work.get(live);
    work?.abort.abort(new Error(`workflow ${live.key} is worked on no more`));
    for (const cancel of work?.timers ?? []) cancel();
    this.#work.delete(live);
  }

  /** Ends everything; resolves when nothing is under way. */
  async stop(): Promise<void> {
    const under = [...this.#work.values()].flatMap(({ byNode }) => [...byNode.values()]);
    for (const live of [...this.#work.keys()]) this.forget(live);
    await Promise.all(under);
  }
}

/** Most workflows wait for their pods: meanwhile the records of their work are dropped. */
function isIdle({ byNode, reading, tasks, refusals, timers, turns }: Work): boolean {
  return [byNode, reading, tasks, refusals, timers, turns].every(({ size }) => size === 0);
}
