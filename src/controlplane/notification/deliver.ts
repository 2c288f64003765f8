import { allInOrder } from '@turnsole/kube/base/all-in-order';
import { Wake } from '@turnsole/kube/base/wake';
import { messageOf } from '@turnsole/kube/text/error-message';
import type { Context } from '../access/context.ts';
import { projectScope } from '../store/store.ts';
import type { WebhookRow } from '../store/tables/notifications.ts';
import type { Reader, Tx } from '../store/transaction.ts';
import { bodyOf, signatureOf } from './body.ts';
import { type Attempt, decideDelivery } from './decide-delivery.ts';
import type { StoredDelivery } from './deliveries.ts';
import { DELIVERIES_TOPIC, type Notice } from './notify.ts';
import { post } from './post.ts';
import { SECRET_PURPOSE, URL_PURPOSE, webhookRow } from './webhooks.ts';

/** Concurrent deliveries, one per webhook. */
const AT_ONCE = 16;
/** Poll interval, in case a wake-up was lost. */
const LOOK_MS = 30_000;
/** Waiting deliveries of a webhook; beyond this, older ones are given up. */
const MOST_WAITING = 1_000;

/** Sends due deliveries, as long as the duty lasts: one at a time per webhook, the oldest first. */
export async function deliverNotices(context: Context): Promise<void> {
  const { plane, signal } = context;
  const woken = new Wake(plane.clock);
  const leave = plane.store.wakeUps.on(DELIVERIES_TOPIC, woken.wake);
  try {
    while (!signal.aborted) {
      if ((await deliverDue(context)) > 0) continue;
      await woken.rest(await untilNext(plane.store.read, plane.clock.now()), signal);
    }
  } finally {
    leave();
  }
}

/** Tries the oldest due delivery of each webhook, for the {@link AT_ONCE} webhooks whose deliveries are the oldest. @returns the number of attempts */
export async function deliverDue(context: Context): Promise<number> {
  const { store, clock } = context.plane;
  const due = await dueDeliveries(store.read, clock.now());
  // What one throws waits for the others: the next look at what is due must not find what is being sent.
  await allInOrder(due.map((delivery) => deliver(context, delivery)));
  return due.length;
}

async function dueDeliveries(db: Reader, now: number): Promise<readonly StoredDelivery[]> {
  const first = db
    .selectFrom('deliveries')
    .select(({ fn }) => fn.min('seq').as('oldest'))
    .where('state', '=', 'WAITING')
    .where('due_at', '<=', now)
    .groupBy('webhook_id')
    // Without an order, the same busy webhooks could be taken each time, and the others never.
    .orderBy('oldest')
    .limit(AT_ONCE);
  return db.selectFrom('deliveries').selectAll().where('seq', 'in', first).execute();
}

async function untilNext(db: Reader, now: number): Promise<number> {
  const row = await db
    .selectFrom('deliveries')
    .select(({ fn }) => fn.min('due_at').as('due_at'))
    .where('state', '=', 'WAITING')
    .executeTakeFirst();
  return Math.min(LOOK_MS, Math.max(0, (row?.due_at ?? now + LOOK_MS) - now));
}

async function deliver(context: Context, delivery: StoredDelivery): Promise<void> {
  const { plane, signal } = context;
  const webhook = await webhookRow(plane.store.read, delivery.project_id, delivery.webhook_id);
  const attempt = await tried(context, delivery, webhook);
  if (signal.aborted && !attempt.ok) return;
  await plane.store.transaction(projectScope(delivery.project_id), async (tx) => {
    const outcome = decideDelivery(delivery, attempt, tx.now, Math.random);
    await tx.db.updateTable('deliveries').set(outcome).where('seq', '=', delivery.seq).execute();
    if (outcome.state === 'WAITING') await holdBack(tx, delivery.webhook_id, outcome.due_at);
  });
}

async function tried(
  { plane, signal }: Context,
  { id, event, body, created_at }: StoredDelivery,
  webhook: WebhookRow | undefined,
): Promise<Attempt> {
  if (webhook === undefined) return { ok: false, why: 'the webhook is gone' };
  try {
    const { secrets, settings, clock } = plane;
    const notice = JSON.parse(body) as Notice;
    const text = bodyOf(webhook.format, { ...notice, id, at: created_at });
    const secret = secrets.open(SECRET_PURPOSE, webhook.sealed_secret);
    const headers = {
      'user-agent': 'turnsole',
      'x-turnsole-event': event,
      'x-turnsole-delivery': id,
      'x-turnsole-signature': signatureOf(secret, text, clock.now()),
    };
    const { reach } = settings.remote;
    await post(secrets.open(URL_PURPOSE, webhook.sealed_url), text, headers, reach, signal);
    return { ok: true };
  } catch (error) {
    return { ok: false, why: messageOf(error) };
  }
}

/** Delays all deliveries of a failing receiver, so that it gets one attempt per delay, and keeps only the latest deliveries. */
async function holdBack(tx: Tx, webhook: string, until: number): Promise<void> {
  await tx.db
    .updateTable('deliveries')
    .set({ due_at: until })
    .where('webhook_id', '=', webhook)
    .where('state', '=', 'WAITING')
    .where('due_at', '<', until)
    .execute();
  const last = await tx.db
    .selectFrom('deliveries')
    .select('seq')
    .where('webhook_id', '=', webhook)
    .where('state', '=', 'WAITING')
    .orderBy('seq', 'desc')
    .offset(MOST_WAITING)
    .limit(1)
    .executeTakeFirst();
  if (last === undefined) return;
  await tx.db
    .updateTable('deliveries')
    .set({ state: 'DEAD', last_error: `more than ${MOST_WAITING} waited`, done_at: tx.now })
    .where('webhook_id', '=', webhook)
    .where('state', '=', 'WAITING')
    .where('seq', '<=', last.seq)
    .execute();
}

const KEPT_MS = 7 * 24 * 60 * 60_000;

/** Removes deliveries that arrived or were given up a week ago. */
export async function forgetDeliveries({ plane }: Context): Promise<void> {
  await plane.store.transaction('deliveries', async ({ db, now }) => {
    const old = db
      .selectFrom('deliveries')
      .select('seq')
      .where('state', '!=', 'WAITING')
      .where('done_at', '<', now - KEPT_MS)
      .limit(1_000);
    await db.deleteFrom('deliveries').where('seq', 'in', old).execute();
  });
}
