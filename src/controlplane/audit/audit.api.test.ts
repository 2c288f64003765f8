import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TestServer } from '../server/testing/test-server.ts';
import { projectScope } from '../store/store.ts';
import { describeOnDatabases } from '../store/testing/databases.ts';

const LIST = `query ($r: ListAuditRequest) { listAudit(request: $r) {
  entries { operation actorName projectID objectID before after } next } }`;
const CREATE = `mutation ($p: ID!, $id: String!) {
  createEnvironment(projectID: $p, request: { environmentID: $id, name: "n", type: PROD }) { environmentID } }`;

interface Page {
  readonly entries: readonly {
    readonly operation: string;
    readonly objectID: string;
    readonly actorName: string;
  }[];
  readonly next: string | null;
}

describeOnDatabases('the audit log', (database) => {
  const start = async () => {
    const server = await TestServer.start(database);
    const [admin, olga, vera] = [
      await server.user('boss', 'admin'),
      await server.user('olga'),
      await server.user('vera'),
    ];
    const p = await server.project([
      [olga, 'Owner'],
      [vera, 'Viewer'],
    ]);
    const q = await server.project([[vera, 'Owner']]);
    for (const id of ['one', 'two', 'three']) await server.data(CREATE, { p, id }, olga);
    await server.data(CREATE, { p: q, id: 'other' }, vera);
    const list = async (r: object, caller = olga): Promise<Page> =>
      (await server.data(LIST, { r }, caller)).listAudit as Page;
    return { server, admin, olga, vera, p, q, list };
  };

  test('listAudit: owners see their project, administrators everything, a page at a time', async () => {
    const { server, admin, vera, p, q, list } = await start();
    const first = await list({ projectID: p, limit: 2 });
    assert.deepEqual(
      first.entries.map(({ objectID }) => objectID),
      ['three', 'two'],
    );
    const rest = await list({ projectID: p, limit: 2, after: first.next });
    assert.deepEqual([rest.entries.map(({ objectID }) => objectID), rest.next], [['one'], null]);

    for (const [projectID, caller] of [
      [p, vera],
      [q, undefined],
      [undefined, vera],
    ] as const) {
      const { errors } = await server.graphql(LIST, { r: { projectID } }, caller);
      assert.notEqual(errors.length, 0, `${projectID} ${caller?.username}`);
    }
    assert.equal((await list({}, admin)).entries.length, 4);
    assert.equal((await list({ projectID: q }, admin)).entries.length, 1);
    assert.equal((await list({ actor: 'VER' }, admin)).entries[0]?.actorName, 'vera');
    assert.equal((await list({ objectID: 'two' }, admin)).entries.length, 1);
    assert.equal((await list({ dateRange: { startDate: '0', endDate: '1' } }, admin)).entries.length, 0);
    const bad = await server.graphql(LIST, { r: { after: 'x' } }, admin);
    assert.equal(bad.errors[0]?.message, 'after is no position of this list');
  });

  test('listAudit: lines have the names of what was changed, and of who changed it, also after its deletion', async () => {
    const { server, olga, vera, p } = await start();
    const role = { projectID: p, userID: vera.id, role: 'Executor' };
    assert.equal((await server.rest('POST', '/update_member_role', role, olga)).status, 200);
    const gone = 'mutation ($p: ID!) { deleteEnvironment(projectID: $p, environmentID: "one") }';
    await server.data(gone, { p }, olga);
    const agent = await server.agent(p, 'cluster-of-shop');
    const line = { ...{ at: 1, project_id: p, actor_kind: 'agent' as const, actor_id: agent.infraID } };
    await server.plane.store.transaction(projectScope(p), async ({ db }) => {
      await db
        .insertInto('audit')
        .values({
          ...{ ...line, actor_name: '', address: '', before: null, after: null },
          ...{ operation: 'confirmInfraRegistration', object_kind: 'infra', object_id: agent.infraID },
        })
        .execute();
    });
    const query = `query ($p: ID!) { listAudit(request: { projectID: $p, limit: 3 }) { entries { actorName objectName } } }`;
    const { entries } = (await server.data(query, { p }, olga)).listAudit as { entries: object[] };
    assert.deepEqual(entries, [
      { actorName: 'cluster-of-shop', objectName: 'cluster-of-shop' },
      { actorName: 'olga', objectName: 'n' },
      { actorName: 'olga', objectName: 'vera' },
    ]);
  });

  test('GET /audit: JSON, and JSON lines', async () => {
    const { server, admin, olga, vera, p } = await start();
    const get = (query: string, caller = olga) => server.rest('GET', `/audit?${query}`, undefined, caller);
    const { body } = await get(`project=${p}&limit=1`);
    const { entries, next } = body.data as { entries: Record<string, unknown>[]; next: string };
    assert.deepEqual(entries[0]?.object, { kind: 'environment', id: 'three' });
    assert.equal((entries[0]?.after as Record<string, unknown> | undefined)?.name, 'n');
    assert.equal(((await get(`project=${p}&after=${next}`)).body.data as Page).entries.length, 2);
    assert.equal((await get(`project=${p}`, vera)).status, 403);
    assert.equal((await get('')).status, 403);
    assert.equal((await get('limit=0', admin)).status, 400);
    assert.equal((await get('from=yesterday', admin)).status, 400);

    const reply = await server.app.inject({
      url: '/audit?format=jsonl',
      headers: { authorization: `Bearer ${admin.token}` },
    });
    const lines = reply.body
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    assert.equal(reply.headers['content-type'], 'application/x-ndjson; charset=utf-8');
    assert.deepEqual(
      lines.map(({ operation, actor }) => [operation, actor.name]),
      [
        ['createEnvironment', 'vera'],
        ['createEnvironment', 'olga'],
        ['createEnvironment', 'olga'],
        ['createEnvironment', 'olga'],
      ],
    );
  });
});
