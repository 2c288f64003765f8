import { MOST_KEPT_LOGS } from '../../../api/kept-logs.ts';
import { packText, unpackText } from '../../store/packed-text.ts';
import type { Reader, Tx } from '../../store/transaction.ts';
import { inOrder, LOG_PREFIX, logKey, type StoredLog } from './stored-log.ts';

/** Keeps a log with its run, in the place of an earlier state of it; beyond {@link MOST_KEPT_LOGS} the one of the oldest pod goes. */
export async function receiveLog(tx: Tx, run: string, log: StoredLog): Promise<void> {
  const object = logKey(log);
  const data = packText(JSON.stringify(log));
  await tx.db
    .insertInto('run_records')
    .values({ run_key: run, object, data })
    .onConflict((conflict) => conflict.columns(['run_key', 'object']).doUpdateSet({ data }))
    .execute();
  if ((await countLogs(tx.db, run)) <= MOST_KEPT_LOGS) return;
  const [oldest] = await logsOf(tx.db, run);
  if (oldest === undefined) return;
  await tx.db
    .deleteFrom('run_records')
    .where('run_key', '=', run)
    .where('object', '=', logKey(oldest))
    .execute();
}

/** The logs that are kept with a run, in the order in which their pods were made. */
export async function logsOf(db: Reader, run: string): Promise<readonly StoredLog[]> {
  const rows = await db
    .selectFrom('run_records')
    .select('data')
    .where('run_key', '=', run)
    .where('object', 'like', `${LOG_PREFIX}%`)
    .execute();
  // Only this program writes them.
  return inOrder(rows.map(({ data }) => JSON.parse(unpackText(data)) as StoredLog));
}

/** One of them; undefined for a log that is not kept. */
export async function logOf(
  db: Reader,
  run: string,
  pod: Pick<StoredLog, 'namespace' | 'name'>,
): Promise<StoredLog | undefined> {
  const row = await db
    .selectFrom('run_records')
    .select('data')
    .where('run_key', '=', run)
    .where('object', '=', logKey(pod))
    .executeTakeFirst();
  return row === undefined ? undefined : (JSON.parse(unpackText(row.data)) as StoredLog);
}

/** How many logs are kept with a run. */
export async function countLogs(db: Reader, run: string): Promise<number> {
  const { count } = await db
    .selectFrom('run_records')
    .select(({ fn }) => fn.countAll().as('count'))
    .where('run_key', '=', run)
    .where('object', 'like', `${LOG_PREFIX}%`)
    .executeTakeFirstOrThrow();
  return Number(count);
}
