import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it, type TestContext } from 'node:test';
import { FakeClock } from '@turnsole/kube/testing/fake-clock';
import { Store } from '../store/index.ts';
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

/** The address of a module for a program in another process, as a literal. */
function urlOf(path: string): string {
  return JSON.stringify(new URL(path, import.meta.url).href);
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

const cannotMount =
  process.platform === 'linux' &&
  process.getuid?.() === 0 &&
  spawnSync('unshare', ['-m', 'true']).status === 0
    ? false
    : 'a small disk takes root on Linux';

/** A server on the folder of its argument: fills the disk, makes room, and prints the answers. */
const ON_A_SMALL_DISK = `
  import { rmSync, writeFileSync } from 'node:fs';
  import { FakeClock } from ${JSON.stringify(import.meta.resolve('@turnsole/kube/testing/fake-clock'))};
  import { openLimitedJournal } from ${urlOf('../store/testing/limited-journal.ts')};
  import { startTestServer } from ${urlOf('./testing/test-server.ts')};
  const [directory] = process.argv.slice(1);
  const clock = new FakeClock();
  const { journal } = openLimitedJournal(directory, clock);
  const ends = [];
  const context = { after: (end) => ends.push(end) };
  const { call, api } = await startTestServer(context, { dataDir: directory, journal, serviceCidr: '10.96.0.0/16' });
  const maps = ${JSON.stringify(MAPS)};
  // Small ones, as the trial is: it may use what the refused write has got of the disk.
  const write = (name) => call('POST', maps, { body: { metadata: { name } } });
  const states = async () => [(await call('GET', '/readyz')).status, (await call('GET', '/livez')).status];
  const answers = [await states()];
  try { writeFileSync(directory + '/large', Buffer.alloc(2 ** 22)); } catch {}
  let count = 0;
  const writeUntilRefused = async () => {
    let status = 0;
    while (status !== 507 && count < 1_000) status = (await write('map-' + count++)).status;
    return status;
  };
  answers.push(await writeUntilRefused(), await states());
  // The journal tries again after a while; what the refused write had got of the disk may be room for that, once or twice.
  for (let tries = 0; tries < 20; tries += 1) {
    await clock.advance(200);
    if ((await states())[0] === 500) break;
    await writeUntilRefused();
  }
  answers.push(await states(), (await call('GET', maps)).status);
  rmSync(directory + '/large');
  await clock.advance(200);
  answers.push(await states(), (await write('after')).status);
  console.log(JSON.stringify(answers));
  await api.close();
  await journal.close();
  for (const end of ends) await end();
`;

it('is alive and not ready on a full disk, and ready when there is room again, without any write', {
  skip: cannotMount,
}, (t) => {
  const script = 'mount -t tmpfs -o size=2m none "$1" && exec "$2" --input-type=module -e "$3" "$1"';
  const args = ['-m', 'sh', '-c', script, 'sh', folder(t), process.execPath, ON_A_SMALL_DISK];
  const said = execFileSync('unshare', args, { encoding: 'utf8' });
  assert.deepEqual(JSON.parse(said), [[200, 200], 507, [500, 200], [500, 200], 200, [200, 200], 201]);
});

it('tries at most one write for the answers of a while', async (t) => {
  const clock = new FakeClock();
  const directory = folder(t);
  const { journal, limitPages } = openLimitedJournal(directory, clock);
  const { call, api } = await startTestServer(t, { journal });
  limitPages(1);
  assert.equal((await call('POST', MAPS, map('big', 'x'.repeat(200_000)))).status, 507);
  limitPages(1_000_000);
  const ask = () => call('GET', '/readyz');
  assert.deepEqual(
    (await Promise.all([ask(), ask()])).map(({ status }) => status),
    [500, 500],
  );
  await clock.advance(200);
  assert.deepEqual(
    (await Promise.all([ask(), ask()])).map(({ status }) => status),
    [200, 200],
  );
  await api.close();
  await journal.close();
  // Each row is counted and checked at the next start: the trial has left none.
  const again = openLimitedJournal(directory);
  assert.equal(new Store({ journal: again.journal }).revision, api.store.revision);
  await again.journal.close();
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
