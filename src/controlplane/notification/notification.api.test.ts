import assert from 'node:assert/strict';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, test } from 'node:test';
import { FakeClock } from '@turnsole/kube/testing/fake-clock';
import { serverContext } from '../access/context.ts';
import { TestServer } from '../server/testing/test-server.ts';
import { projectScope } from '../store/store.ts';
import { describeOnDatabases } from '../store/testing/databases.ts';
import { signatureOf } from './body.ts';
import { deliverDue, deliverNotices } from './deliver.ts';
import { notify } from './notify.ts';

const CREATE = `mutation ($p: ID!, $r: CreateWebhookRequest!) {
  createWebhook(projectID: $p, request: $r) { secret webhook { webhookID shownURL format events enabled } } }`;
const DELIVERIES = `query ($p: ID!, $r: ListWebhookDeliveriesRequest) {
  listWebhookDeliveries(projectID: $p, request: $r) { deliveryID event summary state attempts lastError } }`;
const NOTICE = { event: 'RUN_ENDED', summary: 'Run 1 ended: Fail', details: { score: 40 } } as const;

interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** A receiver that answers with these statuses in turn, the last one for ever. */
async function receiver(...statuses: number[]) {
  const received: Received[] = [];
  const waiting: (() => void)[] = [];
  const server = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => pieces.push(piece));
    request.on('end', () => {
      received.push({ headers: request.headers, body: Buffer.concat(pieces).toString() });
      const status = statuses.length > 1 ? statuses.shift() : statuses[0];
      response.writeHead(status ?? 200, { location: 'http://127.0.0.1:1/' }).end('thanks');
      for (const wake of waiting.splice(0)) wake();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  after(() => server.close());
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook/secret-path`,
    received,
    until: async (count: number): Promise<void> => {
      while (received.length < count) await new Promise<void>((resolve) => waiting.push(resolve));
    },
  };
}

describeOnDatabases('notifications', (database) => {
  const start = async (url: string, r: object = {}) => {
    const clock = new FakeClock();
    const server = await TestServer.start(database, { clock });
    const olga = await server.user('olga');
    const p = await server.project([[olga, 'Owner']]);
    const request = { name: 'chat', url, events: ['RUN_ENDED'], ...r };
    const made = (await server.data(CREATE, { p, r: request }, olga)).createWebhook as {
      secret: string;
      webhook: { webhookID: string; shownURL: string };
    };
    const stop = new AbortController();
    const context = serverContext(server.plane, 'deliver notices', stop.signal);
    const tell = (notice: Omit<Parameters<typeof notify>[1], 'project'> = NOTICE) =>
      server.plane.store.transaction(projectScope(p), (tx) => notify(tx, { project: p, ...notice }));
    const states = async () =>
      (await server.data(DELIVERIES, { p }, olga)).listWebhookDeliveries as Record<string, unknown>[];
    return {
      server,
      clock,
      olga,
      p,
      made,
      tell,
      states,
      stop,
      context,
      deliver: () => deliverNotices(context),
    };
  };

  test('createWebhook, listWebhooks, listWebhookDeliveries: an event arrives signed, and no answer shows the address or the secret again', async () => {
    const hook = await receiver(204);
    const { server, olga, p, made, tell, states, stop, deliver, clock } = await start(hook.url);
    assert.equal(made.webhook.shownURL, new URL(hook.url).origin);
    await tell();
    await tell({ ...NOTICE, event: 'HALTED' });
    const delivering = deliver();
    await hook.until(1);
    const [{ headers, body } = { headers: {}, body: '' }] = hook.received;
    assert.equal(headers['x-turnsole-signature'], signatureOf(made.secret, body, clock.now()));
    assert.equal(headers['x-turnsole-event'], 'RUN_ENDED');
    const { id, project, summary, details } = JSON.parse(body);
    assert.deepEqual([id, project], [headers['x-turnsole-delivery'], p]);
    assert.deepEqual([summary, details], [NOTICE.summary, NOTICE.details]);
    // A second one, so that the first is known to be recorded.
    await tell();
    await hook.until(2);
    stop.abort();
    await delivering;
    const [, first] = await states();
    assert.deepEqual([first?.state, first?.attempts], ['DELIVERED', 1]);

    const list = `query ($p: ID!) { listWebhooks(projectID: $p) { name shownURL } }`;
    assert.equal(JSON.stringify(await server.data(list, { p }, olga)).includes('secret-path'), false);
    const lines = await server.plane.store.read.selectFrom('audit').selectAll().execute();
    assert.equal(JSON.stringify(lines).includes('secret-path'), false);
    assert.equal(JSON.stringify(lines).includes(made.secret), false);
  });

  test('what does not arrive is tried again, after a delay, and a redirect is no arrival', async () => {
    const hook = await receiver(500, 302, 200);
    const { tell, states, context, clock } = await start(hook.url, { format: 'SLACK' });
    await tell();
    for (const waitMs of [0, 60_000, 60_000]) {
      await clock.advance(waitMs);
      assert.equal(await deliverDue(context), 1);
      assert.equal(await deliverDue(context), 0, 'not before its delay is over');
    }
    const [row] = await states();
    assert.deepEqual([row?.state, row?.attempts], ['DELIVERED', 3]);
    assert.match(String(row?.lastError), /answered with status 302$/);
    assert.equal(new Set(hook.received.map(({ headers }) => headers['x-turnsole-delivery'])).size, 1);
  });

  test('of more webhooks than are sent to at once, those whose deliveries wait longest come first', async () => {
    const hook = await receiver(200);
    const { server, context, p, made } = await start(hook.url);
    const { store } = server.plane;
    // The oldest delivery is that of the last ID, so that no order of a database is the right one by chance.
    const ids = Array.from({ length: 20 }, (_, index) => `hook-${99 - index}`);
    await store.transaction(projectScope(p), async ({ db, now }) => {
      const { id: _, ...row } = await db
        .selectFrom('webhooks')
        .selectAll()
        .where('id', '=', made.webhook.webhookID)
        .executeTakeFirstOrThrow();
      await db
        .insertInto('webhooks')
        .values(ids.map((id) => ({ ...row, id })))
        .execute();
      for (const id of [...ids, ...ids]) {
        await db
          .insertInto('deliveries')
          .values({
            ...{ id: server.plane.ids.id(), project_id: p, webhook_id: id, event: 'RUN_ENDED' },
            body: JSON.stringify({ project: p, ...NOTICE }),
            ...{ state: 'WAITING', attempts: 0, due_at: now, last_error: '', created_at: now, done_at: null },
          })
          .execute();
      }
    });
    assert.equal(await deliverDue(context), 16);
    const sent = await store.read
      .selectFrom('deliveries')
      .select('webhook_id')
      .where('state', '=', 'DELIVERED')
      .orderBy('seq')
      .execute();
    assert.deepEqual(
      sent.map(({ webhook_id }) => webhook_id),
      ids.slice(0, 16),
    );
  });

  test('an event of a transaction that fails is not sent', async () => {
    const hook = await receiver(200);
    const { server, p, states } = await start(hook.url);
    const failing = server.plane.store.transaction(projectScope(p), async (tx) => {
      await notify(tx, { project: p, ...NOTICE });
      throw new Error('no');
    });
    await assert.rejects(failing, /no/);
    assert.deepEqual(await states(), []);
  });

  test('updateWebhook, deleteWebhook, testWebhook, retryWebhookDelivery', async () => {
    const hook = await receiver(200);
    const { server, olga, p, made, tell, states } = await start(hook.url);
    const id = made.webhook.webhookID;
    const update = `mutation ($p: ID!, $r: UpdateWebhookRequest!) { updateWebhook(projectID: $p, request: $r) { name enabled } }`;
    const changed = await server.data(update, { p, r: { webhookID: id, enabled: false } }, olga);
    assert.deepEqual(changed.updateWebhook, { name: 'chat', enabled: false });
    await tell();
    assert.deepEqual(await states(), [], 'a webhook that is off is told nothing');

    const tried = `mutation ($p: ID!, $id: ID!) { testWebhook(projectID: $p, webhookID: $id) }`;
    const { testWebhook: delivery } = await server.data(tried, { p, id }, olga);
    const retry = `mutation ($p: ID!, $id: ID!) { retryWebhookDelivery(projectID: $p, deliveryID: $id) }`;
    const early = await server.graphql(retry, { p, id: delivery }, olga);
    assert.equal(early.errors[0]?.message, 'only what was given up is tried again');
    await server.plane.store.transaction(projectScope(p), ({ db }) =>
      db.updateTable('deliveries').set({ state: 'DEAD', attempts: 20 }).execute(),
    );
    await server.data(retry, { p, id: delivery }, olga);
    const [row] = await states();
    assert.deepEqual([row?.state, row?.attempts, row?.event], ['WAITING', 0, 'TEST']);

    const remove = `mutation ($p: ID!, $id: ID!) { deleteWebhook(projectID: $p, webhookID: $id) }`;
    await server.data(remove, { p, id }, olga);
    assert.deepEqual(await states(), []);
    assert.equal((await server.graphql(remove, { p, id }, olga)).errors[0]?.extensions?.code, 'not-found');
  });

  test('createWebhook refuses the server’s own network, credentials, and what is no address', async () => {
    const { server, olga, p } = await start((await receiver(200)).url);
    const cases = [
      ['http://169.254.169.254/latest', /^url: 169\.254\.169\.254 is refused/],
      ['http://[::ffff:10.0.0.1]/', /is refused/],
      ['http://2130706434/', /is refused/],
      ['https://user:pass@127.0.0.1/', /^url: it holds credentials/],
      ['file:///etc/passwd', /^url: expected https/],
    ] as const;
    for (const [url, expected] of cases) {
      const { errors } = await server.graphql(CREATE, { p, r: { name: 'x', url, events: [] } }, olga);
      assert.match(errors[0]?.message ?? '', expected, url);
    }
  });
});
