import type { Kysely } from 'kysely';
import type { Tables } from './tables/index.ts';

/** Reads tables: the store itself, or a transaction. What it is given may not write by it. */
export type Reader = Pick<
  Kysely<Tables>,
  'selectFrom' | 'with' | 'fn' | 'dynamic' | 'executeQuery' | 'getExecutor'
>;

/** A change as it is told to those who watch a project. */
interface Change {
  readonly project: string;
  /** `run`, `experiment`, `infra` … */
  readonly kind: string;
  readonly id: string;
  /** What a watcher needs beside the ID; plain JSON. */
  readonly body?: object;
}

/**
 * A transaction, made by `Store.transaction` and worth nothing after it. Its function touches nothing else: it is repeated when another
 * transaction was in its way, and while it waits for something else, everybody else's writes wait with it.
 */
export interface Tx {
  /** @throws Error after the end of the transaction */
  readonly db: Kysely<Tables>;
  /** The server's time when the transaction began, in milliseconds. */
  readonly now: number;
  /** Records changes of objects, in the same transaction, for those who watch their projects. */
  change(...changes: Change[]): Promise<void>;
  /** Wakes those who wait for the topic, in all replicas, when this is committed. */
  wake(topic: string): void;
  /** Called once when this is committed, never when it is repeated or rolled back. */
  afterCommit(effect: () => void): void;
}

/** The topic of a project's changes. */
export function projectTopic(project: string): string {
  return `project:${project}`;
}

/** A transaction's handle, and what is to be done when it is committed. */
export interface OpenTx {
  readonly tx: Tx;
  readonly topics: ReadonlySet<string>;
  readonly effects: readonly (() => void)[];
  /** From now on the handle throws. */
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
