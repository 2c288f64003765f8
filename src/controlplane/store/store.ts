import type { Backend, Dialect } from './backend.ts';
import { Batches } from './batches.ts';
import type { DutyLock } from './duty-lock.ts';
import type { Reader, Tx } from './transaction.ts';
import type { WakeUps } from './wake-ups.ts';

/** Where everything is kept that the control plane knows. */
export interface Store {
  readonly dialect: Dialect;
  /** Reads what is committed. */
  readonly read: Reader;
  readonly wakeUps: WakeUps;
  /** Which replica does what the server does by itself. */
  readonly duties: DutyLock;
  /**
   * Runs `run` in a transaction; nothing of it stays when it throws. Transactions of the same scope run one after the other, in all
   * replicas, so that what one has read still holds when it writes. A scope is a project ({@link projectScope}) or {@link ACCOUNTS}; who
   * touches both takes the accounts.
   *
   * @throws what `run` throws; StoreUnavailableError when the database cannot be written
   */
  transaction<T>(scope: string, run: (tx: Tx) => Promise<T>): Promise<T>;
  /** True when the database answers. */
  healthy(): Promise<boolean>;
  /** Waits for transactions under way. */
  close(): Promise<void>;
}

/** The scope of users, sessions, projects and members. */
export const ACCOUNTS = 'accounts';

/** The scope of everything that belongs to a project. */
export function projectScope(project: string): string {
  return `project ${project}`;
}

/** A store on a backend whose tables are there. */
export function storeOn(backend: Backend, now: () => number): Store {
  const batches = new Batches(backend, now);
  return {
    dialect: backend.dialect,
    read: backend.read,
    wakeUps: backend.wakeUps,
    duties: backend.duties,
    transaction: (scope, run) => batches.run(scope, run),
    healthy: async () => {
      try {
        await backend.read.selectFrom('settings').select('key').limit(1).execute();
        return true;
      } catch {
        return false;
      }
    },
    close: async () => {
      await batches.close();
      await backend.close();
    },
  };
}
