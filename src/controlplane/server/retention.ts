import type { DeleteResult } from 'kysely';
import type { Duty } from '../access/noun.ts';
import { pruneRuns } from '../run/prune-runs.ts';
import type { Store } from '../store/store.ts';
import type { Tx } from '../store/transaction.ts';
import type { Retention } from './retention-settings.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 1_440 * MINUTE_MS;
/** A watcher of a project that was away longer has to read everything again. */
const CHANGES_MS = DAY_MS;
/** Clients wait for a reply for a minute. */
const REPLIES_MS = 10 * MINUTE_MS;
/** Finished actions stay available for this long. */
const ACTIONS_MS = 7 * DAY_MS;
const EVERY_MS = 5 * MINUTE_MS;
/** Rows per transaction, so that other writes do not wait long. */
const PIECE = 500;
const SCOPE = 'retention';

/** Deletes old rows, in small pieces. */
export function retentionDuty(retention: Retention): Duty {
  return {
    name: 'retention',
    everyMs: EVERY_MS,
    run: async ({ plane, signal }) => {
      const now = plane.clock.now();
      for (const prune of prunings(retention, now)) await deleteAll(plane.store, prune, signal);
      if (retention.runsMs !== undefined) await pruneRuns(plane, now - retention.runsMs, signal);
    },
  };
}

/** A deletion of up to {@link PIECE} rows. */
type Pruning = (tx: Tx) => { executeTakeFirstOrThrow(): Promise<DeleteResult> };

async function deleteAll(store: Store, prune: Pruning, signal: AbortSignal): Promise<void> {
  for (let deleted = PIECE; deleted >= PIECE && !signal.aborted; ) {
    const { numDeletedRows } = await store.transaction(SCOPE, (tx) => prune(tx).executeTakeFirstOrThrow());
    deleted = Number(numDeletedRows);
  }
}

function prunings({ auditMs }: Retention, now: number): readonly Pruning[] {
  return [
    before('changes', now - CHANGES_MS),
    before('replies', now - REPLIES_MS),
    ...(auditMs === undefined ? [] : [before('audit', now - auditMs)]),
    oldActions(now),
    expiredSessions(now),
    expiredLogins(now),
  ];
}

/** Rows of a table of records from before a time. */
function before(table: 'changes' | 'replies' | 'audit', time: number): Pruning {
  return ({ db }) => {
    const old = db.selectFrom(table).select('seq').where('at', '<', time).orderBy('at').limit(PIECE);
    return db.deleteFrom(table).where('seq', 'in', old);
  };
}

/** Actions that were finished a while ago, or have expired. */
function oldActions(now: number): Pruning {
  return ({ db }) => {
    const old = db
      .selectFrom('actions')
      .select('seq')
      .where((is) => is.or([is('done_at', '<', now - ACTIONS_MS), is('expires_at', '<', now - ACTIONS_MS)]))
      // The status of a halt needs these; each infrastructure has one.
      .where('request_type', 'not in', ['halt', 'resume'])
      .limit(PIECE);
    return db.deleteFrom('actions').where('seq', 'in', old);
  };
}

function expiredSessions(now: number): Pruning {
  return ({ db }) => {
    const old = db.selectFrom('sessions').select('id').where('expires_at', '<', now).limit(PIECE);
    return db.deleteFrom('sessions').where('id', 'in', old);
  };
}

function expiredLogins(now: number): Pruning {
  return ({ db }) => {
    const old = db.selectFrom('oidc_logins').select('state').where('expires_at', '<', now).limit(PIECE);
    return db.deleteFrom('oidc_logins').where('state', 'in', old);
  };
}
