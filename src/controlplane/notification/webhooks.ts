import { authorship } from '../access/lists.ts';
import type { NoticeEvent, Webhook } from '../schema/generated/types.ts';
import type { WebhookRow } from '../store/tables/notifications.ts';
import type { Reader } from '../store/transaction.ts';

/** Limit per project, since each webhook costs a request for every event. */
export const MOST_WEBHOOKS = 50;

/** Purposes for sealing the secrets of webhooks. */
export const URL_PURPOSE = 'webhook url';
export const SECRET_PURPOSE = 'webhook secret';

/** Webhooks of a project. */
export function webhooksOf(db: Reader, project: string): Promise<readonly WebhookRow[]> {
  return db
    .selectFrom('webhooks')
    .selectAll()
    .where('project_id', '=', project)
    .orderBy('created_at')
    .orderBy('id')
    .limit(MOST_WEBHOOKS)
    .execute();
}

/** A webhook of a project; undefined if it has none with this ID. */
export function webhookRow(db: Reader, project: string, id: string): Promise<WebhookRow | undefined> {
  return db
    .selectFrom('webhooks')
    .selectAll()
    .where('project_id', '=', project)
    .where('id', '=', id)
    .executeTakeFirst();
}

/** A webhook as clients see it, without its full address and its secret. */
export function asWebhook(row: WebhookRow): Webhook {
  return {
    webhookID: row.id,
    name: row.name,
    shownURL: row.shown_url,
    format: row.format,
    events: JSON.parse(row.events) as NoticeEvent[],
    enabled: row.enabled === 1,
    ...authorship(row),
  };
}
