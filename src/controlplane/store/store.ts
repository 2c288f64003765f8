import type { Backend, Dialect } from './backend.ts';
import { Batches } from './batches.ts';
import type { DutyLock } from './duty-lock.ts';
import type { Reader, Tx } from './transaction.ts';
import type { WakeUps } from './wake-ups.ts';

/** The database of the control plane. */
export interface Store {
  readonly dialect: Dialect;
  /** Reads committed data. */
  readonly read: Reader;
  readonly wakeUps: WakeUps;
  /** Decides which replica does the periodic work. */
  readonly duties: DutyLock;
  /**
   * Runs `run` in a transaction, which is rolled back if it throws. Transactions of the same scope run one after the other, in all
   * replicas, so that data which one has read is still current when it writes. A scope is a project ({@link projectScope}) or
   * {@link ACCOUNTS}; a transaction on both uses the accounts.
   *
   * @throws what `run` throws; StoreUnavailableError if the database cannot be written
   */
  transaction<T>(scope: string, run: (tx: Tx) => Promise<T>): Promise<T>;
  /** Whether the database answers. */
  healthy(): Promise<boolean>;
  /** Waits for running transactions. */
  close(): Promise<void>;
}

/** The scope of users, sessions, projects and members. */
export const ACCOUNTS = 'accounts';

/** The scope of all data of a project. */
export function projectScope(project: string): string {
  return `project ${project}`;
}

/** A store on a backend with existing tables. */
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
