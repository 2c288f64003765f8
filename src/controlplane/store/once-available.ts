import type { Wake } from '@turnsole/kube/base/wake';
import { StoreUnavailableError } from './errors.ts';

/** The store wakes everybody when it hears of commits again; a database that could be asked no more for other reasons is asked this often. */
const AGAIN_MS = 5_000;

/**
 * What `read` gives, as soon as the database can be asked: a subscription outlasts a database that is away for a while.
 *
 * @param woken woken by the store
 * @throws what `read` throws; StoreUnavailableError only when the signal has aborted
 */
export async function onceAvailable<T>(read: () => Promise<T>, woken: Wake, signal: AbortSignal): Promise<T> {
  for (;;) {
    try {
      return await read();
    } catch (error) {
      if (!(error instanceof StoreUnavailableError)) throw error;
      await woken.rest(AGAIN_MS, signal);
      if (signal.aborted) throw error;
    }
  }
}
