import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { FakeClock } from '@turnsole/kube/testing/fake-clock';
import { parseAllDocuments } from 'yaml';
import { ACCOUNTS, projectScope } from '../store/store.ts';
import { otherDatabase } from '../store/testing/databases.ts';
import { holdUp, writersOf } from '../store/testing/held-up.ts';
import { TestServer, type TestUser } from './testing/test-server.ts';

const MAKE = `mutation ($p: ID!, $e: String!) {
  createEnvironment(projectID: $p, request: { environmentID: $e, name: "e", type: NON_PROD }) { environmentID }
}`;
const REGISTER = `mutation ($p: ID!) { registerInfra(projectID: $p, request: {
  name: "east", environmentID: "e", infrastructureType: Kubernetes, platformName: "Others", infraScope: "cluster", infraNamespace: "litmus",
  serviceAccount: "litmus", skipSsl: false, infraNsExists: false, infraSaExists: false }) { manifest } }`;

/** What stands in headers to be taken for something else. HTTP itself keeps line ends out of them. */
const HEADERS: readonly (readonly [name: string, value: string])[] = [
  ['authorization', `Bearer x' OR '1'='1`],
  ['authorization', `Basic ${Buffer.from('admin:admin').toString('base64')}`],
  ['authorization', 'Bearer eyJhbGciOiJub25lIn0.eyJ1aWQiOiJ4Iiwicm9sZSI6ImFkbWluIn0.'],
  ['cookie', `turnsole_session='; DROP TABLE users; --; __proto__=x; =; ;;`],
  ['referer', 'http://evil.example/"\\n  KEY: value #{{x}}'],
  ['referer', 'javascript:alert(1)//'],
  ['x-forwarded-for', `' OR 1=1 --, 10.0.0.1, ../../etc/passwd`],
  ['x-forwarded-proto', 'javascript'],
  ['x-forwarded-host', 'evil.example'],
  ['content-type', 'application/json; charset=../../x'],
  ['accept-language', '%00%0d%0aSet-Cookie: a=b'],
];

