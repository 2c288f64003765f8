import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it, type TestContext } from 'node:test';
import { type LimitedJournal, openLimitedJournal } from '../store/testing/limited-journal.ts';
import { asObjects, valueAt } from './object.ts';
import { startTestServer, startWatch, type TestServer } from './testing/test-server.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';
const SERVICES = '/api/v1/namespaces/default/services';

function folder(t: TestContext): string {
  const directory = mkdtempSync(join(tmpdir(), 'turnsole-durable-'));
  t.after(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

/** A server on the folder for as long as `use` takes. */
async function withServer(
  t: TestContext,
  directory: string,
  serviceCidr: string,
  use: (server: TestServer, limitPages: LimitedJournal['limitPages']) => Promise<void>,
): Promise<void> {
  const { journal, limitPages } = openLimitedJournal(directory);
  const server = await startTestServer(t, { dataDir: directory, journal, serviceCidr, listen: true });
  try {
    await use(server, limitPages);
  } finally {
    await server.api.close();
    await journal.close();
  }
}

const map = (name: string, value: string) => ({ body: { metadata: { name }, data: { value } } });

it('refuses with 507 a write that the disk does not take, shows it to no client, and goes on', async (t) => {
  await withServer(t, folder(t), '10.96.0.0/16', async ({ call, ...server }, limitPages) => {
    await call('POST', MAPS, map('before', 'x'));
    const watch = await startWatch(
      { call, ...server },
      `${MAPS}?watch=1&resourceVersion=${server.api.store.revision}`,
    );
    limitPages(1);
    const [refused, taken, list] = await Promise.all([
      call('POST', MAPS, map('big', 'x'.repeat(200_000))),
      call('POST', MAPS, map('before', 'y')),
      call('GET', MAPS),
    ]);
    assert.equal(refused.status, 507);
    assert.equal(refused.body.reason, 'InsufficientStorage');
    assert.match(
      String(refused.body.message),
      /it could not be kept in .*: the disk is full; make room and try again/,
    );
    assert.ok(taken.status === 507 || taken.status === 409);
    assert.equal(list.status, 200);
    assert.deepEqual(
      asObjects(list.body.items).map((item) => valueAt(item, 'metadata', 'name')),
      ['before'],
    );
    assert.equal((await call('GET', `${MAPS}/big`)).status, 404);
    limitPages(1_000_000);
    const after = await call('POST', MAPS, map('after', 'x'));
    assert.equal(after.status, 201);
    const event = await watch.next();
    assert.equal(valueAt(event.object, 'metadata', 'name'), 'after');
    watch.stop();
  });
});

it('keeps authority, keys and tokens, and gives services addresses of the block that there is', async (t) => {
  const directory = folder(t);
  const read = (name: string): string => readFileSync(join(directory, name), 'utf8');
  const names = ['ca.crt', 'ca.key', 'sa.key', 'admin.token'];
  let before: string[] = [];
  let certificate = '';
  await withServer(t, directory, '127.20.0.0/18', async ({ call }) => {
    const made = await call('POST', SERVICES, {
      body: { metadata: { name: 'web' }, spec: { ports: [{ port: 80 }] } },
    });
    assert.match(String(valueAt(made.body, 'spec', 'clusterIP')), /^127\.20\./);
    before = names.map(read);
    certificate = read('apiserver.crt');
  });
  await withServer(t, directory, '127.20.0.0/18', async ({ call }) => {
    assert.equal(read('apiserver.crt'), certificate);
    assert.match(
      String(valueAt((await call('GET', `${SERVICES}/web`)).body, 'spec', 'clusterIP')),
      /^127\.20\./,
    );
  });
  await withServer(t, directory, '127.21.0.0/18', async ({ call, overHttps }) => {
    assert.deepEqual(names.map(read), before);
    const web = await call('GET', `${SERVICES}/web`);
    assert.match(String(valueAt(web.body, 'spec', 'clusterIP')), /^127\.21\.0\.(?!1$)/);
    const own = await overHttps('GET', `${SERVICES}/kubernetes`);
    assert.equal(valueAt(own.body, 'spec', 'clusterIP'), '127.21.0.1');
  });
});
