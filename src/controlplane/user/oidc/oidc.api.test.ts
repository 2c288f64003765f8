import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TestServer } from '../../server/testing/test-server.ts';
import { describeOnDatabases } from '../../store/testing/databases.ts';
import { FakeProvider } from './testing/fake-provider.ts';

const ANN = { sub: '7', email: 'ann@example.com', email_verified: true, name: 'Ann' };
const CALLBACK = 'https://chaos.example.com/auth/dex/callback';

describeOnDatabases('sign-in by an identity provider', (database) => {
  const start = async (more: object = {}) => {
    const provider = await FakeProvider.start(CALLBACK);
    const { issuer, clientId, clientSecret } = provider;
    const oidc = { issuer, clientId, clientSecret, callbackUrl: CALLBACK, tokenInUrl: false, ...more };
    const server = await TestServer.start(database, {
      settings: { oidc, publicUrl: 'https://chaos.example.com' },
    });
    /** As far as the provider. */
    const begin = async (returnTo = '/runs') => {
      const reply = await server.app.inject({ url: `/dex/login?returnTo=${encodeURIComponent(returnTo)}` });
      assert.equal(reply.statusCode, 302, reply.body);
      const cookie = String(reply.headers['set-cookie']).split(';', 1)[0] ?? '';
      return { cookie, target: new URL(String(reply.headers.location)) };
    };
    const finish = (path: string, cookie: string) =>
      server.app.inject({ url: path, headers: { cookie, host: 'chaos.example.com' } });
    const signIn = async (claims: object) => {
      const { cookie, target } = await begin();
      return finish(provider.signedIn(target, claims), cookie);
    };
    return { provider, server, begin, finish, signIn };
  };
  const whoIs = async (server: TestServer, reply: { headers: Record<string, unknown> }) => {
    const cookies = [reply.headers['set-cookie']].flat().map(String);
    const cookie = cookies.find((one) => /^(__Host-)?turnsole_session_/.test(one))?.split(';', 1)[0] ?? '';
    const me = await server.app.inject({ url: '/get_user/me', headers: { cookie } });
    return me.json() as Record<string, unknown>;
  };

  test('GET /capabilities, GET /dex/login, GET /dex/callback: a new user, and the same one again', async () => {
    const { server, signIn } = await start();
    assert.deepEqual((await server.rest('GET', '/capabilities')).body, { dex: { enabled: true } });
    const first = await signIn(ANN);
    assert.deepEqual([first.statusCode, first.headers.location], [302, '/runs'], first.body);
    const ann = await whoIs(server, first);
    assert.deepEqual([ann.username, ann.role, ann.email], ['ann@example.com', 'user', 'ann@example.com']);
    const again = await whoIs(server, await signIn({ ...ANN, email: 'other@example.com' }));
    assert.equal(
      again.userID,
      ann.userID,
      'whoever has the subject is the user, whatever the address is now',
    );
    const login = await server.rest('POST', '/login', { username: 'ann@example.com', password: 'x' });
    assert.equal(login.body.error, 'invalid_credentials');
  });

  test('a sign-in does not take over a foreign account by an e-mail address or a name', async () => {
    const { server, signIn } = await start();
    const victim = await server.user('bob');
    await server.rest('POST', '/update/details', { email: 'ann@example.com' }, victim);
    const ann = await whoIs(server, await signIn(ANN));
    assert.notEqual(ann.userID, victim.id, 'an address that a user has only entered links nothing');
    const expected = await server.user('eve@example.com');
    const unverified = {
      sub: '8',
      email: 'eve@example.com',
      email_verified: false,
      preferred_username: 'bob',
    };
    const eve = await whoIs(server, await signIn(unverified));
    assert.match(String(eve.username), /^sso-/);
    const verified = await whoIs(server, await signIn({ ...unverified, sub: '9', email_verified: true }));
    assert.equal(verified.userID, expected.id, 'whom an administrator expects under the verified address');
  });

  test('an answer that this browser has not asked for, that comes twice, or that is forged does not sign in', async () => {
    const { provider, begin, finish } = await start();
    const first = await begin();
    const other = await begin();
    const path = provider.signedIn(first.target, ANN);
    assert.equal((await finish(path, '')).statusCode, 401, 'without the cookie');
    assert.equal((await finish(path, other.cookie)).statusCode, 401, 'with that of another sign-in');
    assert.equal((await finish(path, first.cookie)).statusCode, 302);
    assert.equal((await finish(path, first.cookie)).statusCode, 401, 'twice');

    for (const forgery of ['nonce', 'audience', 'issuer', 'key', 'expired', 'verifier'] as const) {
      const { cookie, target } = await begin();
      const reply = await finish(provider.signedIn(target, ANN, forgery), cookie);
      assert.deepEqual([forgery, reply.statusCode], [forgery, 401]);
      assert.equal(reply.headers['set-cookie'], undefined);
    }
    const denied = await begin();
    const state = denied.target.searchParams.get('state');
    assert.equal(
      (await finish(`/dex/callback?error=access_denied&state=${state}`, denied.cookie)).statusCode,
      401,
    );
  });

  test('the token is in the address only where the setting asks for it', async () => {
    const { signIn } = await start({ tokenInUrl: true });
    const reply = await signIn(ANN);
    assert.equal(reply.statusCode, 308);
    assert.match(
      String(reply.headers.location),
      /^\/login\?jwtToken=[\w.-]+&projectID=[\w-]+&projectRole=Owner$/,
    );
  });

  test('GET /dex/login: answers 404 where it is not enabled', async () => {
    const server = await TestServer.start(database);
    assert.deepEqual((await server.rest('GET', '/capabilities')).body, { dex: { enabled: false } });
    assert.equal((await server.rest('GET', '/dex/login')).status, 404);
  });
});
