import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { serverContext } from '../access/context.ts';
import { startGitServer } from '../remote/testing/git-server.ts';
import { TestServer } from '../server/testing/test-server.ts';
import { describeOnDatabases } from '../store/testing/databases.ts';
import { libraryOf } from './copies.ts';
import { refreshHubs } from './refresh-hubs.ts';

const FAULT = 'faults/k/a/fault.yaml';
const ADD =
  'mutation ($p: ID!, $r: CreateChaosHubRequest!) { addChaosHub(projectID: $p, request: $r) { id } }';
const SYNC = 'mutation ($p: ID!, $id: ID!) { syncChaosHub(projectID: $p, id: $id) }';
const GET = `query ($p: ID!, $id: String!) {
  getChaosFault(projectID: $p, request: { hubID: $id, category: "k", experimentName: "a" }) { fault }
}`;
const STATES = 'query ($p: ID!) { listChaosHub(projectID: $p) { id lastError } }';

describeOnDatabases('copies of hubs', (database) => {
  test('a replica fetches a hub that it lacks, and follows what a second replica has fetched', async () => {
    await using git = await startGitServer();
    await git.commit({ [FAULT]: 'one' });
    const secretKey = randomBytes(32);
    const first = await TestServer.start(database, { secretKey });
    const second = await TestServer.start(database, { secretKey, location: first.location });
    const owner = await first.user('olga');
    const p = await first.project([[owner, 'Owner']]);
    const r = {
      name: 'mine',
      repoURL: git.url,
      repoBranch: 'main',
      remoteHub: 'git',
      isPrivate: false,
      authType: 'NONE',
    };
    const { id } = (await first.data(ADD, { p, r }, owner)).addChaosHub as { id: string };
    const read = async (server: TestServer): Promise<string> =>
      ((await server.data(GET, { p, id }, owner)).getChaosFault as { fault: string }).fault;
    assert.equal(await read(second), 'one');

    await git.commit({ [FAULT]: 'two' });
    await first.data(SYNC, { p, id }, owner);
    assert.equal(await read(first), 'two');
    assert.equal(await read(second), 'one', 'what it has is given at once');
    await libraryOf(second.plane).settled(id);
    assert.equal(await read(second), 'two');
  });

  test('the duty reads all hubs again; one that cannot be read says so and does not keep the others', async () => {
    await using git = await startGitServer();
    await git.commit({ [FAULT]: 'one' });
    await git.commit({ [FAULT]: 'one' }, { branch: 'gone' });
    const server = await TestServer.start(database);
    const owner = await server.user('olga');
    const p = await server.project([[owner, 'Owner']]);
    const ids: string[] = [];
    for (const repoBranch of ['gone', 'main']) {
      const r = {
        name: repoBranch,
        repoURL: git.url,
        repoBranch,
        remoteHub: 'git',
        isPrivate: false,
        authType: 'NONE',
      };
      ids.push(((await server.data(ADD, { p, r }, owner)).addChaosHub as { id: string }).id);
    }
    await git.git('update-ref', '-d', 'refs/heads/gone');
    await git.commit({ [FAULT]: 'two' });
    await refreshHubs(serverContext(server.plane, 'read hubs again'));
    const { listChaosHub } = await server.data(STATES, { p }, owner);
    const errors = new Map(
      (listChaosHub as { id: string; lastError: string | null }[]).map((hub) => [hub.id, hub.lastError]),
    );
    assert.match(errors.get(ids[0] ?? '') ?? '', /gone/);
    assert.equal(errors.get(ids[1] ?? ''), null);
    const fault = async (id: string | undefined) =>
      ((await server.data(GET, { p, id }, owner)).getChaosFault as { fault: string }).fault;
    assert.deepEqual([await fault(ids[0]), await fault(ids[1])], ['one', 'two'], 'the copy there was stays');
  });
});
