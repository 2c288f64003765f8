import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startTestServer } from '@turnsole/kube/testing/http-server';
import { startGitServer } from '../remote/testing/git-server.ts';
import { TestServer, type TestUser } from '../server/testing/test-server.ts';
import { describeOnDatabases, type TestDatabase } from '../store/testing/databases.ts';
import { DEFAULT_HUB_ID } from './default-hub.ts';
import { zipOf } from './testing/zip.ts';

const FAULT = 'faults/k/a/fault.yaml';
const ICON = '<svg xmlns="http://www.w3.org/2000/svg"/>';
const FILES = {
  [FAULT]: 'one',
  'faults/k/icons/a.svg': ICON,
  'experiments/e/experiment.yaml': 'kind: Workflow',
};
const MASK = '********';

const HUB = 'id name repoURL hubType authType userName token password sshPrivateKey lastSyncedAt isDefault';
const ADD = `mutation ($p: ID!, $r: CreateChaosHubRequest!) { addChaosHub(projectID: $p, request: $r) { ${HUB} } }`;
const SAVE = `mutation ($p: ID!, $r: CreateChaosHubRequest!) { saveChaosHub(projectID: $p, request: $r) { ${HUB} } }`;
const UPDATE = `mutation ($p: ID!, $r: UpdateChaosHubRequest!) { updateChaosHub(projectID: $p, request: $r) { ${HUB} } }`;
const REMOTE = `mutation ($p: ID!, $r: CreateRemoteChaosHub!) { addRemoteChaosHub(projectID: $p, request: $r) { ${HUB} } }`;
const SYNC = 'mutation ($p: ID!, $id: ID!) { syncChaosHub(projectID: $p, id: $id) }';
const DELETE = 'mutation ($p: ID!, $id: ID!) { deleteChaosHub(projectID: $p, hubID: $id) }';
const LIST = `query ($p: ID!, $r: ListChaosHubRequest) {
  listChaosHub(projectID: $p, request: $r) { ${HUB} isAvailable totalFaults totalExperiments lastError }
}`;
const FAULTS =
  'query ($p: ID!, $id: ID!) { listChaosFaults(projectID: $p, hubID: $id) { metadata { name } spec { faults { name } } } }';
const FAULT_OF = `query ($p: ID!, $id: String!, $c: String!, $n: String!) {
  getChaosFault(projectID: $p, request: { hubID: $id, category: $c, experimentName: $n }) { fault engine csv }
}`;

function request(repoURL: string, more: object = {}): object {
  return {
    name: 'mine',
    repoURL,
    repoBranch: 'main',
    remoteHub: 'git',
    isPrivate: false,
    authType: 'NONE',
    ...more,
  };
}

interface Place {
  readonly server: TestServer;
  readonly owner: TestUser;
  readonly p: string;
  /** Data of a document's one field. */
  run(query: string, variables?: object, user?: TestUser): Promise<never>;
  /** Message and code of its one error. */
  refused(query: string, variables?: object, user?: TestUser): Promise<readonly [string, string | undefined]>;
}

async function place(database: TestDatabase): Promise<Place> {
  const server = await TestServer.start(database);
  const owner = await server.user('olga');
  const p = await server.project([[owner, 'Owner']]);
  return {
    server,
    owner,
    p,
    run: async (query, variables = {}, user = owner) =>
      Object.values(await server.data(query, { p, ...variables }, user))[0] as never,
    refused: async (query, variables = {}, user = owner) => {
      const { errors } = await server.graphql(query, { p, ...variables }, user);
      assert.equal(errors.length, 1, JSON.stringify(errors));
      return [errors[0]?.message ?? '', errors[0]?.extensions?.code];
    },
  };
}

