import { randomUUID } from 'node:crypto';
import { audit } from '../access/audit.ts';
import { type Context, memberOf, userOf } from '../access/context.ts';
import { timeText } from '../access/lists.ts';
import { found, Refusal } from '../access/refusal.ts';
import type { ListWebhookDeliveriesRequest, WebhookDelivery } from '../schema/generated/types.ts';
import { projectScope } from '../store/store.ts';
import type { DeliveryRow } from '../store/tables/notifications.ts';
import { DELIVERIES_TOPIC, type Notice } from './notify.ts';
import { webhookRow } from './webhooks.ts';

const DEFAULT_LIMIT = 50;
const MOST = 500;

/** A delivery as read from the database. */
export type StoredDelivery = Omit<DeliveryRow, 'seq'> & { readonly seq: number };

/** Deliveries of the caller's project, the latest first. @throws Refusal */
export async function listDeliveries(
  request: ListWebhookDeliveriesRequest | null | undefined,
  context: Context,
): Promise<WebhookDelivery[]> {
  const { webhookID, state, limit, after } = request ?? {};
  const { project } = memberOf(context);
  const db = context.plane.store.read;
  const rows = await db
    .selectFrom('deliveries')
    .selectAll()
    .where('project_id', '=', project)
    .$if(Boolean(webhookID), (query) => query.where('webhook_id', '=', webhookID ?? ''))
    .$if(Boolean(state), (query) => query.where('state', '=', state ?? 'WAITING'))
    .$if(Boolean(after), (query) =>
      query.where('seq', '<', ({ selectFrom }) =>
        selectFrom('deliveries')
          .select('seq')
          .where('id', '=', after ?? '')
          .where('project_id', '=', project),
      ),
    )
    .orderBy('seq', 'desc')
    .limit(Math.min(Math.max(limit ?? DEFAULT_LIMIT, 1), MOST))
    .execute();
  return rows.map(asDelivery);
}

function asDelivery(row: StoredDelivery): WebhookDelivery {
  return {
    deliveryID: row.id,
    webhookID: row.webhook_id,
    event: row.event,
    summary: (JSON.parse(row.body) as Notice).summary,
    state: row.state,
    attempts: row.attempts,
    lastError: row.last_error,
    createdAt: timeText(row.created_at),
    dueAt: row.state === 'WAITING' ? timeText(row.due_at) : null,
    doneAt: row.done_at === null ? null : timeText(row.done_at),
  };
}

/** Retries a delivery that was given up, with as many attempts as a new one. @throws Refusal */
export async function retryDelivery(id: string, context: Context): Promise<boolean> {
  const { project } = memberOf(context);
  await context.transaction(projectScope(project), async (tx) => {
    const row = found(
      await tx.db
        .selectFrom('deliveries')
        .select(['state', 'event'])
        .where('project_id', '=', project)
        .where('id', '=', id)
        .executeTakeFirst(),
      `no delivery ${id} in this project`,
    );
    if (row.state !== 'DEAD') throw new Refusal('conflict', 'only what was given up is tried again');
    await tx.db
      .updateTable('deliveries')
      .set({ state: 'WAITING', attempts: 0, due_at: tx.now, created_at: tx.now, done_at: null })
      .where('project_id', '=', project)
      .where('id', '=', id)
      .execute();
    await audit(tx, context, { project, kind: 'delivery', id, after: { event: row.event } });
    tx.wake(DELIVERIES_TOPIC);
  });
  return true;
}

/** Sends a test event to a webhook, whatever its selected events. @returns the delivery's ID. @throws Refusal */
export async function testWebhook(webhook: string, context: Context): Promise<string> {
  const { project } = memberOf(context);
  const { username } = userOf(context);
  return context.transaction(projectScope(project), async (tx) => {
    const { name } = found(
      await webhookRow(tx.db, project, webhook),
      `no webhook ${webhook} in this project`,
    );
    const id = randomUUID();
    const summary = `${username} tries the webhook ${name}`;
    await tx.db
      .insertInto('deliveries')
      .values({
        ...{ id, project_id: project, webhook_id: webhook, event: 'TEST', state: 'WAITING', attempts: 0 },
        body: JSON.stringify({ project, event: 'TEST', summary, details: { by: username } }),
        ...{ due_at: tx.now, last_error: '', created_at: tx.now, done_at: null },
      })
      .execute();
    await audit(tx, context, { project, kind: 'delivery', id, after: { event: 'TEST' } });
    tx.wake(DELIVERIES_TOPIC);
    return id;
  });
}
