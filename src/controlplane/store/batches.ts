import { messageOf } from '@turnsole/kube/text/error-message';
import type { Backend, WriteConnection } from './backend.ts';
import { classifyFailure, StoreUnavailableError } from './errors.ts';
import { together } from './together.ts';
import { type OpenTx, openTx, type Tx } from './transaction.ts';

/** A queued function, and the promise of its caller. */
interface Job {
  readonly scope: string;
  readonly run: (tx: Tx) => Promise<unknown>;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
  failures: number;
}

/** Outcome of a job of a batch before the commit. */
interface Outcome {
  readonly job: Job;
  readonly open: OpenTx;
  readonly result: { readonly value: unknown } | { readonly error: unknown };
}

/** More means fewer disk syncs per write; fewer means that a scope is locked for less time. */
const MOST_IN_A_BATCH = 64;
/** Retries after a deadlock between scopes. More would point to a mistake in the order of writes. */
const MOST_REPEATS = 5;

/**
 * Runs transactions, those of one queue one after the other. Functions that wait in a queue together share one transaction of the database,
 * each behind a savepoint of its own: each is still all or nothing, and a thousand small writes cost a few disk syncs.
 */
export class Batches {
  readonly #backend: Backend;
  readonly #now: () => number;
  readonly #queues = new Map<string, Job[]>();
  readonly #working = new Set<Promise<void>>();
  #closed = false;

  constructor(backend: Backend, now: () => number) {
    this.#backend = backend;
    this.#now = now;
  }

  /** @throws what `run` throws; StoreUnavailableError if the database cannot be written */
  run<T>(scope: string, run: (tx: Tx) => Promise<T>): Promise<T> {
    if (this.#closed) return Promise.reject(new StoreUnavailableError('the store is closed'));
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    this.#enqueue({ scope, run, resolve: resolve as (value: unknown) => void, reject, failures: 0 });
    return promise;
  }

  /** Accepts no more, and waits for running ones. */
  async close(): Promise<void> {
    this.#closed = true;
    while (this.#working.size > 0) await Promise.all(this.#working);
  }

  #enqueue(job: Job): void {
    const name = this.#backend.queueOf(job.scope);
    const queue = this.#queues.get(name);
    if (queue !== undefined) {
      queue.push(job);
      return;
    }
    this.#queues.set(name, [job]);
    const work = this.#work(name).finally(() => this.#working.delete(work));
    this.#working.add(work);
  }

  async #work(name: string): Promise<void> {
    // Requests that arrived together are read from their sockets in one turn of the event loop; their writes make one batch.
    await new Promise((resolve) => setImmediate(resolve));
    const queue = this.#queues.get(name);
    while (queue !== undefined && queue.length > 0) {
      await this.#commitBatch(queue.splice(0, MOST_IN_A_BATCH));
    }
    this.#queues.delete(name);
  }

  async #commitBatch(jobs: readonly Job[]): Promise<void> {
    let outcomes: Outcome[] = [];
    try {
      await this.#backend.connection(async (connection) => {
        outcomes = await this.#write(connection, jobs);
      });
    } catch (error) {
      for (const job of jobs) this.#failed(job, error);
      return;
    }
    for (const outcome of outcomes) this.#settle(outcome);
  }

  /** One transaction of the database. @throws if it was not committed as a whole */
  async #write(connection: WriteConnection, jobs: readonly Job[]): Promise<Outcome[]> {
    try {
      const outcomes: Outcome[] = [];
      const alone = jobs.length === 1;
      await together([
        connection.statement(this.#backend.begin),
        this.#backend.enter(connection, jobs[0]?.scope ?? ''),
      ]);
      for (const job of jobs) outcomes.push(await this.#attempt(connection, job, alone));
      const written = outcomes.filter(({ result }) => 'value' in result);
      if (alone && written.length === 0) {
        await connection.statement('ROLLBACK');
        return outcomes;
      }
      await together([this.#backend.announce(connection, topicsOf(written)), connection.statement('COMMIT')]);
      this.#backend.committed(topicsOf(written));
      return outcomes;
    } catch (error) {
      // The connection itself may have failed.
      await connection.statement('ROLLBACK').catch(() => {});
      throw error;
    }
  }

  async #attempt(connection: WriteConnection, job: Job, alone: boolean): Promise<Outcome> {
    const open = openTx(connection.db, this.#now());
    if (!alone) await connection.statement('SAVEPOINT job');
    try {
      const value = await job.run(open.tx);
      if (!alone) await connection.statement('RELEASE SAVEPOINT job');
      return { job, open, result: { value } };
    } catch (error) {
      if (classifyFailure(error) === 'unavailable') throw error;
      if (!alone) await connection.statement('ROLLBACK TO SAVEPOINT job');
      return { job, open, result: { error } };
    } finally {
      open.end();
    }
  }

  #settle({ job, open, result }: Outcome): void {
    if ('error' in result) {
      this.#failed(job, result.error);
      return;
    }
    for (const effect of open.effects) effect();
    job.resolve(result.value);
  }

  #failed(job: Job, error: unknown): void {
    const failure = classifyFailure(error);
    job.failures += 1;
    if (failure === 'repeat' && job.failures <= MOST_REPEATS) this.#enqueue(job);
    else if (failure === 'unavailable') job.reject(unavailable(error));
    else job.reject(error);
  }
}

function topicsOf(outcomes: readonly Outcome[]): string[] {
  return [...new Set(outcomes.flatMap(({ open }) => [...open.topics]))];
}

function unavailable(error: unknown): StoreUnavailableError {
  if (error instanceof StoreUnavailableError) return error;
  return new StoreUnavailableError(`the database could not write: ${messageOf(error)}`, { cause: error });
}
