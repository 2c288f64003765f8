import { recordChange } from '../access/audit.ts';
import { type Context, memberOf, userOf } from '../access/context.ts';
import { found, Refusal } from '../access/refusal.ts';
import { checkedAddress } from '../remote/reach.ts';
import { RemoteError } from '../remote/remote-error.ts';
import type {
  CreateWebhookRequest,
  CreateWebhookResponse,
  UpdateWebhookRequest,
  Webhook,
} from '../schema/generated/types.ts';
import { projectScope } from '../store/store.ts';
import { flag, madeBy } from '../store/tables/columns.ts';
import type { WebhookRow } from '../store/tables/notifications.ts';
import { asWebhook, MOST_WEBHOOKS, SECRET_PURPOSE, URL_PURPOSE, webhookRow, webhooksOf } from './webhooks.ts';

const SECRET_BYTES = 32;
const NAME_CHARACTERS = 200;
const URL_CHARACTERS = 2_000;

/** Creates a webhook. @throws Refusal */
export async function createWebhook(
  request: CreateWebhookRequest,
  context: Context,
): Promise<CreateWebhookResponse> {
  const { project } = memberOf(context);
  const { username } = userOf(context);
  const { secrets, ids } = context.plane;
  const name = checkedName(request.name);
  const url = await checkedUrl(request.url, context);
  const secret = ids.secret(SECRET_BYTES);
  return context.transaction(projectScope(project), async (tx) => {
    if ((await webhooksOf(tx.db, project)).length >= MOST_WEBHOOKS)
      throw new Refusal('conflict', `the project has ${MOST_WEBHOOKS} webhooks; more are not taken`);
    const row: WebhookRow = {
      project_id: project,
      id: ids.id(),
      name,
      sealed_url: secrets.seal(URL_PURPOSE, url.href),
      shown_url: url.origin,
      format: request.format ?? 'GENERIC',
      events: JSON.stringify([...new Set(request.events)]),
      sealed_secret: secrets.seal(SECRET_PURPOSE, secret),
      enabled: 1,
      ...madeBy(username, tx.now),
    };
    await tx.db.insertInto('webhooks').values(row).execute();
    const after = asWebhook(row);
    await recordChange(tx, context, { project, kind: 'webhook', id: row.id, after });
    return { webhook: after, secret };
  });
}

/** Changes the given fields of a webhook. @throws Refusal */
export async function updateWebhook(request: UpdateWebhookRequest, context: Context): Promise<Webhook> {
  const { project } = memberOf(context);
  const { secrets } = context.plane;
  const id = request.webhookID;
  const name = request.name ? checkedName(request.name) : undefined;
  const url = request.url ? await checkedUrl(request.url, context) : undefined;
  return context.transaction(projectScope(project), async (tx) => {
    const before = found(await webhookRow(tx.db, project, id), `no webhook ${id} in this project`);
    const after: WebhookRow = {
      ...before,
      ...(name !== undefined && { name }),
      ...(url !== undefined && { sealed_url: secrets.seal(URL_PURPOSE, url.href), shown_url: url.origin }),
      format: request.format ?? before.format,
      events: request.events ? JSON.stringify([...new Set(request.events)]) : before.events,
      enabled: flag(request.enabled ?? before.enabled === 1),
      updated_at: tx.now,
      updated_by: userOf(context).username,
    };
    await tx.db
      .updateTable('webhooks')
      .set(after)
      .where('project_id', '=', project)
      .where('id', '=', id)
      .execute();
    const sides = { before: asWebhook(before), after: asWebhook(after) };
    await recordChange(tx, context, { project, kind: 'webhook', id, ...sides });
    return sides.after;
  });
}

/** Deletes a webhook with its deliveries. @throws Refusal */
export async function deleteWebhook(id: string, context: Context): Promise<boolean> {
  const { project } = memberOf(context);
  await context.transaction(projectScope(project), async (tx) => {
    const before = found(await webhookRow(tx.db, project, id), `no webhook ${id} in this project`);
    await tx.db.deleteFrom('webhooks').where('project_id', '=', project).where('id', '=', id).execute();
    await tx.db
      .deleteFrom('deliveries')
      .where('project_id', '=', project)
      .where('webhook_id', '=', id)
      .execute();
    await recordChange(tx, context, { project, kind: 'webhook', id, before: asWebhook(before) });
  });
  return true;
}

/** @throws Refusal naming the field */
function checkedName(text: string): string {
  const name = text.trim();
  if (name !== '' && name.length <= NAME_CHARACTERS) return name;
  throw new Refusal('invalid', `name is empty, or longer than ${NAME_CHARACTERS} characters`, {
    fields: ['request.name'],
  });
}

/** Reports at once what would fail a delivery later: an invalid address, or one of the server's own network. @throws Refusal */
async function checkedUrl(text: string, { plane }: Context): Promise<URL> {
  const refused = (why: string): Refusal =>
    new Refusal('invalid', `url: ${why}`, { fields: ['request.url'] });
  const url = text.length <= URL_CHARACTERS && URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !['http:', 'https:'].includes(url.protocol))
    throw refused(`expected https://… or http://…, of at most ${URL_CHARACTERS} characters`);
  if (url.username !== '' || url.password !== '')
    throw refused('it holds credentials; a path or a query that only the receiver knows serves better');
  try {
    await checkedAddress(url.hostname, plane.settings.remote.reach);
  } catch (error) {
    throw error instanceof RemoteError ? refused(error.message) : error;
  }
  return url;
}
