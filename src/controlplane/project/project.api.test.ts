import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Clock, systemClock } from '@turnsole/kube/base/clock';
import { FakeClock } from '@turnsole/kube/testing/fake-clock';
import { serverContext } from '../access/context.ts';
import { TestServer, type TestUser } from '../server/testing/test-server.ts';
import { projectScope } from '../store/store.ts';
import { describeOnDatabases } from '../store/testing/databases.ts';
import { holdUp, writersOf } from '../store/testing/held-up.ts';
import { forgetProjects } from './forget-projects.ts';

type Body = Record<string, unknown>;

/** Olga owns a project; Vera and Otto are nobody in it yet. */
async function start(database: Parameters<typeof TestServer.start>[0], clock: Clock = systemClock) {
  const server = await TestServer.start(database, { clock });
  const [olga, vera, otto] = [
    await server.user('olga'),
    await server.user('vera'),
    await server.user('otto'),
  ];
  const p = await server.project([[olga, 'Owner']]);
  const post = async (path: string, body: object, caller: TestUser) => {
    const { status, body: answer } = await server.rest('POST', path, body, caller);
    return { status, ...(answer as { message?: string; error?: string; data?: Body }) };
  };
  const get = async (path: string, caller: TestUser) =>
    (await server.rest('GET', path, undefined, caller)).body as { data?: unknown } & Body;
  const invite = (user: TestUser, role: string, caller = olga) =>
    post('/send_invitation', { projectID: p, userID: user.id, role }, caller);
  return { server, olga, vera, otto, p, post, get, invite };
}

const names = (members: unknown): string[] => (members as Body[]).map(({ username }) => String(username));

