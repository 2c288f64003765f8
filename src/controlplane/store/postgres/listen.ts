import { Backoff } from '@turnsole/kube/base/backoff';
import type { Clock } from '@turnsole/kube/base/clock';
import { Client } from 'pg';
import type { WakeUps } from '../wake-ups.ts';

/** The channel of NOTIFY; its payload is a topic. */
export const CHANNEL = 'turnsole';

const FIRST_RETRY_MS = 100;
const LAST_RETRY_MS = 5_000;
/** Without it, a connection whose other end has vanished would seem alive for hours. */
const KEEP_ALIVE_MS = 10_000;

/** A connection that receives notifications of commits, and is renewed whenever it breaks. */
interface Listening {
  close(): Promise<void>;
}

/**
 * Listens until closed. Wakes all waiters after each (new) connection, because notifications in between are lost.
 *
 * @param onEvent called at each connection and each loss
 */
export function listen(
  url: string,
  wakeUps: WakeUps,
  clock: Clock,
  onEvent: (event: 'listening' | 'lost', error?: unknown) => void = () => {},
): Listening {
  const stop = new AbortController();
  const backoff = new Backoff({ baseMs: FIRST_RETRY_MS, maxMs: LAST_RETRY_MS });
  const keep = async (): Promise<void> => {
    while (!stop.signal.aborted) {
      try {
        await once(url, stop.signal, wakeUps, () => {
          backoff.reset();
          onEvent('listening');
        });
      } catch (error) {
        if (!stop.signal.aborted) onEvent('lost', error);
      }
      await clock.sleep(backoff.next(), stop.signal).catch(() => {});
    }
  };
  const kept = keep();
  return {
    close: async () => {
      stop.abort(new Error('the store is closed'));
      await kept;
    },
  };
}

/** One connection, from its start to its end. @throws the error that ended it */
async function once(url: string, signal: AbortSignal, wakeUps: WakeUps, ready: () => void): Promise<void> {
  const client = new Client({
    connectionString: url,
    application_name: 'turnsole listens',
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
  });
  const { promise: over, resolve, reject } = Promise.withResolvers<void>();
  // It may reject before it is awaited.
  over.catch(() => {});
  client.on('error', reject);
  client.on('end', () => resolve());
  client.on('notification', ({ payload }) => wakeUps.wake(payload ?? ''));
  const leave = (): void => resolve();
  signal.addEventListener('abort', leave);
  try {
    await client.connect();
    await client.query(`LISTEN ${CHANNEL}`);
    ready();
    wakeUps.wakeAll();
    await over;
  } finally {
    signal.removeEventListener('abort', leave);
    await client.end().catch(() => {});
  }
}
