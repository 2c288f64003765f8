import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TestServer } from '../../server/testing/test-server.ts';
import { describeOnDatabases } from '../../store/testing/databases.ts';

/** A token whose signature differs in its first character: the last has bits that do not count. */
function otherSignature(token: string): string {
  const at = token.lastIndexOf('.') + 1;
  return token.slice(0, at) + (token[at] === 'A' ? 'B' : 'A') + token.slice(at + 1);
}

describeOnDatabases('GraphQL over HTTP', (database) => {
  test('what cannot be executed is answered as clients expect', async () => {
    const { app } = await TestServer.start(database);
    const post = (payload: object | string) =>
      app.inject({ method: 'POST', url: '/query', payload, headers: { 'content-type': 'application/json' } });
    const cases = [
      ['{', 400, /JSON/],
      [[], 400, /no JSON object/],
      [{}, 400, /query is missing/],
      [{ query: 1 }, 400, /query is missing, or no text/],
      [{ query: '{ x }', variables: [] }, 400, /variables is no object/],
      [{ query: '{' }, 422, /Syntax Error/],
      [{ query: '{ nothing }' }, 422, /Cannot query field/],
      [{ query: '{ __schema { types { name } } }' }, 422, /introspection/],
      [{ query: 'query A { __typename } query B { __typename }' }, 422, /operationName names none/],
    ] as const;
    for (const [payload, status, words] of cases) {
      const reply = await post(payload as object);
      assert.equal(reply.statusCode, status, reply.body);
      assert.match(reply.body, words);
    }
  });

  test('GET answers queries and refuses mutations', async () => {
    const { app } = await TestServer.start(database);
    const get = (query: string) => app.inject({ method: 'GET', url: '/api/query', query: { query } });

    assert.deepEqual((await get('{ __typename }')).json(), { data: { __typename: 'Query' } });
    const refused = await get('mutation { deleteEnvironment(projectID: "p", environmentID: "e") }');
    assert.equal(refused.statusCode, 405);
  });

  test('introspection is for those who are signed in', async () => {
    const server = await TestServer.start(database);
    const user = await server.user('ines');

    const { data } = await server.graphql('{ __schema { queryType { name } } }', {}, user);
    assert.deepEqual(data, { __schema: { queryType: { name: 'Query' } } });
  });

  test('a token that was revoked, belongs to no user or has expired is refused', async () => {
    const server = await TestServer.start(database);
    const [gone, off] = [await server.user('gone'), await server.user('off')];
    const p = await server.project([
      [gone, 'Owner'],
      [off, 'Owner'],
    ]);
    await server.plane.store.transaction('accounts', async ({ db, now }) => {
      await db.deleteFrom('sessions').where('user_id', '=', gone.id).execute();
      await db.updateTable('users').set({ deactivated_at: now }).where('id', '=', off.id).execute();
    });
    const query = `{ listEnvironments(projectID: "${p}") { totalNoOfEnvironments } }`;
    const ask = (token: string) =>
      server.app.inject({
        method: 'POST',
        url: '/query',
        payload: { query },
        headers: { authorization: token },
      });

    const revoked = await ask(`Bearer ${gone.token}`);
    assert.deepEqual(
      [revoked.statusCode, revoked.body],
      [401, 'Error verifying JWT token: Token is revoked'],
    );
    const foreign = await server.plane.tokens.sign({
      uid: 'x',
      role: 'admin',
      username: 'x',
      session: 'x',
      expiresAt: 0,
    });
    for (const [token, why] of [
      ['', 'none was sent; sign in'],
      ['Bearer', 'it is none of this server; sign in again'],
      ['x', 'it is none of this server; sign in again'],
      [otherSignature(off.token), 'it is none of this server; sign in again'],
      [`Bearer ${off.token}`, 'its session is over; sign in again'],
      [foreign, 'it has expired; sign in again'],
    ] as const) {
      const [{ message, extensions }] = (await ask(token)).json().errors;
      assert.deepEqual([message, extensions.code], [`invalid Token: ${why}`, 'unauthenticated']);
      const { statusCode, body } = await server.app.inject({
        url: '/users',
        headers: { authorization: token },
      });
      const refusal = { error: 'unauthorized', errorDescription: `invalid Token: ${why}` };
      assert.deepEqual([statusCode, JSON.parse(body)], [401, refusal]);
    }
    const over = await server.app.inject({
      url: '/users',
      headers: { authorization: `Bearer ${gone.token}` },
    });
    assert.deepEqual(over.json(), {
      error: 'unauthorized',
      errorDescription: 'invalid Token: its session is over; sign in again',
    });
  });

  test('what the server did not foresee is masked, and logged under an ID', async () => {
    const server = await TestServer.start(database);
    const owner = await server.user('olga');
    const p = await server.project([[owner, 'Owner']]);
    await server.plane.store.transaction('accounts', (tx) =>
      tx.db.schema.dropTable('environments').execute(),
    );

    const { errors, data } = await server.graphql(
      `{ listEnvironments(projectID: "${p}") { totalNoOfEnvironments } }`,
      {},
      owner,
    );
    assert.match(
      errors[0]?.message ?? '',
      /^internal error; the server's log says more under [0-9a-f-]{36}$/,
    );
    assert.doesNotMatch(JSON.stringify({ errors, data }), /environments"|table|relation/);
  });

  test("a browser is let in from the server's own page only", async () => {
    const { app } = await TestServer.start(database);
    const ask = (origin: string) =>
      app.inject({
        method: 'POST',
        url: '/query',
        payload: { query: '{ __typename }' },
        headers: { origin, host: 'here' },
      });

    assert.equal((await ask('http://here')).statusCode, 200);
    const foreign = await ask('http://there');
    assert.deepEqual([foreign.statusCode, foreign.json()], [403, { error: 'Invalid origin' }]);
  });
});
