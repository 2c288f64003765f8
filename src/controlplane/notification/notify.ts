import { randomUUID } from 'node:crypto';
import type { Tx } from '../store/transaction.ts';

/** Events that webhooks receive. */
type NoticeEvent = 'RUN_ENDED' | 'VERDICT_CHANGED' | 'INFRA_LOST' | 'HALTED';

/** An event of a project, for other services. */
export interface Notice {
  readonly project: string;
  readonly event: NoticeEvent;
  /** One sentence for people, such as `Run 42 of checkout ended: Fail, score 40`. */
  readonly summary: string;
  /** The same for programs; plain JSON without secrets. */
  readonly details: Readonly<Record<string, string | number | boolean | null>>;
}

/** The topic that wakes the delivering replica. */
export const DELIVERIES_TOPIC = 'deliveries';

/**
 * Queues an event for the project's webhooks, in the transaction of the change: it is sent if and only if that is committed. Costs one
 * small read if the project has no webhook.
 */
export async function notify(tx: Tx, notice: Notice): Promise<void> {
  const webhooks = await tx.db
    .selectFrom('webhooks')
    .select(['id', 'events'])
    .where('project_id', '=', notice.project)
    .where('enabled', '=', 1)
    .execute();
  const wanted = webhooks.filter(({ events }) => (JSON.parse(events) as string[]).includes(notice.event));
  if (wanted.length === 0) return;
  const rows = wanted.map(({ id }) => ({
    id: randomUUID(),
    project_id: notice.project,
    webhook_id: id,
    event: notice.event,
    body: JSON.stringify(notice),
    state: 'WAITING' as const,
    attempts: 0,
    due_at: tx.now,
    last_error: '',
    created_at: tx.now,
    done_at: null,
  }));
  await tx.db.insertInto('deliveries').values(rows).execute();
  tx.wake(DELIVERIES_TOPIC);
}
