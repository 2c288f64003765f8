import type { AnsweredCall } from '@turnsole/kube/client/api-call';

/** Requests by `verb resource`. */
export type Calls = ReadonlyMap<string, number>;

/** Counts the requests of one client: for the option `onCall`. */
export class CallCounter {
  readonly #counts = new Map<string, number>();

  readonly count = ({ verb, resource }: Pick<AnsweredCall, 'verb' | 'resource'>): void => {
    const key = resource === '' ? 'discovery' : `${verb} ${resource}`;
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1);
  };

  get counts(): Calls {
    return this.#counts;
  }
}

/** What came to be after a first count. */
export function callsSince(before: Calls, after: Calls): Calls {
  return new Map(
    [...after].flatMap(([key, count]) => {
      const more = count - (before.get(key) ?? 0);
      return more === 0 ? [] : [[key, more] as const];
    }),
  );
}

/** All of these together. */
export function sumOfCalls(all: Iterable<Calls>): Calls {
  const sum = new Map<string, number>();
  for (const calls of all) for (const [key, count] of calls) sum.set(key, (sum.get(key) ?? 0) + count);
  return sum;
}

/** How many there were. */
export function totalOf(calls: Calls): number {
  return [...calls.values()].reduce((sum, count) => sum + count, 0);
}