describe('what would keep a server from others', () => {
  const database = otherDatabase('sqlite', true);
  assert.ok(database !== undefined);

  async function scene(
    options: Parameters<typeof TestServer.start>[1] = {},
  ): Promise<{ server: TestServer; owner: TestUser; p: string }> {
    const server = await TestServer.start(database as NonNullable<typeof database>, options);
    const owner = await server.user('olga');
    return { server, owner, p: await server.project([[owner, 'Owner']]) };
  }

  test('bodies: 256 KiB by REST, 16 MiB by GraphQL, and no byte more', async () => {
    const { server, owner } = await scene();
    const post = async (url: string, payload: string): Promise<readonly [number, unknown]> => {
      const headers = { 'content-type': 'application/json', authorization: `Bearer ${owner.token}` };
      const reply = await server.app.inject({ method: 'POST', url, headers, payload });
      return [reply.statusCode, reply.json().errorDescription];
    };
    const padded = (bytes: number, body = '{"query":"{ getServerVersion { key } }"}'): string =>
      body + ' '.repeat(bytes - body.length);
    const tooLarge = [413, 'the body is too large'];
    assert.deepEqual(await post('/create_project', padded(256 * 1024 + 1, '{}')), tooLarge);
    assert.equal((await post('/create_project', padded(256 * 1024, '{}')))[0], 400);
    assert.deepEqual(await post('/query', padded(16 * 1024 * 1024 + 1)), tooLarge);
    assert.equal((await post('/query', padded(16 * 1024 * 1024)))[0], 200);
  });

  test('rates: sixty sign-ins a minute of an address, and all requests are counted', async () => {
    const { server } = await scene();
    const signIn = (remoteAddress: string) =>
      server.app.inject({ method: 'POST', url: '/login', payload: {}, remoteAddress });
    for (let times = 1; times <= 60; times += 1) {
      assert.equal((await signIn('192.0.2.1')).statusCode, 400);
    }
    const { statusCode, body } = await signIn('192.0.2.1');
    assert.equal(statusCode, 429);
    assert.match(
      JSON.parse(body).errorDescription,
      /Rate limit exceeded, retry in (?:1 minute|[1-5]?\d seconds?)$/,
    );
    assert.equal((await signIn('192.0.2.2')).statusCode, 400, 'another address has its own');
    const status = await server.app.inject({ url: '/status', remoteAddress: '192.0.2.1' });
    assert.deepEqual([status.statusCode, status.headers['x-ratelimit-limit']], [200, '60000']);
  });

  test('time: an operation that hangs is given up after 30 s, by GraphQL as by REST', async () => {
    const clock = new FakeClock();
    const { server, owner, p } = await scene({ clock });
    const { store } = server.plane;
    // A writer holds up all others, as a disk does that no longer answers.
    await using hold = await holdUp(store, [projectScope(p), ACCOUNTS]);
    const bothWrite = writersOf(store, 2);
    const asked = [
      server.graphql(MAKE, { p, e: 'e' }, owner),
      server.rest('POST', '/create_project', { projectName: 'second' }, owner),
    ] as const;
    await bothWrite;
    await clock.advance(30_000);
    const [byGraphQL, byRest] = await Promise.all(asked);
    const sentence = 'the operation was given up after 30 s';
    assert.deepEqual([byGraphQL.errors[0]?.message, byGraphQL.data], [sentence, null]);
    assert.deepEqual(
      [byRest.status, byRest.body],
      [504, { error: 'server_error', errorDescription: sentence }],
    );
    await hold[Symbol.asyncDispose]();
    assert.equal((await server.rest('GET', '/list_projects', undefined, owner)).status, 200);
  });

  test('headers: their content is treated as text, and no caller is believed for it', async () => {
    const { server, owner, p } = await scene({ settings: { trustedProxies: { hops: 1 } } });
    await server.data(MAKE, { p, e: 'e' }, owner);
    for (const [name, value] of HEADERS) {
      for (const url of ['/users', '/query']) {
        const reply = await server.app.inject({
          method: 'POST',
          url,
          headers: { 'content-type': 'application/json', [name]: value },
          payload: JSON.stringify({
            query: '{ listEnvironments(projectID: "x") { totalNoOfEnvironments } }',
          }),
        });
        assert.ok(reply.statusCode < 500, `${name}: ${value}: ${reply.body}`);
        assert.equal(reply.headers['set-cookie'], undefined, name);
        assert.ok(!reply.body.includes('"totalNoOfEnvironments"'), name);
      }
    }
    for (const referer of HEADERS.filter(([name]) => name === 'referer').map(([, value]) => value)) {
      const { body } = await server.app.inject({
        method: 'POST',
        url: '/query',
        headers: {
          authorization: `Bearer ${owner.token}`,
          referer,
          'x-forwarded-host': 'a"\n: b'.replace('\n', ''),
        },
        payload: { query: REGISTER.replace('"east"', JSON.stringify(referer.slice(0, 8))), variables: { p } },
      });
      const manifest: string = JSON.parse(body).data?.registerInfra.manifest ?? '';
      assert.match(manifest, /^kind: Deployment$/m);
      for (const document of parseAllDocuments(manifest)) assert.deepEqual(document.errors, []);
      assert.ok(!manifest.includes('KEY: value'), manifest.slice(0, 200));
    }
  });

  test('a full disk: writes are refused by a sentence, what is there is read, and writes go on when there is room', async () => {
    const { server, owner, p } = await scene();
    await server.data(MAKE, { p, e: 'before' }, owner);
    const pages = (most: number): Promise<unknown> =>
      server.plane.store.transaction('test', ({ db }) =>
        db.executeQuery({ sql: `PRAGMA max_page_count = ${most}`, parameters: [] } as never),
      );
    // SQLite answers SQLITE_FULL at this limit as it does on a full disk; a small row may still find room.
    await pages(1);
    const large = `mutation ($p: ID!, $d: String!) {
      createEnvironment(projectID: $p, request: { environmentID: "large", name: "e", type: NON_PROD, description: $d }) { environmentID } }`;
    const description = 'x'.repeat(1024 * 1024);
    const refused = await server.graphql(large, { p, d: description }, owner);
    const sentence = 'the database is not available; nothing was changed, try again';
    assert.deepEqual(
      [refused.errors[0]?.message, refused.errors[0]?.extensions?.code],
      [sentence, 'unavailable'],
    );
    const list = `query ($p: ID!) { listEnvironments(projectID: $p) { environments { environmentID } } }`;
    const there = async (): Promise<unknown> => (await server.data(list, { p }, owner)).listEnvironments;
    assert.deepEqual(await there(), { environments: [{ environmentID: 'before' }] });
    await pages(1_000_000);
    await server.data(MAKE, { p, e: 'afterwards' }, owner);
    assert.deepEqual(await there(), {
      environments: [{ environmentID: 'afterwards' }, { environmentID: 'before' }],
    });
  });
});
