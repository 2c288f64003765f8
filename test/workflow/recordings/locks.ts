import type { Action, Change } from '@turnsole/workflows/engine/change';
import type { Run } from '@turnsole/workflows/engine/run';

type Acquire = Extract<Action, { readonly kind: 'acquireLocks' }>;

/** Mutexes in order of asking, as one controller with one workflow gives them. Semaphores have places for all. */
export class Locks {
  readonly #holders = new Map<string, string>();
  readonly #waiting: { readonly node: string; readonly names: readonly string[] }[] = [];

  acquire(run: Run, { node, locks }: Acquire): Change[] {
    const namespace = run.workflow.metadata.namespace ?? 'default';
    const names = (locks.mutexes ?? []).map(
      ({ name = '', namespace: other }) => `${other ?? namespace}/Mutex/${name}`,
    );
    const taken = names.find((name) => this.#holders.has(name));
    if (taken !== undefined) {
      this.#waiting.push({ node, names });
      const message = `Waiting for ${taken} lock. Lock status: 0/1`;
      return [{ kind: 'locksChanged', node, answer: { kind: 'waiting', lock: taken, message } }];
    }
    for (const name of names) this.#holders.set(name, node);
    return [{ kind: 'locksChanged', node, answer: { kind: 'held' } }];
  }

  release(run: Run, node: string): Change[] {
    for (const [name, holder] of this.#holders) if (holder === node) this.#holders.delete(name);
    const next = this.#waiting.findIndex(
      (waiter) =>
        waiter.names.every((name) => !this.#holders.has(name)) &&
        run.nodes.get(waiter.node)?.phase === 'Pending',
    );
    const [waiter] = next < 0 ? [] : this.#waiting.splice(next, 1);
    if (waiter === undefined) return [];
    for (const name of waiter.names) this.#holders.set(name, waiter.node);
    return [{ kind: 'locksChanged', node: waiter.node, answer: { kind: 'held' } }];
  }
}
