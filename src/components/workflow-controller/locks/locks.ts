import { allInOrder } from '@turnsole/kube/base/all-in-order';
import type { Change } from '@turnsole/workflows/engine/change';
import { isFulfilled } from '@turnsole/workflows/engine/node-state';
import type { Synchronization } from '@turnsole/workflows/kinds/template';
import type { Workflow } from '@turnsole/workflows/kinds/workflow';
import type { LiveRun } from '../live-run.ts';
import type { LiveRuns } from '../live-runs.ts';
import type { WorkObserver } from '../ports.ts';
import { refusalText } from '../refusals.ts';
import { lockStatus, storedHolders } from './lock-status.ts';
import { type LockRequest, LockTable, type LockUse, type WantedLock } from './lock-table.ts';
import type { SemaphoreLimits } from './semaphore-limits.ts';

type LocksChanged = Extract<Change, { readonly kind: 'locksChanged' }>;

interface LocksParts {
  readonly runs: LiveRuns;
  readonly limits: SemaphoreLimits;
  /** Lets a workflow be worked on. */
  readonly wake: (key: string) => void;
  readonly observer: Pick<WorkObserver, 'lockTaken'> | undefined;
}

/** Mutexes and semaphores of workflows and nodes. A held lock is stored in the status of its holder, and restored from there. */
export class Locks {
  readonly #parts: LocksParts;
  readonly #table: LockTable;

  constructor(parts: LocksParts) {
    this.#parts = parts;
    this.#table = new LockTable((name) => parts.observer?.lockTaken(name));
  }

  /** How locks are in use now. */
  uses(): readonly LockUse[] {
    return this.#table.uses();
  }

  /** Notes what workflows held when an earlier process ended. */
  restore(workflows: readonly Workflow[]): void {
    for (const { metadata, status } of workflows) {
      const key = `${metadata.namespace}/${metadata.name}`;
      for (const { name, holder } of storedHolders(status?.synchronization))
        if (isOf(key)(holder)) this.#table.restore(name, holder);
    }
  }

  /** Releases restored locks of nodes that are over: the earlier process ended before it could release them. */
  releaseEnded({ key, run }: LiveRun): void {
    const own = isOf(key);
    this.#table.release((holder) => {
      const node = own(holder) ? run.nodes.get(nodeOf(key, holder)) : undefined;
      return node !== undefined && isFulfilled(node);
    });
    this.#passOn();
  }

  /** Takes the requests for locks out of the actions, and gives the answers that are known already. */
  answer(live: LiveRun): LocksChanged[] {
    const wanted = live.actions.filter((action) => action.kind === 'acquireLocks');
    if (wanted.length === 0) return [];
    live.actions = live.actions.filter((action) => action.kind !== 'acquireLocks');
    return wanted.flatMap(({ node, locks }) => this.#ask(live, node, locks) ?? []);
  }

  /** Undefined while a limit is being read. */
  #ask(live: LiveRun, node: string, locks: Synchronization): LocksChanged | undefined {
    const { limits, runs, wake } = this.#parts;
    const namespace = live.run.workflow.metadata.namespace ?? '';
    const unsupported = databaseLock(locks);
    if (unsupported !== undefined)
      return errorOf(node, `${unsupported} is kept in a database, which this controller does not have`);
    const semaphores = (locks.semaphores ?? []).map(({ configMapKeyRef, namespace: other }) => ({
      namespace: given(other) ?? namespace,
      name: configMapKeyRef?.name ?? '',
      key: configMapKeyRef?.key ?? '',
    }));
    const known = semaphores.map((reference) => limits.known(reference));
    if (known.some((limit) => limit === undefined)) {
      allInOrder(semaphores.map((reference) => limits.read(reference))).then(
        () => {
          if (runs.get(live.key) !== live) return;
          const answer = this.#ask(live, node, locks);
          if (answer !== undefined) live.inbox.push(answer);
          wake(live.key);
        },
        (error: unknown) => {
          if (runs.get(live.key) !== live) return;
          live.inbox.push(errorOf(node, refusalText(error)));
          wake(live.key);
        },
      );
      return undefined;
    }
    const mutexes = (locks.mutexes ?? []).map(({ name = '', namespace: other }) => ({
      name: `${given(other) ?? namespace}/Mutex/${name}`,
      limit: 1,
    }));
    const places: WantedLock[] = [
      ...semaphores.map((reference, index) => ({
        name: `${reference.namespace}/ConfigMap/${reference.name}/${reference.key}`,
        limit: known[index] ?? 0,
      })),
      ...mutexes,
    ];
    return { kind: 'locksChanged', node, answer: this.#table.acquire(requestOf(live, node, places)) };
  }

  /** Gives back the locks of a node or, with an empty one, of the workflow, and lets those go on who wait for them. */
  release(key: string, node: string): void {
    const own = holderOf(key, node);
    this.#table.release((holder) => holder === own);
    this.#passOn();
  }

  /** Gives back everything of a workflow. */
  releaseAll(key: string): void {
    this.#table.release(isOf(key));
    this.#passOn();
  }

  /** A semaphore has another limit now. */
  limitChanged(name: string, limit: number): void {
    this.#table.setLimit(name, limit);
    this.#passOn();
  }

  /** What the status of a workflow says of its locks. What it is about to give back it holds no more. */
  statusOf({ key, isOver, actions }: LiveRun): unknown {
    if (isOver) return undefined;
    const released = new Set(
      actions.filter(({ kind }) => kind === 'releaseLocks').map(({ node }) => holderOf(key, node)),
    );
    const isOwn = isOf(key);
    return lockStatus(this.#table, (holder) => isOwn(holder) && !released.has(holder));
  }

  #passOn(): void {
    const { runs, wake } = this.#parts;
    for (const request of this.#table.waiting()) {
      const [key, node] = partsOf(request.holder);
      const live = runs.get(key);
      if (live === undefined) continue;
      const answer = this.#table.take(request);
      if (answer.kind !== 'held') continue;
      live.inbox.push({ kind: 'locksChanged', node, answer });
      wake(key);
    }
  }
}

function requestOf(live: LiveRun, node: string, locks: readonly WantedLock[]): LockRequest {
  const { workflow, spec } = live.run;
  return {
    holder: holderOf(live.key, node),
    locks,
    priority: spec.priority ?? 0,
    createdAt: Date.parse(workflow.metadata.creationTimestamp ?? '') || 0,
  };
}

function errorOf(node: string, detail: string): LocksChanged {
  const message = `Failed to acquire the synchronization lock. ${detail}`;
  return { kind: 'locksChanged', node, answer: { kind: 'error', message } };
}

function databaseLock({ mutexes = [], semaphores = [] }: Synchronization): string | undefined {
  const mutex = mutexes.find(({ database }) => database === true);
  if (mutex !== undefined) return `mutex ${mutex.name ?? ''}`;
  const semaphore = semaphores.find(({ database }) => database !== undefined);
  return semaphore && `semaphore ${semaphore.database?.key ?? ''}`;
}

function given(text: string | undefined): string | undefined {
  return text === '' ? undefined : text;
}

function holderOf(key: string, node: string): string {
  return node === '' ? key : `${key}/${node}`;
}

function isOf(key: string): (holder: string) => boolean {
  return (holder) => holder === key || holder.startsWith(`${key}/`);
}

function nodeOf(key: string, holder: string): string {
  return holder.slice(key.length + 1);
}

/** Key of the workflow, and node. */
function partsOf(holder: string): [key: string, node: string] {
  const [namespace = '', name = '', node = ''] = holder.split('/');
  return [`${namespace}/${name}`, node];
}
