import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { decodeJwt } from 'jose';
import { ACCOUNTS } from '../../controlplane/store/store.ts';
import { otherDatabase } from '../../controlplane/store/testing/databases.ts';
import { RemoteScene } from './testing/remote-scene.ts';

const PASSWORD = 'Correct-horse-1';
/** What is said of a token of TURNSOLE_TOKEN, and of one that was kept. */
const GIVEN =
  'the token is that of TURNSOLE_TOKEN: give another one, or unset it and sign in [NOT_SIGNED_IN]';
const KEPT = 'sign in again with "turnsole remote login URL" [NOT_SIGNED_IN]';

describe('turnsole remote login, logout', () => {
  const database = otherDatabase('sqlite', true);
  assert.ok(database !== undefined);

  test('by a password: later commands need no more, until it is signed out', async () => {
    const remote = await RemoteScene.start(database);
    await remote.setPassword('olga', PASSWORD);
    const kept = join(remote.home, '.config', 'turnsole', 'remote.json');
    const login = ['login', `${remote.url}/`, '--username', 'olga'];
    assert.equal(
      await remote.printed(login, { TURNSOLE_PASSWORD: PASSWORD }),
      `signed in at ${remote.url} as olga; kept in ${kept}`,
    );
    assert.match(await remote.printed(['infra', 'list'], {}), /^cluster +test +cluster +connected/m);
    const { token } = JSON.parse(readFileSync(kept, 'utf8')).servers[remote.url];

    assert.equal(await remote.printed(['logout'], {}), `signed out at ${remote.url}`);
    assert.deepEqual(JSON.parse(readFileSync(kept, 'utf8')).servers, {});
    assert.deepEqual(await remote.refused(['infra', 'list'], {}), [
      3,
      'there is no server: start one with "turnsole server", or sign in with "turnsole remote login URL" [NOT_SIGNED_IN]',
    ]);
    const [code, over] = await remote.refused(['infra', 'list'], remote.as(token));
    // REST in our words, GraphQL in those of ChaosCenter.
    assert.deepEqual([code, over], [3, `URL: invalid Token: its session is over; ${GIVEN}`]);
    assert.deepEqual(await remote.refused(['logout'], {}), [
      3,
      'you are not signed in there [NOT_SIGNED_IN]',
    ]);
  });

  test('by a token, which is tried first', async () => {
    const remote = await RemoteScene.start(database);
    const login = (token: string): readonly string[] => ['login', remote.url, '--token', token];
    assert.match(await remote.printed(login(remote.scene.owner.token), {}), / as olga; kept in /);
    assert.match(await remote.printed(['project', 'list'], {}), /^project .* 1 /m);
    assert.deepEqual(await remote.refused(login('made-up'), {}), [
      2,
      'URL: this token is not valid there [REMOTE_REFUSED]',
    ]);
    // What was kept before is kept.
    await remote.printed(['project', 'list'], {});
  });

  test('is refused with a wrong password or name, and keeps nothing', async () => {
    const remote = await RemoteScene.start(database);
    await remote.setPassword('olga', PASSWORD);
    for (const [username, password] of [
      ['olga', 'wrong'],
      ['nobody', PASSWORD],
    ] as const) {
      const login = ['login', remote.url, '--username', username];
      assert.deepEqual(await remote.refused(login, { TURNSOLE_PASSWORD: password }), [
        2,
        `URL: ${username} cannot sign in with this password [REMOTE_REFUSED]`,
      ]);
    }
    assert.equal(existsSync(join(remote.home, '.config')), false);
  });

  test('with a password that has to be replaced says so', async () => {
    const remote = await RemoteScene.start(database);
    await remote.setPassword('olga', PASSWORD, true);
    const login = ['login', remote.url, '--username', 'olga'];
    assert.match(
      await remote.printed(login, { TURNSOLE_PASSWORD: PASSWORD }),
      /\nthis password has to be replaced before anything else: on the page at http/,
    );
    assert.deepEqual(await remote.refused(['infra', 'list'], {}), [
      2,
      'URL: choose a password of your own first: POST /update/password [REMOTE_REFUSED]',
    ]);
  });

  test('says where there is no server, and which addresses are none', async () => {
    const remote = await RemoteScene.start(database);
    const signedIn = ['login', remote.url, '--token', remote.scene.owner.token];
    await remote.printed(signedIn, {});
    await remote.scene.server.stop();
    const silent = /^URL does not answer: connect ECONNREFUSED .*\[REMOTE_UNREACHABLE\]$/;
    for (const args of [['infra', 'list'], signedIn, ['login', remote.url]]) {
      const [code, message] = await remote.refused(args, { TURNSOLE_PASSWORD: PASSWORD });
      assert.equal(code, 3);
      assert.match(message, silent);
    }
    const [code, message] = await remote.refused(['logout'], {});
    assert.equal(code, 3);
    assert.match(message, /the sign-in is forgotten here, and its session lives until it expires/);
    assert.deepEqual(await remote.refused(['logout'], {}), [
      3,
      'you are not signed in there [NOT_SIGNED_IN]',
    ]);
    assert.deepEqual(await remote.refused(['login', 'chaos.example.com'], {}), [
      2,
      'address of a control plane: expected http://… or https://…, found "chaos.example.com" [OPTION_INVALID]',
    ]);
  });

  test('a session that has expired, or was never one, is over for every command; signing out of it is no error', async () => {
    const remote = await RemoteScene.start(database);
    const { owner, server } = remote.scene;
    await remote.printed(['login', remote.url, '--token', owner.token], {});
    const { jti: session } = decodeJwt(owner.token);
    assert.ok(session !== undefined);
    const { id: uid, username } = owner;
    const expired = await server.plane.tokens.sign({
      uid,
      role: 'user',
      username,
      session,
      expiresAt: 1_000,
    });
    for (const [token, why] of [
      [expired, 'it has expired'],
      ['made-up', 'it is none of this server'],
    ] as const) {
      for (const args of [
        ['infra', 'list'],
        ['user', 'list'],
        ['experiment', 'show', 'shop'],
      ]) {
        const said = `URL: invalid Token: ${why}; ${GIVEN}`;
        assert.deepEqual(await remote.refused(args, remote.as(token)), [3, said]);
      }
    }
    await server.plane.store.transaction(ACCOUNTS, ({ db }) => db.deleteFrom('sessions').execute());
    assert.deepEqual(await remote.refused(['user', 'list'], {}), [
      3,
      `URL: invalid Token: its session is over; ${KEPT}`,
    ]);
    assert.equal(await remote.printed(['logout'], {}), `signed out at ${remote.url}`);
  });
});