describeOnDatabases('hubs', (database) => {
  test('the default hub is there without a network: listChaosHub, getChaosHub, getChaosHubStats, listChaosFaults, getChaosFault, listPredefinedExperiments, getPredefinedExperiment, GET /icon/default/:hubName/:chartName/:iconName', async () => {
    const { run, refused, server } = await place(database);
    const [hub, ...others]: readonly Record<string, unknown>[] = await run(LIST);
    assert.deepEqual(
      [hub?.id, hub?.isDefault, hub?.isAvailable, hub?.hubType, others.length],
      [DEFAULT_HUB_ID, true, true, 'GIT', 0],
    );
    assert.ok(Number(hub?.totalFaults) >= 41 && Number(hub?.totalExperiments) >= 5);
    const id = DEFAULT_HUB_ID;
    const one: Record<string, unknown> = await run(
      'query ($p: ID!, $id: ID!) { getChaosHub(projectID: $p, chaosHubID: $id) { name } }',
      { id },
    );
    assert.equal(one.name, hub?.name);
    assert.deepEqual(await run('query ($p: ID!) { getChaosHubStats(projectID: $p) { totalChaosHubs } }'), {
      totalChaosHubs: 1,
    });
    const charts: readonly { metadata: { name: string } }[] = await run(FAULTS, { id });
    assert.ok(charts.some(({ metadata }) => metadata.name === 'kubernetes'));
    const fault: Record<string, string> = await run(FAULT_OF, { id, c: 'kubernetes', n: 'pod-delete' });
    assert.match(fault.engine ?? '', /kind: ChaosEngine/);
    const list =
      'query ($p: ID!, $id: ID!) { listPredefinedExperiments(projectID: $p, hubID: $id) { experimentName } }';
    const names: readonly { experimentName: string }[] = await run(list, { id });
    assert.ok(names.some(({ experimentName }) => experimentName === 'pods-die'));
    const get =
      'query ($p: ID!, $id: ID!, $n: [String!]!) { getPredefinedExperiment(projectID: $p, hubID: $id, experimentName: $n) { experimentName experimentCSV experimentManifest } }';
    const [experiment]: readonly Record<string, string>[] = await run(get, {
      id,
      n: ['pods-die', '../../x', 'none'],
    });
    assert.match(experiment?.experimentManifest ?? '', /kind: Workflow/);
    for (const [query, variables] of [
      [SYNC, { id }],
      [DELETE, { id }],
      [UPDATE, { r: { ...request('https://x/y'), id } }],
    ] as const)
      assert.deepEqual((await refused(query, variables))[1], 'forbidden');
    const icon = await server.app.inject({ url: '/icon/default/any/kubernetes/pod-delete.png' });
    assert.deepEqual([icon.statusCode, icon.headers['content-type']], [200, 'image/svg+xml']);
    assert.match(String(icon.headers['content-security-policy']), /sandbox/);
    assert.equal(
      (await server.app.inject({ url: '/icon/default/any/..%2f..%2f..%2fpackage/x.png' })).statusCode,
      404,
    );
    assert.equal(
      (await server.app.inject({ url: '/icon/default/any/predefined/pods-die.png' })).statusCode,
      200,
    );
  });

  test('addChaosHub, syncChaosHub, deleteChaosHub: a repository becomes a hub, follows it, and goes', async () => {
    await using git = await startGitServer();
    await git.commit(FILES);
    const { run, refused, server } = await place(database);
    const made: Record<string, string> = await run(ADD, { r: request(git.url) });
    const { id } = made;
    const [, hub]: readonly Record<string, unknown>[] = await run(LIST);
    assert.deepEqual(
      [hub?.id, hub?.isAvailable, hub?.totalFaults, hub?.totalExperiments, hub?.lastError],
      [id, true, '1', '1', null],
    );
    assert.ok(Number(hub?.lastSyncedAt) > 0);
    assert.deepEqual(await run(FAULTS, { id }), [
      { metadata: { name: 'k' }, spec: { faults: [{ name: 'a' }] } },
    ]);
    assert.deepEqual(await run(FAULT_OF, { id, c: 'k', n: 'a' }), { fault: 'one', engine: '', csv: '' });

    await git.commit({ [FAULT]: 'two', 'faults/k/b/fault.yaml': 'x' });
    assert.equal(await run(SYNC, { id }), 'Successfully synced ChaosHub');
    assert.deepEqual(await run(FAULT_OF, { id, c: 'k', n: 'a' }), { fault: 'two', engine: '', csv: '' });
    const [, again]: readonly Record<string, unknown>[] = await run(LIST);
    assert.equal(again?.totalFaults, '2');

    assert.equal(await run(DELETE, { id }), true);
    assert.equal(((await run(LIST)) as readonly unknown[]).length, 1);
    assert.deepEqual(await refused(FAULTS, { id }), [`no hub ${id} in this project`, 'not-found']);
    const rows = await server.plane.store.read
      .selectFrom('audit')
      .select('operation')
      .orderBy('seq')
      .execute();
    assert.deepEqual(
      rows.map(({ operation }) => operation),
      ['addChaosHub', 'syncChaosHub', 'deleteChaosHub'],
    );
  });

  test('GET /icon/:project_id/:hubName/:chartName/:iconName: pictures of a project’s hub are for its members', async () => {
    await using git = await startGitServer();
    await git.commit(FILES);
    const { run, server, owner, p } = await place(database);
    await run(ADD, { r: request(git.url) });
    const stranger = await server.user('stranger');
    const get = (user: TestUser | undefined, path: string) =>
      server.app.inject({
        url: `/icon/${p}/${path}`,
        headers: user === undefined ? {} : { authorization: user.token },
      });
    const mine = await get(owner, 'mine/k/a.png');
    assert.deepEqual(
      [mine.statusCode, mine.body, mine.headers['x-content-type-options']],
      [200, ICON, 'nosniff'],
    );
    assert.equal((await get(stranger, 'mine/k/a.png')).statusCode, 403);
    assert.equal((await get(undefined, 'mine/k/a.png')).statusCode, 401);
    for (const path of ['other/k/a.png', 'mine/k/b.png', 'mine/..%2f..%2fk/a.png'])
      assert.equal((await get(owner, path)).statusCode, 404, path);
  });

  test('secrets are sealed in the database and shown as a mask, which means: as it was', async () => {
    await using git = await startGitServer({ login: 'litmus:tok-1234' });
    await git.commit(FILES);
    const { run, refused, server } = await place(database);
    const made: Record<string, string> = await run(ADD, {
      r: request(git.url, { authType: 'TOKEN', token: 'tok-1234', isPrivate: true }),
    });
    assert.deepEqual([made.token, made.password, made.authType], [MASK, null, 'TOKEN']);
    const { id } = made;
    const stored = JSON.stringify(await server.plane.store.read.selectFrom('hubs').selectAll().execute());
    const audited = JSON.stringify(await server.plane.store.read.selectFrom('audit').selectAll().execute());
    assert.ok(!stored.includes('tok-1234') && !audited.includes('tok-1234'));

    const renamed: Record<string, string> = await run(UPDATE, {
      r: { ...request(git.url, { name: 'new', authType: 'TOKEN', token: MASK }), id },
    });
    assert.deepEqual([renamed.name, renamed.token], ['new', MASK]);
    assert.equal(await run(SYNC, { id }), 'Successfully synced ChaosHub');

    // Another server would be sent the secret.
    const elsewhere = git.url.replace('127.0.0.1', 'localhost');
    const moved = { ...request(elsewhere, { name: 'new', authType: 'TOKEN' }), id };
    assert.match((await refused(UPDATE, { r: moved }))[0], /^token is missing/);
    assert.equal(
      (await git.authorizations).every(
        (one) => one === `Basic ${Buffer.from('litmus:tok-1234').toString('base64')}`,
      ),
      true,
    );
    const wrong = {
      ...request(git.url, { name: 'new', authType: 'BASIC', userName: 'litmus', password: 'wrong-pass' }),
      id,
    };
    const [sentence, code] = await refused(UPDATE, { r: wrong });
    assert.equal(code, 'unavailable');
    assert.ok(!sentence.includes('wrong-pass'), sentence);
    assert.equal(await run(SYNC, { id }), 'Successfully synced ChaosHub');
  });

  test('updateChaosHub: another branch takes the place of the first when it can be read, and not otherwise', async () => {
    await using git = await startGitServer();
    await git.commit(FILES);
    await git.commit({ [FAULT]: 'next' }, { branch: 'next' });
    const { run, refused } = await place(database);
    const { id }: Record<string, string> = await run(ADD, { r: request(git.url) });
    assert.equal(
      (await refused(UPDATE, { r: { ...request(git.url, { repoBranch: 'none' }), id } }))[1],
      'unavailable',
    );
    assert.deepEqual(await run(FAULT_OF, { id, c: 'k', n: 'a' }), { fault: 'one', engine: '', csv: '' });
    await run(UPDATE, { r: { ...request(git.url, { repoBranch: 'next', description: 'd' }), id } });
    assert.deepEqual(await run(FAULT_OF, { id, c: 'k', n: 'a' }), { fault: 'next', engine: '', csv: '' });
  });

  test('saveChaosHub stores without reading; a hub that cannot be read says why and is read when it can be', async () => {
    await using git = await startGitServer();
    const { run, refused } = await place(database);
    const { id }: Record<string, string> = await run(SAVE, { r: request(git.url) });
    assert.deepEqual(git.requests, []);
    const [message, code] = await refused(FAULTS, { id });
    assert.match(message, /^hub mine cannot be read: /);
    assert.equal(code, 'unavailable');
    const [, hub]: readonly Record<string, unknown>[] = await run(LIST);
    assert.equal(hub?.isAvailable, false);
    assert.match(String(hub?.lastError), /main/);
    await git.commit(FILES);
    assert.deepEqual(await run(FAULTS, { id }), [
      { metadata: { name: 'k' }, spec: { faults: [{ name: 'a' }] } },
    ]);
    const bad: Record<string, string> = await run(ADD, {
      r: request(git.url, { name: 'bad', repoBranch: 'none' }),
    });
    assert.equal(bad.name, 'bad', 'as with upstream, a hub that cannot be read is added all the same');
  });

  test('addRemoteChaosHub: a zip file becomes a hub; a file of another type is refused in upstream’s words', async () => {
    let type = 'application/zip';
    await using files = await startTestServer((_request, response) => {
      response.writeHead(200, { 'content-type': type }).end(zipOf([{ name: FAULT, content: 'zipped' }]));
    });
    const { run, refused } = await place(database);
    const r = { name: 'zip', repoURL: files.url, remoteHub: 'zip' };
    const { id, hubType }: Record<string, string> = await run(REMOTE, { r });
    assert.equal(hubType, 'REMOTE');
    assert.deepEqual(await run(FAULT_OF, { id, c: 'k', n: 'a' }), { fault: 'zipped', engine: '', csv: '' });
    type = 'text/html';
    const [message] = await refused(REMOTE, { r: { ...r, name: 'other' } });
    assert.equal(
      message,
      'Hub configurations saved successfully. Failed to connect the remote repo: err: Invalid file type text/html',
    );
  });

  test('names occur once, lists can be filtered, and addresses are checked', async () => {
    await using git = await startGitServer();
    const { run, refused } = await place(database);
    await run(SAVE, { r: request(git.url, { name: 'First', tags: ['x'], description: 'about pods' }) });
    await run(SAVE, { r: request(git.url, { name: 'Second' }) });
    assert.deepEqual(await refused(SAVE, { r: request(git.url, { name: 'first' }) }), [
      'name already exists',
      'conflict',
    ]);
    assert.deepEqual(await refused(SAVE, { r: request(git.url, { name: 'Litmus ChaosHub' }) }), [
      'name already exists',
      'conflict',
    ]);
    const names = async (r: object): Promise<string[]> =>
      ((await run(LIST, { r })) as { name: string }[]).map(({ name }) => name);
    assert.deepEqual(await names({ filter: { chaosHubName: 'first' } }), ['First']);
    assert.deepEqual(await names({ filter: { tags: ['x'] } }), ['First']);
    assert.deepEqual(await names({ filter: { description: 'PODS' } }), ['First']);
    assert.deepEqual(await names({ chaosHubIDs: [DEFAULT_HUB_ID] }), ['Litmus ChaosHub']);
    for (const url of ['/etc', 'file:///etc', 'ext::sh -c id', '--upload-pack=id', 'https://u:p@host/r'])
      assert.equal((await refused(SAVE, { r: request(url, { name: 'x' }) }))[1], 'invalid', url);
    for (const more of [
      { name: '../x' },
      { name: ' ' },
      { repoBranch: '--x' },
      { authType: 'SSH' },
      { tags: Array.from({ length: 51 }, () => 'x') },
    ])
      assert.equal(
        (await refused(SAVE, { r: request(git.url, { name: 'x', ...more }) }))[1],
        'invalid',
        JSON.stringify(more),
      );
    for (const [c, n] of [
      ['..', 'x'],
      ['kubernetes', '../../x'],
      ['', 'x'],
    ])
      assert.equal((await refused(FAULT_OF, { id: DEFAULT_HUB_ID, c, n }))[1], 'invalid');
  });

  test('a hub of another project looks like one that is missing, and others than owners change nothing', async () => {
    await using git = await startGitServer();
    const { run, refused, server, p } = await place(database);
    const { id }: Record<string, string> = await run(SAVE, { r: request(git.url) });
    const other = await server.user('other');
    const foreign = await server.project([[other, 'Owner']]);
    for (const [query, variables] of [
      [FAULTS, {}],
      [SYNC, {}],
      [DELETE, {}],
      [FAULT_OF, { c: 'k', n: 'a' }],
      [UPDATE, { r: { ...request(git.url), id } }],
    ] as const)
      assert.deepEqual(await refused(query, { ...variables, id, p: foreign }, other), [
        `no hub ${id} in this project`,
        'not-found',
      ]);
    const viewer = await server.user('viewer');
    const { data } = await server.graphql(LIST, { p }, viewer);
    assert.equal(data, null);
  });

  test('generateSSHKey gives a pair of keys', async () => {
    const { run } = await place(database);
    const keys: Record<string, string> = await run('mutation { generateSSHKey { publicKey privateKey } }');
    assert.match(keys.publicKey ?? '', /^ssh-rsa [A-Za-z0-9+/=]+\n$/);
    assert.match(keys.privateKey ?? '', /^-----BEGIN RSA PRIVATE KEY-----/);
  });
});
