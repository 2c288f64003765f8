/** A server for one person, as `turnsole ui` starts it: one browser comes in by its link, and nothing else of the machine or the web. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request } from 'node:http';
import { after, test } from 'node:test';
import { WebSocket } from 'ws';
import { systemIds } from '../access/ids.ts';
import { otherDatabase } from '../store/testing/databases.ts';
import { buildServer } from './build-server.ts';
import { SignInLink } from './sign-in-link.ts';
import { TestServer } from './testing/test-server.ts';

const database = otherDatabase('sqlite', true);

/** What a server answers. */
interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

/** Asks with headers as they are given, also `host`, which `fetch` does not let a caller choose. */
function ask(url: string, headers: Readonly<Record<string, string>> = {}, body?: string): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const asked = request(url, { method: body === undefined ? 'GET' : 'POST', headers });
    asked.on('error', reject);
    asked.on('response', (answer) => {
      answer.resume();
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, headers: answer.headers }));
    });
    asked.end(body);
  });
}

/** Who must not get a websocket, and how it is refused. */
const OTHERS: readonly (readonly [who: string, options: object, status: RegExp])[] = [
  ['a page of another origin', { origin: 'https://evil.example' }, /403/],
  ['a page of another port of this machine', { origin: 'http://127.0.0.1:1' }, /403/],
  ['a sandboxed page', { origin: 'null' }, /403/],
  ['a name that points here', { headers: { host: 'evil.example' } }, /421/],
];

test('a server for one person lets in its link, its cookie and its token only', {
  skip: database === undefined,
}, async (t) => {
  assert.ok(database !== undefined);
  const server = await TestServer.start(database, { settings: { hosts: ['127.0.0.1', 'localhost'] } });
  const admin = await server.user('lena', 'admin');
  const link = new SignInLink(systemIds, server.plane.clock, admin.token, '/ui/cluster');
  const first = link.renew();
  const app = await buildServer(server.plane, { link });
  after(() => app.close());
  const address = await app.listen({ host: '127.0.0.1', port: 0 });
  const answerTo = (
    path: string,
    headers?: Readonly<Record<string, string>>,
    body?: string,
  ): Promise<Answer> => ask(`${address}${path}`, headers, body);

  assert.equal((await answerTo('/get_user/me')).status, 401);
  assert.equal((await answerTo('/enter?key=guess')).status, 403);
  const { status, headers } = await answerTo(first);
  const cookie = String(headers['set-cookie']);
  const [session = ''] = cookie.split(';');
  const query = JSON.stringify({ query: '{ __typename }' });
  const json = { 'content-type': 'application/json', cookie: session };

  await t.test(
    'the link leads to the page with a session that scripts and other sites do not have',
    async () => {
      assert.deepEqual([status, headers.location], [303, '/ui/cluster']);
      assert.match(cookie, /HttpOnly/i);
      assert.match(cookie, /SameSite=(Strict|Lax)/i);
      assert.equal((await answerTo('/get_user/me', { cookie: session })).status, 200);
      assert.equal((await answerTo('/query', json, query)).status, 200);
    },
  );

  await t.test('a link that was used gives no second session', async () => {
    const again = await answerTo(first);
    assert.equal(again.status, 403);
    assert.equal(again.headers['set-cookie'], undefined);
  });

  await t.test('POST /enter: who asks for another link learns nothing; its terminal does', async () => {
    const type = { 'content-type': 'application/json' };
    assert.equal((await answerTo('/enter', type, '{}')).status, 404, 'nobody listens yet');
    const said: string[] = [];
    link.onAsked = (path) => said.push(path);
    const asked = await fetch(`${address}/enter`, { method: 'POST', headers: type, body: '{}' });
    assert.deepEqual([asked.status, asked.headers.get('set-cookie'), await asked.json()], [200, null, {}]);
    assert.equal(said.length, 1);
    assert.equal((await answerTo(said[0] ?? '')).status, 303);
  });

  await t.test('a name that another page has pointed here is answered nothing', async () => {
    for (const host of ['evil.example', `evil.example:${new URL(address).port}`]) {
      for (const path of ['/ui/', '/get_user/me', first])
        assert.equal((await answerTo(path, { cookie: session, host })).status, 421, path);
      assert.equal((await answerTo('/query', { ...json, host }, query)).status, 421);
    }
  });

  await t.test('a page of another origin is refused, whatever cookie comes along', async () => {
    const origin = 'https://evil.example';
    const body = JSON.stringify({ username: 'mallory', password: 'x', role: 'admin' });
    assert.equal((await answerTo('/create_user', { ...json, origin }, body)).status, 403);
  });

  for (const [who, options, refused] of OTHERS) {
    await t.test(`the websocket is not for ${who}`, async () => {
      const socket = new WebSocket(`${address.replace('http', 'ws')}/query`, 'graphql-transport-ws', options);
      const [error] = (await once(socket, 'error')) as [Error];
      assert.match(error.message, refused);
    });
  }
});
