import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TestServer, type TestUser } from '../server/testing/test-server.ts';
import { describeOnDatabases } from '../store/testing/databases.ts';

const JSON_TYPE = { 'content-type': 'application/json' };
const PASSWORD = 'First@1234';

/** Sends a body as it is, with these headers. */
function send(
  server: TestServer,
  url: string,
  payload: string | undefined,
  headers: object,
  user?: TestUser,
) {
  const authorization = user === undefined ? {} : { authorization: `Bearer ${user.token}` };
  return server.app.inject({
    method: 'POST',
    url,
    headers: { ...headers, ...authorization },
    ...(payload !== undefined && { payload }),
  });
}

describeOnDatabases('requests as the clients of ChaosCenter send them', (database) => {
  test('operations without a body take one that is absent, empty or of anything, under a JSON content type', async () => {
    const server = await TestServer.start(database);
    for (const payload of [undefined, '', '{}', '{"any":"thing"}']) {
      const user = await server.user(`olga${String(payload)}`);
      const p = await server.project([[user, 'Owner']]);
      const deleted = await send(server, `/auth/delete_project/${p}`, payload, JSON_TYPE, user);
      assert.equal(deleted.statusCode, 200, deleted.body);
      const out = await send(server, '/auth/logout', payload, JSON_TYPE, user);
      assert.equal(out.statusCode, 200, out.body);
      const after = await server.rest('GET', '/list_projects', undefined, user);
      assert.equal(after.status, 401, 'the session is over');
    }
  });

  test('operations with a body say which field an empty one lacks', async () => {
    const server = await TestServer.start(database);
    const reply = await send(server, '/auth/login', '', JSON_TYPE);
    assert.deepEqual([reply.statusCode, reply.json().errorDescription], [400, 'username is missing']);
  });

  test('every field of the structure that upstream decodes a body into may be sent', async () => {
    const server = await TestServer.start(database);
    const admin = await server.user('boss', 'admin');
    const audit = { createdAt: 0, updatedAt: 0, createdBy: {}, updatedBy: {}, isRemoved: false };
    const user = {
      ...audit,
      userID: '',
      username: 'carol',
      password: PASSWORD,
      salt: '',
      role: 'user',
      isInitialLogin: false,
    };
    const created = await server.rest('POST', '/create_user', user, admin);
    assert.equal(created.status, 200, JSON.stringify(created.body));
    const reset = { username: 'carol', oldPassword: '', newPassword: PASSWORD };
    assert.equal((await server.rest('POST', '/reset/password', reset, admin)).status, 200);
    const login = await server.rest('POST', '/login', user);
    assert.equal(login.status, 200, JSON.stringify(login.body));
    const unknown = await server.rest('POST', '/login', { ...user, admin: true });
    assert.deepEqual([unknown.status, unknown.body.errorDescription], [400, 'admin is unknown']);
  });

  test('names are matched without regard to case, an exact one before others', async () => {
    const server = await TestServer.start(database);
    const admin = await server.user('boss', 'admin');
    const user = { Username: 'dora', PASSWORD, ROLE: 'user', Email: '', username: 'erik' };
    const created = await server.rest('POST', '/create_user', user, admin);
    // Username stands beside username, so that it is a name of its own, which is unknown.
    assert.deepEqual([created.status, created.body.errorDescription], [400, 'Username is unknown']);
    const { username: _, ...folded } = user;
    assert.equal((await server.rest('POST', '/create_user', folded, admin)).status, 200);
    assert.equal((await server.rest('POST', '/login', { userName: 'dora', passWord: PASSWORD })).status, 200);
    const named = await server.rest('POST', '/create_project', { ProjectName: 'x' }, admin);
    assert.equal(named.status, 200, JSON.stringify(named.body));
  });

  test('a folded name is authorised and used alike', async () => {
    const server = await TestServer.start(database);
    const [owner, other] = [await server.user('owner'), await server.user('other')];
    const [own, foreign] = [
      await server.project([[owner, 'Owner']]),
      await server.project([[other, 'Owner']]),
    ];
    const rename = (body: object) => server.rest('POST', '/update_project_name', body, owner);
    assert.equal((await rename({ PROJECTID: own, projectName: 'mine' })).status, 200);
    assert.equal((await rename({ PROJECTID: foreign, projectName: 'mine' })).status, 403);
    const both = await rename({ PROJECTID: own, projectID: foreign, projectName: 'mine' });
    assert.equal(both.status, 403, JSON.stringify(both.body));
  });

  test('bodies of REST are JSON whatever their content type says; those of GraphQL need it', async () => {
    const server = await TestServer.start(database);
    const admin = await server.user('boss', 'admin');
    await server.rest('POST', '/create_user', { username: 'finn', password: PASSWORD, role: 'user' }, admin);
    const body = JSON.stringify({ username: 'finn', password: PASSWORD });
    for (const type of [
      undefined,
      'application/x-www-form-urlencoded',
      'text/plain',
      'application/JSON; charset=utf-8',
    ]) {
      const reply = await send(
        server,
        '/auth/login',
        body,
        type === undefined ? {} : { 'content-type': type },
      );
      assert.equal(reply.statusCode, 200, `${type}: ${reply.body}`);
    }
    const broken = await send(server, '/auth/login', 'username=finn', { 'content-type': 'text/plain' });
    assert.equal(broken.statusCode, 400, broken.body);
    const proto = await send(server, '/auth/login', '{"__proto__":{"username":"finn"}}', JSON_TYPE);
    assert.equal(proto.statusCode, 400, proto.body);
    const query = await send(server, '/query', '{"query":"{ __typename }"}', {
      'content-type': 'text/plain',
    });
    assert.equal(query.statusCode, 400, query.body);
  });

  test('doubled slashes are one', async () => {
    const server = await TestServer.start(database);
    const query = await send(server, '//api//query', '{"query":"{ __typename }"}', JSON_TYPE);
    assert.deepEqual(query.json(), { data: { __typename: 'Query' } });
    assert.equal((await server.app.inject({ url: '//auth//status' })).statusCode, 200);
  });

  test('the envelope of GraphQL has its names in any case, and may leave the name of the operation empty', async () => {
    const server = await TestServer.start(database);
    const user = await server.user('olga');
    const p = await server.project([[user, 'Owner']]);
    const query = 'query list($p: ID!) { listEnvironments(projectID: $p) { totalNoOfEnvironments } }';
    for (const envelope of [
      { query, Variables: { p } },
      { Query: query, VARIABLES: { p }, OperationName: 'list' },
      { query, variables: { p }, operationName: '', extensions: null },
    ]) {
      const reply = await send(server, '/query', JSON.stringify(envelope), JSON_TYPE, user);
      assert.deepEqual(reply.json(), { data: { listEnvironments: { totalNoOfEnvironments: 0 } } });
    }
  });

  test('numbers for texts and texts for numbers are taken in variables; other wrong variables are 422', async () => {
    const server = await TestServer.start(database);
    const user = await server.user('olga');
    const p = await server.project([[user, 'Owner']]);
    const query =
      'query l($p: ID!, $r: ListEnvironmentRequest) { listEnvironments(projectID: $p, request: $r) { totalNoOfEnvironments } }';
    const ask = (request: object) =>
      send(server, '/query', JSON.stringify({ query, variables: { p, r: request } }), JSON_TYPE, user);
    const taken = await ask({ pagination: { page: '0', limit: '5' }, environmentIDs: [6] });
    assert.deepEqual(taken.json(), { data: { listEnvironments: { totalNoOfEnvironments: 0 } } });
    const wrong = await ask({ pagination: { page: 'first', limit: 5 } });
    assert.equal(wrong.statusCode, 422, wrong.body);
    assert.match(wrong.body, /Int cannot represent non-integer value/);
  });
});