describeOnDatabases('projects', (database) => {
  test('of two owners who remove or demote each other at once, one stays', async () => {
    for (const [path, role] of [
      ['/remove_invitation', undefined],
      ['/update_member_role', 'Viewer'],
    ] as const) {
      const server = await TestServer.start(database);
      const [olga, otto] = [await server.user('olga'), await server.user('otto')];
      const p = await server.project([
        [olga, 'Owner'],
        [otto, 'Owner'],
      ]);
      const { store } = server.plane;
      const hold = await holdUp(store, [projectScope(p)]);
      const bothWrite = writersOf(store, 2);
      const against = (caller: TestUser, { id: userID }: TestUser) =>
        server.rest('POST', path, { projectID: p, userID, role }, caller);
      const asked = [against(olga, otto), against(otto, olga)];
      // Both are authorised, and wait to write.
      await bothWrite;
      await hold[Symbol.asyncDispose]();
      const statuses = (await Promise.all(asked)).map(({ status }) => status);
      assert.deepEqual(statuses.toSorted(), [200, 403], path);
      const owners = await store.read
        .selectFrom('members')
        .select('user_id')
        .where('project_id', '=', p)
        .where('role', '=', 'Owner')
        .where('invitation', '=', 'Accepted')
        .execute();
      assert.equal(owners.length, 1, path);
    }
  });

  for (const [end, table] of [
    ['removed', 'members'],
    ['signed out', 'sessions'],
  ] as const) {
    test(`what a member has asked for is not done once the member is ${end}`, async () => {
      const { server, olga, vera, p, invite } = await start(database);
      await invite(vera, 'Owner');
      await server.rest('POST', '/accept_invitation', { projectID: p }, vera);
      const { store } = server.plane;
      const hold = await holdUp(store, [projectScope(p)]);
      const ended = store.transaction(projectScope(p), ({ db }) =>
        db.deleteFrom(table).where('user_id', '=', vera.id).execute(),
      );
      const writes = writersOf(store, 1);
      const create = `mutation ($p: ID!) { createEnvironment(projectID: $p, request: { environmentID: "e", name: "e", type: PROD }) { name } }`;
      const asked = server.graphql(create, { p }, vera);
      // Authorised while she still was a member, it waits behind what ends that.
      await writes;
      await hold[Symbol.asyncDispose]();
      await ended;
      assert.equal((await asked).errors.length, 1);
      const list = `query ($p: ID!) { listEnvironments(projectID: $p) { totalNoOfEnvironments } }`;
      const { listEnvironments } = await server.data(list, { p }, olga);
      assert.deepEqual(listEnvironments, { totalNoOfEnvironments: 0 });
    });
  }

  test('POST /create_project, GET /list_projects, GET /get_owner_projects, GET /get_project/:project_id', async () => {
    const { vera, olga, p, post, get } = await start(database);
    const made = await post('/create_project', { projectName: 'shop', tags: ['a'], description: 'd' }, vera);
    const { projectID, name, state, tags, members } = made.data ?? {};
    assert.deepEqual([name, state, tags, names(members)], ['shop', 'active', ['a'], ['vera']]);
    assert.equal(
      (await post('/create_project', { projectName: 'shop' }, vera)).message,
      'project with name:shop already exists',
    );
    assert.equal(
      (await post('/create_project', { projectName: 'shop' }, olga)).status,
      200,
      'hers are others',
    );
    assert.equal((await post('/create_project', { projectName: ' ' }, vera)).error, 'invalid project name');
    for (const projectName of ['Alpha', 'beta_1']) await post('/create_project', { projectName }, vera);

    const list = async (query: string): Promise<unknown> => {
      const { data } = await get(`/list_projects?${query}`, vera);
      const { projects, totalNumberOfProjects } = data as { projects: Body[]; totalNumberOfProjects: number };
      return [totalNumberOfProjects, ...projects.map((project) => project.name)];
    };
    assert.deepEqual(await list('sortField=name&sortAscending=true'), [3, 'Alpha', 'beta_1', 'shop']);
    assert.deepEqual(await list('sortField=name&sortAscending=false&limit=1&page=1'), [3, 'beta_1']);
    assert.deepEqual(await list('projectName=a_1&createdByMe=true'), [1, 'beta_1']);
    assert.equal((await get('/list_projects?projectName=zz', vera)).message, 'No projects found');
    for (const bad of ['page=-1', 'limit=0', 'createdByMe=maybe', 'sortAscending=1', 'sortField=x', 'x=1'])
      assert.equal((await get(`/list_projects?${bad}`, vera)).error, 'invalid_request', bad);

    assert.equal(((await get('/get_owner_projects', vera)).data as Body[]).length, 3);
    const shop = (await get(`/get_project/${projectID}`, vera)).data as Body;
    assert.equal(shop.name, 'shop');
    const author = { userID: vera.id, username: 'vera', email: '' };
    assert.deepEqual([shop.createdBy, shop.updatedBy], [author, author]);
    const { data } = await get('/get_user_with_project/vera', vera);
    const { projects } = data as { projects: Body[] };
    assert.deepEqual(
      projects.map(({ createdBy }) => createdBy),
      projects.map(() => author),
    );
    assert.equal((await get(`/get_project/${p}`, vera)).error, 'unauthorized');
  });

  test('POST /send_invitation, POST /accept_invitation, POST /decline_invitation, POST /remove_invitation, POST /update_member_role, GET /list_invitations_with_filters/:invitation_state, GET /get_project_role/:project_id, GET /get_project_members/:project_id/:state, GET /get_project_owners/:project_id', async () => {
    const { olga, vera, otto, p, post, get, invite } = await start(database);
    assert.equal((await invite(vera, 'King')).error, 'invalid role');
    assert.equal((await invite({ ...vera, id: 'nobody' }, 'Viewer')).error, 'user does not exist');
    const { data } = await invite(vera, 'Viewer');
    assert.deepEqual([data?.username, data?.role, data?.invitation], ['vera', 'Viewer', 'Pending']);
    assert.equal((await invite(vera, 'Executor')).message, 'Invitation sent successfully');

    const invitations = (await get('/list_invitations_with_filters/Pending', vera)).data as Body[];
    assert.deepEqual(
      invitations.map(({ projectID, invitationRole, projectOwner }) => [
        projectID,
        invitationRole,
        (projectOwner as Body).username,
      ]),
      [[p, 'Executor', 'olga']],
    );
    assert.equal((await get(`/get_project/${p}`, vera)).error, 'unauthorized', 'an invitation opens nothing');
    const mine = { projectID: p, userID: vera.id };
    assert.equal((await post('/accept_invitation', mine, otto)).status, 403, 'nobody answers for another');
    assert.equal((await post('/accept_invitation', { projectID: p }, otto)).status, 403);
    assert.equal((await post('/accept_invitation', mine, vera)).message, 'Successful');
    assert.equal((await get(`/get_project_role/${p}`, vera)).role, 'Executor');
    assert.equal((await invite(vera, 'Viewer')).message, 'user is already a member of this project');
    assert.equal((await invite(otto, 'Viewer', vera)).status, 403, 'only owners invite');

    const role = { ...mine, role: 'Viewer' };
    assert.equal((await post('/update_member_role', role, olga)).message, 'successful');
    assert.equal((await get(`/get_project_role/${p}`, vera)).role, 'Viewer');
    const own = { projectID: p, userID: olga.id, role: 'Viewer' };
    assert.equal(
      (await post('/update_member_role', own, olga)).message,
      'User cannot change their own role.',
    );

    await invite(otto, 'Viewer');
    const inState = async (state: string): Promise<string[]> =>
      names((await get(`/get_project_members/${p}/${state}`, olga)).data);
    assert.deepEqual(await inState('accepted'), ['olga', 'vera']);
    assert.deepEqual(await inState('not_accepted'), ['otto']);
    assert.deepEqual((await inState('all')).length, 3);
    assert.equal((await get(`/get_project_members/${p}/constructor`, olga)).error, 'invalid_request');
    assert.deepEqual(names((await get(`/get_project_owners/${p}`, vera)).data), ['olga']);
    assert.equal((await post('/decline_invitation', { projectID: p }, otto)).message, 'successful');
    assert.equal(
      (await post('/remove_invitation', { projectID: p, userID: otto.id }, olga)).message,
      'User is not a part of your project',
    );
    assert.equal((await post('/remove_invitation', mine, olga)).message, 'successful');
    assert.equal((await get(`/get_project_role/${p}`, vera)).error, 'unauthorized');
  });

  test('POST /leave_project: the caller leaves, and the last owner stays', async () => {
    const { olga, vera, p, post, get, invite } = await start(database);
    await invite(vera, 'Owner');
    await post('/accept_invitation', { projectID: p }, vera);
    const eject = { projectID: p, userID: olga.id, role: 'Viewer' };
    assert.equal((await post('/leave_project', eject, vera)).status, 403, 'nobody is made to leave');

    const both = await Promise.all(
      [olga, vera].map((user) =>
        post('/leave_project', { projectID: p, userID: user.id, role: 'Viewer' }, user),
      ),
    );
    assert.deepEqual(both.map(({ message }) => message).toSorted(), [
      'Cannot leave project. There must be at least one owner.',
      'successful',
    ]);
    const left = both[0]?.status === 200 ? vera : olga;
    assert.deepEqual(names((await get(`/get_project_owners/${p}`, left)).data), [left.username]);
  });

  test('GET /invite_users/:project_id, GET /get_user_with_project/:username, GET /get_projects_stats', async () => {
    const { server, olga, vera, p, get, invite } = await start(database);
    const admin = await server.user('boss', 'admin');
    await invite(vera, 'Viewer');
    const { data } = await get(`/invite_users/${p}`, olga);
    assert.deepEqual(names(data), ['boss', 'otto']);
    assert.deepEqual(Object.keys((data as Body[])[0] ?? {}).toSorted(), [
      'email',
      'name',
      'userID',
      'username',
    ]);
    assert.equal((await get(`/invite_users/${p}`, vera)).error, 'unauthorized');

    const own = (await get('/get_user_with_project/OLGA', olga)).data as Body;
    assert.deepEqual(
      [own.username, (own.projects as Body[]).map(({ projectID }) => projectID)],
      ['olga', [p]],
    );
    assert.equal((await get('/get_user_with_project/olga', vera)).error, 'unauthorized');
    assert.equal(((await get('/get_user_with_project/olga', admin)).data as Body).username, 'olga');
    const [stats] = (await get('/get_projects_stats', admin)).data as Body[];
    assert.deepEqual(stats?.members, { owner: [{ userID: olga.id, username: 'olga' }], total: 1 });
    assert.equal((await get('/get_projects_stats', olga)).error, 'unauthorized');
  });

  test('POST /update_project_name, POST /delete_project/:project_id: what belonged to it goes, but for its history', async () => {
    const clock = new FakeClock();
    const { server, olga, p, post, get } = await start(database, clock);
    const agent = await server.agent(p);
    assert.equal(
      (await post('/update_project_name', { projectID: p, projectName: 'n' }, olga)).message,
      'successful',
    );
    assert.equal(((await get(`/get_project/${p}`, olga)).data as Body).name, 'n');
    assert.equal((await post(`/delete_project/${p}`, {}, olga)).message, 'Successfully deleted project.');
    assert.equal((await get(`/get_project/${p}`, olga)).error, 'unauthorized');
    assert.equal((await get('/list_projects', olga)).message, 'No projects found');
    const { read } = server.plane.store;
    const farewell = await read.selectFrom('actions').select(['infra_id', 'request_type']).execute();
    const leave = [agent.infraID, 'delete'];
    assert.deepEqual(
      farewell.map(({ infra_id, request_type }) => [infra_id, request_type]),
      [leave, leave],
    );

    await clock.advance(7 * 86_400_000);
    await forgetProjects(serverContext(server.plane, 'forget deleted projects'));
    assert.deepEqual(await read.selectFrom('projects').select('id').execute(), []);
    assert.deepEqual(await read.selectFrom('infras').select('id').execute(), []);
    const lines = await read.selectFrom('audit').select('operation').orderBy('seq').execute();
    assert.deepEqual(
      lines.map(({ operation }) => operation),
      ['POST /update_project_name', 'POST /delete_project/:project_id'],
    );
  });
});
