import { agentOf, type Context } from '../../access/context.ts';
import { Refusal } from '../../access/refusal.ts';
import type { RunRecordOutcome, RunRecordRequest } from '../../schema/generated/types.ts';
import { packText, unpackText } from '../../store/packed-text.ts';
import { projectScope } from '../../store/store.ts';
import type { Tx } from '../../store/transaction.ts';
import { receiveLog } from './receive-log.ts';
import { readLog } from './stored-log.ts';
import { mergedRecord, readData, readRecord, type StoredRecord } from './stored-record.ts';

/** The kind of change that notifies watchers of a run of new data for its time axis; lists ignore it. */
export const RECORD_CHANGE = 'run-record';
/** Maximum number of objects of a run. */
const MOST_OBJECTS = 2_000;

/** Receives an agent's record of an engine, a result, or the log of a pod of a run of its infrastructure. @throws Refusal for an unreadable record */
export async function receiveRunRecord(
  { experimentRunID, record }: RunRecordRequest,
  context: Context,
): Promise<RunRecordOutcome> {
  const { project, infra } = agentOf(context);
  const data = readData(record);
  const log = data === undefined ? undefined : readLog(data);
  const reported = data === undefined ? undefined : readRecord(data);
  if (reported === undefined && log === undefined) {
    throw new Refusal(
      'invalid',
      'cannot take the record of a run: it is no deflated JSON object in Base64 of such a form',
      {
        fields: ['request.record'],
      },
    );
  }
  return context.transaction(projectScope(project), async (tx) => {
    const run = await tx.db
      .selectFrom('runs')
      .select('key')
      .where('project_id', '=', project)
      .where('run_id', '=', experimentRunID)
      .where('infra_id', '=', infra)
      .where('removed', '=', 0)
      .executeTakeFirst();
    if (run === undefined) return 'UNKNOWN_RUN';
    if (log !== undefined) await receiveLog(tx, run.key, log);
    if (reported === undefined) {
      await tx.change({ project, kind: RECORD_CHANGE, id: run.key });
      return 'TAKEN';
    }
    const object = `${reported.kind}/${reported.namespace}/${reported.name}`;
    const before = await recordOf(tx, run.key, object);
    const after = mergedRecord(before, reported);
    if (after === undefined) return 'INCOMPLETE';
    if (before === undefined) await checkCount(tx, run.key);
    const data = packText(JSON.stringify(after));
    await tx.db
      .insertInto('run_records')
      .values({ run_key: run.key, object, data })
      .onConflict((conflict) => conflict.columns(['run_key', 'object']).doUpdateSet({ data }))
      .execute();
    await tx.change({ project, kind: RECORD_CHANGE, id: run.key });
    return 'TAKEN';
  });
}

async function recordOf(tx: Tx, run: string, object: string): Promise<StoredRecord | undefined> {
  const row = await tx.db
    .selectFrom('run_records')
    .select('data')
    .where('run_key', '=', run)
    .where('object', '=', object)
    .executeTakeFirst();
  return row === undefined ? undefined : (JSON.parse(unpackText(row.data)) as StoredRecord);
}

async function checkCount(tx: Tx, run: string): Promise<void> {
  const { count } = await tx.db
    .selectFrom('run_records')
    .select(({ fn }) => fn.countAll().as('count'))
    .where('run_key', '=', run)
    .executeTakeFirstOrThrow();
  if (Number(count) >= MOST_OBJECTS)
    throw new Refusal('invalid', `a run has records of at most ${MOST_OBJECTS} objects`);
}
