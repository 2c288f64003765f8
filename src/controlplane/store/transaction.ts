import type { Kysely } from 'kysely';
import type { Tables } from './tables/index.ts';

/** Read access to tables: the store itself, or a transaction. */
export type Reader = Pick<
  Kysely<Tables>,
  'selectFrom' | 'with' | 'fn' | 'dynamic' | 'executeQuery' | 'getExecutor'
>;

/** A change for the watchers of a project. */
interface Change {
  readonly project: string;
  /** `run`, `experiment`, `infra` … */
  readonly kind: string;
  readonly id: string;
  /** Data for watchers beside the ID; plain JSON. */
  readonly body?: object;
}

/**
 * A transaction, created by `Store.transaction` and invalid after it. Its function must use nothing else: it is repeated after a collision
 * with another transaction, and while it waits for something else, the writes of all others wait as well.
 */
export interface Tx {
  /** @throws Error after the end of the transaction */
  readonly db: Kysely<Tables>;
  /** The server's time at the start of the transaction, in milliseconds. */
  readonly now: number;
  /** Records changes of objects, in the same transaction, for the watchers of their projects. */
  change(...changes: Change[]): Promise<void>;
  /** Wakes the waiters of the topic, in all replicas, on commit. */
  wake(topic: string): void;
  /** Called once on commit, never on repetition or rollback. */
  afterCommit(effect: () => void): void;
}

/** The topic of a project's changes. */
export function projectTopic(project: string): string {
  return `project:${project}`;
}

/** A transaction's handle, and the effects of its commit. */
export interface OpenTx {
  readonly tx: Tx;
  readonly topics: ReadonlySet<string>;
  readonly effects: readonly (() => void)[];
  /** Makes the handle throw from now on. */
  end(): void;
}

/** A handle for one function's writes on `db`. */
export function openTx(db: Kysely<Tables>, now: number): OpenTx {
  const topics = new Set<string>();
  const effects: (() => void)[] = [];
  let ended = false;
  const alive = (): Kysely<Tables> => {
    if (ended) throw new Error('this transaction is over: nothing may be read or written by it any more');
    return db;
  };
  const tx: Tx = {
    get db() {
      return alive();
    },
    now,
    change: async (...changes) => {
      if (changes.length === 0) return;
      const rows = changes.map(({ project, kind, id, body }) => ({
        ...{ project_id: project, kind, object_id: id, body: JSON.stringify(body ?? {}), at: now },
      }));
      await alive().insertInto('changes').values(rows).execute();
      for (const { project } of changes) topics.add(projectTopic(project));
    },
    wake: (topic) => {
      alive();
      topics.add(topic);
    },
    afterCommit: (effect) => {
      alive();
      effects.push(effect);
    },
  };
  const end = (): void => {
    ended = true;
  };
  return { tx, topics, effects, end };
}
