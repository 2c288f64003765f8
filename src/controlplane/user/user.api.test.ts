import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock } from '@turnsole/kube/testing/fake-clock';
import { TestServer, type TestUser } from '../server/testing/test-server.ts';
import { describeOnDatabases } from '../store/testing/databases.ts';
import { ensureAdministrator } from './index.ts';

const FIRST = 'First@1234';
const SECOND = 'Second@1234';
const ADMIN = { ADMIN_USERNAME: 'root', ADMIN_PASSWORD: 'litmus' };

const signIn = async (server: TestServer, username: string, password: string) => {
  const { status, body } = await server.rest('POST', '/login', { username, password });
  return {
    status,
    ...(body as { projectID?: string; type?: string; expiresIn?: number; error?: string }),
    token: String(body.accessToken),
  };
};

async function made(server: TestServer, username: string): Promise<TestUser> {
  const admin = await server.user('boss', 'admin');
  const user = { username, password: FIRST, role: 'user', email: '', name: '' };
  const { status } = await server.rest('POST', '/create_user', user, admin);
  assert.equal(status, 200);
  return admin;
}

const errorOf = ({ body }: { readonly body: Record<string, unknown> }): unknown => body.error;

describeOnDatabases('users', (database) => {
  test('POST /login, POST /update/password, POST /logout: from the first start to the last sign-out', async () => {
    const server = await TestServer.start(database);
    assert.deepEqual(await ensureAdministrator(server.plane, ADMIN), { username: 'root' });
    assert.equal(await ensureAdministrator(server.plane, ADMIN), undefined, 'a second start makes nobody');

    const first = await signIn(server, 'ROOT', 'litmus');
    assert.deepEqual(
      [first.status, first.projectID, first.type, first.expiresIn],
      [200, '', 'Bearer', 86_400],
    );
    const early = await server.rest('GET', '/users', undefined, first);
    assert.deepEqual(early.body.error, 'default password not updated');
    const other = await signIn(server, 'root', 'litmus');

    const change = (oldPassword: string, newPassword: string) =>
      server.rest('POST', '/update/password', { oldPassword, newPassword }, first);
    assert.equal(errorOf(await change('litmus', 'short')), 'password_policy_violation');
    assert.equal(errorOf(await change(FIRST, FIRST)), "old and new passwords can't be same");
    assert.equal(errorOf(await change('wrong', FIRST)), 'invalid_credentials');
    const changed = await change('litmus', FIRST);
    assert.equal(changed.body.message, 'password has been updated successfully');

    const second = await signIn(server, 'root', FIRST);
    assert.equal(
      second.projectID,
      changed.body.projectID,
      'the first project is the one that is shown again',
    );
    assert.equal((await server.rest('GET', '/users', undefined, first)).status, 200, 'who changed it stays');
    const ended = await server.rest('GET', '/users', undefined, other);
    assert.deepEqual([ended.status, errorOf(ended)], [401, 'unauthorized']);

    const out = await server.rest('POST', '/logout', {}, second);
    assert.equal(out.body.message, 'successfully logged out');
    assert.equal((await server.rest('GET', '/users', undefined, second)).status, 401);
    const query = await server.app.inject({
      method: 'POST',
      url: '/query',
      payload: { query: '{ __typename }' },
      headers: { authorization: `Bearer ${second.token}` },
    });
    assert.deepEqual([query.statusCode, query.body], [401, 'Error verifying JWT token: Token is revoked']);
  });

  test('without ADMIN_PASSWORD the first start makes one that may stay', async () => {
    const server = await TestServer.start(database);
    const both = await Promise.all([
      ensureAdministrator(server.plane, {}),
      ensureAdministrator(server.plane, {}),
    ]);
    const [admin] = both.filter((one) => one !== undefined);
    assert.equal(both.filter((one) => one === undefined).length, 1, 'replicas that start together make one');
    assert.equal(admin?.username, 'admin');
    assert.match(admin?.password ?? '', /^[\w-]{24}$/);
    const signedIn = await signIn(server, 'admin', admin?.password ?? '');
    assert.equal((await server.rest('GET', '/users', undefined, signedIn)).status, 200);
  });

  test('an unknown user and a wrong password look alike, and both are slowed down', async () => {
    const clock = new FakeClock();
    const server = await TestServer.start(database, { clock });
    await made(server, 'Ann');
    const answers: unknown[] = [];
    for (const name of ['ann', 'nobody']) {
      const seen: unknown[] = [];
      for (let attempt = 0; attempt < 7; attempt += 1) {
        const { status, body } = await server.rest('POST', '/login', { username: name, password: 'x' });
        seen.push([status, body.error, body.errorDescription]);
      }
      answers.push(seen);
    }
    const wrong = [401, 'invalid_credentials', 'Invalid Credentials'];
    const blocked = [429, 'invalid_request', 'too many failed sign-ins: try again in 1 s'];
    const expected = [wrong, wrong, wrong, wrong, wrong, wrong, blocked];
    assert.deepEqual(answers, [expected, expected]);

    assert.equal((await signIn(server, 'ann', FIRST)).status, 429, 'also with the right one');
    await clock.advance(1_000);
    assert.equal((await signIn(server, 'ann', FIRST)).status, 200);
    assert.equal((await signIn(server, 'ann', 'x')).status, 401, 'and begins anew');
  });

  test('wrong passwords from elsewhere do not lock a user out of a browser or an address in which they have signed in', async () => {
    const clock = new FakeClock();
    const server = await TestServer.start(database, { clock, settings: { trustedProxies: { hops: 1 } } });
    await made(server, 'ann');
    const attempt = (from: string, password: string, cookie = '', username = 'ann') =>
      server.app.inject({
        method: 'POST',
        url: '/login',
        headers: { 'x-forwarded-for': from, cookie, origin: 'http://localhost' },
        payload: { username, password, cookie: true },
      });
    const first = await attempt('10.0.0.1', FIRST);
    assert.equal(first.statusCode, 200);
    const device = first.cookies.find(({ name }) => name.includes('_device_'));
    const cookie = `${device?.name}=${device?.value}`;
    assert.equal(device?.httpOnly, true);
    // One address, until it has to wait: the user comes in from another one.
    for (let index = 0; index < 6; index += 1) await attempt('10.6.6.6', 'x');
    assert.equal((await attempt('10.6.6.6', FIRST)).statusCode, 429);
    assert.equal((await attempt('10.0.0.2', FIRST)).statusCode, 200);
    // Many addresses, until the name has to wait: the browser of before still comes in, a forged or foreign cookie does not.
    for (let index = 0; index < 60; index += 1) await attempt(`10.7.${index}.1`, 'x');
    assert.equal((await attempt('10.0.0.3', FIRST)).statusCode, 429);
    for (const forged of [`${cookie}x`, `${device?.name}=`, cookie.slice(0, -4), `${device?.name}=v1.AAAA`]) {
      assert.equal((await attempt('10.0.0.3', FIRST, forged)).statusCode, 429);
    }
    assert.equal((await attempt('10.0.0.1', FIRST, cookie)).statusCode, 200);
    // A stolen cookie is worth five attempts.
    const stolen: number[] = [];
    for (let index = 0; index < 7; index += 1)
      stolen.push((await attempt(`10.8.${index}.1`, 'x', cookie)).statusCode);
    assert.deepEqual(stolen, [401, 401, 401, 401, 401, 401, 429]);
    await clock.advance(200 * 24 * 3_600_000);
    for (let index = 0; index < 60; index += 1) await attempt(`10.9.${index}.1`, 'x');
    assert.equal((await attempt('10.0.0.1', FIRST, cookie)).statusCode, 429, 'its life is over');
  });

  test('sign-ins are counted by the address that the proxy in front has written, not by those that the client has', async () => {
    const server = await TestServer.start(database, { settings: { trustedProxies: { hops: 1 } } });
    const attempt = (forwarded: string) =>
      server.app.inject({
        method: 'POST',
        url: '/login',
        headers: { 'x-forwarded-for': forwarded },
        payload: { username: 'ann' },
      });
    for (let index = 0; index < 60; index += 1) {
      assert.equal((await attempt(`6.6.6.${index}, 10.0.0.1`)).statusCode, 400);
    }
    assert.equal((await attempt('6.6.6.60, 10.0.0.1')).statusCode, 429);
    assert.equal((await attempt('6.6.6.60, 10.0.0.2')).statusCode, 400);
  });

  test('POST /login with a cookie: it signs in pages of this server only', async () => {
    const server = await TestServer.start(database, { settings: { publicUrl: 'https://chaos.example.com' } });
    await made(server, 'ann');
    const login = await server.app.inject({
      method: 'POST',
      url: '/auth/login?cookie=true',
      payload: { username: 'ann', password: FIRST },
    });
    const [header = '', device = ''] = login.headers['set-cookie'] as string[];
    assert.match(
      device,
      /^__Host-\w+_device_[0-9a-f]{16}=v1\.[\w-]+; Path=\/; Max-Age=15552000; HttpOnly; SameSite=Strict; Secure$/,
    );
    assert.match(
      header,
      /^__Host-turnsole_session_[0-9a-f]{12}=[\w.-]+; Path=\/; Max-Age=86400; HttpOnly; SameSite=Strict; Secure$/,
    );
    assert.equal(login.json().accessToken, undefined);
    assert.equal(login.json().isInitialLogin, true);
    const cookie = header.split(';', 1)[0] ?? '';
    const ask = (method: 'GET' | 'POST', url: string, headers: object) =>
      server.app.inject({
        method,
        url,
        headers: { cookie, host: 'chaos.example.com', ...headers },
        ...(method === 'POST' && { payload: {} }),
      });

    const me = await ask('GET', '/get_user/me', { 'sec-fetch-site': 'same-origin' });
    assert.deepEqual([me.statusCode, me.json().username], [200, 'ann']);
    assert.equal(me.body.includes('scrypt'), false);
    const strangers = [
      { 'sec-fetch-site': 'cross-site' },
      { origin: 'https://evil.example.com' },
      { origin: 'null' },
      {},
    ];
    for (const headers of strangers) {
      const { statusCode } = await ask('POST', '/logout', headers);
      assert.ok(statusCode === 401 || statusCode === 403, `${JSON.stringify(headers)}: ${statusCode}`);
    }
    const out = await ask('POST', '/logout', { origin: 'https://chaos.example.com' });
    assert.equal(out.statusCode, 200);
    assert.match(
      String(out.headers['set-cookie']),
      /^__Host-turnsole_session_[0-9a-f]{12}=; Path=\/; Max-Age=0;/,
    );
    assert.equal((await ask('GET', '/get_user/me', {})).statusCode, 401);
  });

  test('POST /create_user, GET /users, GET /get_user/:uid, POST /update/details', async () => {
    const server = await TestServer.start(database);
    const admin = await made(server, 'Ann');
    const ann = await server.user('zoe');
    const create = (more: object) =>
      server.rest('POST', '/create_user', { username: 'new', password: FIRST, role: 'user', ...more }, admin);

    assert.equal(errorOf(await create({ username: 'ANN' })), 'user_exists');
    assert.equal(errorOf(await create({ username: 'a b' })), 'username_policy_violation');
    assert.equal(errorOf(await create({ password: 'litmus' })), 'password_policy_violation');
    assert.equal(errorOf(await create({ email: 'x' })), 'invalid email');
    assert.equal(errorOf(await create({ role: 'root' })), 'invalid_request');
    assert.match(String((await create({ isAdmin: true })).body.errorDescription), /^isAdmin is unknown$/);

    const users = (await server.rest('GET', '/users', undefined, admin)).body as unknown as Record<
      string,
      unknown
    >[];
    assert.deepEqual(
      users.map(({ username }) => username),
      ['Ann', 'boss', 'zoe'],
    );
    const newcomer = (await create({})).body;
    assert.deepEqual(newcomer.createdBy, { userID: admin.id, username: 'boss', email: '' });
    const path = `/get_user/${newcomer.userID}`;
    assert.deepEqual((await server.rest('GET', path, undefined, admin)).body, newcomer);
    assert.equal(JSON.stringify(users).includes('scrypt'), false);

    const mine = { email: 'zoe@example.com', name: 'Zoe' };
    const { body } = await server.rest('POST', '/update/details', mine, ann);
    assert.equal(body.message, 'User details updated successfully');
    const seen = await server.rest('GET', `/get_user/${ann.id}`, undefined, ann);
    assert.deepEqual([seen.body.email, seen.body.name], ['zoe@example.com', 'Zoe']);
    for (const id of [admin.id, 'nobody']) {
      const foreign = await server.rest('GET', `/get_user/${id}`, undefined, ann);
      assert.deepEqual([foreign.status, errorOf(foreign)], [400, 'user does not exist'], id);
    }
  });

  test('POST /create_token, GET /token/:uid, POST /remove_token', async () => {
    const clock = new FakeClock();
    const server = await TestServer.start(database, { clock });
    const ann = await server.user('ann');
    const bob = await server.user('bob');
    const create = (name: string, days?: number) =>
      server.rest(
        'POST',
        '/create_token',
        { user_id: ann.id, name, ...(days !== undefined && { days_until_expiration: days }) },
        ann,
      );
    const [ci, old] = [await create('ci'), await create('old', 1)];
    const works = async (made: typeof ci): Promise<boolean> => {
      const token = { token: String(made.body.accessToken) };
      return (await server.rest('GET', '/list_projects', undefined, token)).status === 200;
    };
    assert.deepEqual([await works(ci), await works(old)], [true, true]);
    assert.equal(errorOf(await create('never', 0)), 'invalid_request');

    const { body } = await server.rest('GET', `/token/${ann.id}`, undefined, ann);
    const listed = body.apiTokens as Record<string, unknown>[];
    assert.deepEqual(listed.map(({ name }) => name).toSorted(), ['ci', 'old']);
    assert.deepEqual(
      listed.map(({ token }) => token),
      listed.map(({ id }) => id),
      'no text of a token is listed',
    );
    assert.equal((await server.rest('GET', `/token/${ann.id}`, undefined, bob)).status, 403);

    await clock.advance(86_400_000);
    assert.equal(await works(old), false, 'it has expired');
    const again = await server.user('ann2');
    const foreign = { token: ci.body.accessToken, userID: again.id };
    assert.equal((await server.rest('POST', '/remove_token', foreign, again)).status, 404);
    const ciToken = { token: String(ci.body.accessToken) };
    const gone = await server.rest('POST', '/remove_token', { ...ciToken, userID: ann.id }, ciToken);
    assert.equal(gone.body.message, 'api token deleted successfully');
    assert.equal(await works(ci), false);
  });

  test('a token that is listed is removed as ChaosCenter’s page removes it: by what the list has, without the user', async () => {
    const server = await TestServer.start(database);
    const [ann, bob] = [await server.user('ann'), await server.user('bob')];
    const made = await server.rest('POST', '/create_token', { user_id: ann.id, name: 'ci' }, ann);
    const ci = { token: String(made.body.accessToken) };
    const { body } = await server.rest('GET', `/token/${ann.id}`, undefined, ann);
    const [{ token } = { token: '' }] = body.apiTokens as { token: string }[];
    const remove = (caller: typeof ann) => server.rest('POST', '/remove_token', { token }, caller);
    assert.equal((await remove(bob)).status, 404);
    assert.equal((await server.rest('GET', '/list_projects', undefined, ci)).status, 200);
    assert.equal((await remove(ann)).status, 200);
    assert.equal((await server.rest('GET', '/list_projects', undefined, ci)).status, 401);
  });

  test('POST /reset/password and POST /update/state end sessions and tokens', async () => {
    const server = await TestServer.start(database);
    const admin = await server.user('boss', 'admin');
    const ann = await server.user('ann');
    const token = (await server.rest('POST', '/create_token', { user_id: ann.id, name: 'ci' }, ann)).body;
    const ci = { token: String(token.accessToken) };
    const state = (username: string, isDeactivate: boolean) =>
      server.rest('POST', '/update/state', { username, isDeactivate }, admin);

    const reset = { username: 'Ann', newPassword: SECOND };
    assert.equal(
      (await server.rest('POST', '/reset/password', reset, admin)).body.message,
      'password has been reset successfully',
    );
    for (const shown of [ann, ci])
      assert.equal((await server.rest('GET', '/list_projects', undefined, shown)).status, 401);
    const back = await signIn(server, 'ann', SECOND);
    assert.equal(back.projectID, '', 'the password has to be replaced first');
    const own = { username: 'boss', newPassword: SECOND };
    assert.equal(errorOf(await server.rest('POST', '/reset/password', own, admin)), 'invalid_request');
    const unknown = { username: 'nobody', newPassword: SECOND };
    assert.equal(
      errorOf(await server.rest('POST', '/reset/password', unknown, admin)),
      'user does not exist',
    );

    assert.equal((await state('ann', true)).body.message, "user's state updated successfully");
    assert.equal((await server.rest('GET', `/get_user/${ann.id}`, undefined, back)).status, 401);
    const out = await signIn(server, 'ann', SECOND);
    assert.deepEqual([out.status, out.error], [400, 'your account has been deactivated']);
    assert.equal(errorOf(await state('ann', true)), 'user already deactivated');
    assert.equal(errorOf(await state('boss', true)), 'cannot remove admin');
    await state('ann', false);
    assert.equal((await signIn(server, 'ann', SECOND)).status, 200);
  });
});
