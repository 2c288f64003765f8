import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { authorise } from '../access/authorise.ts';
import type { Caller } from '../access/caller.ts';
import { GRAPHQL_OPERATIONS, type Operation, REST_OPERATIONS } from '../access/operations.ts';
import { Refusal } from '../access/refusal.ts';
import { controlPlaneSchema } from '../schema/load.ts';
import { ACCOUNTS } from '../store/store.ts';
import { describeOnDatabases } from '../store/testing/databases.ts';
import { anyDocument } from './testing/any-document.ts';
import { fillProject } from './testing/full-project.ts';
import { TestServer } from './testing/test-server.ts';

/** Who may do what, as it was read and agreed to. `RECORD=1 node --test` on this file writes it anew. */
const RECORDED = new URL('./test-data/authorisation.txt', import.meta.url);
const CALLERS = [
  'owner',
  'executor',
  'viewer',
  'invited',
  'left',
  'stranger',
  'other-owner',
  'admin',
  'nobody',
  'agent',
  'other-agent',
  'initial-password',
] as const;
type CallerName = (typeof CALLERS)[number];

/** Callers who are no members of the project, and none of its agents. */
const OUTSIDERS = ['invited', 'left', 'stranger', 'other-owner', 'nobody'] as const;
/** What stands in everything of the project, and in no answer to outsiders. */
const MARK = 'kept-from-outsiders';

/** Queries that show owners what outsiders must not see, as the arguments of these tests ask for it. */
const SHOWN = [
  ...[
    'getEnvironment',
    'getExperiment',
    'getExperimentRun',
    'getGitOpsDetails',
    'getImageRegistry',
    'getInfra',
  ],
  ...['getInfraDetails', 'getProbe', 'getProbeYAML', 'haltStatus', 'listChaosHub', 'listEnvironments'],
  ...['listExperiment', 'listExperimentRun', 'listImageRegistry', 'listInfras', 'listProbes', 'listWebhooks'],
];

/** A project with members of every kind, an agent and objects of its own, beside another project. */
async function start(database: Parameters<typeof TestServer.start>[0]) {
  const server = await TestServer.start(database);
  const users = {
    owner: await server.user('owner'),
    executor: await server.user('executor'),
    viewer: await server.user('viewer'),
    invited: await server.user('invited'),
    left: await server.user('left'),
    stranger: await server.user('stranger'),
    'other-owner': await server.user('other-owner'),
    admin: await server.user('administrator', 'admin'),
    'initial-password': await server.user('initial'),
  };
  const project = await server.project([
    [users.owner, 'Owner'],
    [users.executor, 'Executor'],
    [users.viewer, 'Viewer'],
    [users.invited, 'Owner'],
    [users.left, 'Owner'],
    [users['initial-password'], 'Owner'],
  ]);
  const other = await server.project([[users['other-owner'], 'Owner']]);
  await server.plane.store.transaction(ACCOUNTS, async ({ db }) => {
    const place = (user: string, invitation: 'Pending' | 'Exited') =>
      db.updateTable('members').set({ invitation }).where('user_id', '=', user).execute();
    await place(users.invited.id, 'Pending');
    await place(users.left.id, 'Exited');
    await db
      .updateTable('users')
      .set({ initial_login: 1 })
      .where('id', '=', users['initial-password'].id)
      .execute();
  });
  const agent = await server.agent(project, MARK);
  const otherAgent = await server.agent(other);
  const objects = await fillProject({ server, owner: users.owner, project, agent }, 'theirs', MARK);
  return { server, users, project, other, agent, otherAgent, objects };
}

type Scene = Awaited<ReturnType<typeof start>>;

/** Arguments that mean the project and what is in it. */
function namedOf({ project, users, agent, objects }: Scene, own = project) {
  const wrongKey = { accessKey: 'wrong', version: agent.version };
  return {
    ...{ projectID: own, project_id: own, project: own, infraID: agent.infraID, ...wrongKey },
    // Lists are asked for whole.
    ...{
      filter: undefined,
      pagination: undefined,
      environmentIDs: undefined,
      ...objects,
      userID: users.owner.id,
      uid: users.owner.id,
      role: 'Viewer',
    },
    ...{ username: 'owner', state: 'all', invitation_state: 'Pending', projectName: 'taken over' },
  };
}

const schema = controlPlaneSchema();

async function isAllowed(scene: Scene, operation: Operation, name: CallerName): Promise<boolean> {
  const { server, users, agent, otherAgent } = scene;
  const { store, tokens, settings } = server.plane;
  const shown = { agent, 'other-agent': { ...otherAgent, infraID: agent.infraID } }[name as string] ?? {};
  const named = { ...namedOf(scene), ...shown };
  const isRest = operation.name.includes(' ');
  const args = isRest ? named : anyDocument(schema, operation.name, named).variables;
  const user = (users as Partial<Record<CallerName, { readonly token: string }>>)[name];
  const caller: Caller =
    user === undefined ? { kind: 'nobody' } : await tokens.callerBy(user.token, store.read);
  try {
    await authorise(store.read, settings.version, operation, args, caller);
    return true;
  } catch (error) {
    if (error instanceof Refusal) return false;
    throw error;
  }
}

describe('authorisation', () => {
  describeOnDatabases('the table of operations', (database) => {
    test('every operation lets in exactly who it was agreed to let in', async () => {
      const scene = await start(database);
      const lines: string[] = [];
      for (const operation of [...GRAPHQL_OPERATIONS, ...REST_OPERATIONS]) {
        const allowed: string[] = [];
        for (const name of CALLERS) if (await isAllowed(scene, operation, name)) allowed.push(name);
        lines.push(`${operation.name}: ${allowed.join(' ')}`.trimEnd());
      }
      const text = `${lines.toSorted().join('\n')}\n`;
      if (process.env.RECORD === '1') writeFileSync(RECORDED, text);
      assert.equal(text, readFileSync(RECORDED, 'utf8'));
    });

    test('the project that outsiders try has rows in every table of projects', async () => {
      const rows = Object.entries(await everythingOf(await start(database)));
      assert.deepEqual(
        rows.filter(([, found]) => found.length === 0).map(([table]) => table),
        [],
      );
    });

    test('its owner sees by these queries what is kept from outsiders', async () => {
      const scene = await start(database);
      const revealing: string[] = [];
      for (const operation of Object.keys(schema.getQueryType()?.getFields() ?? {})) {
        const { document, variables } = anyDocument(schema, operation, namedOf(scene));
        const { data } = await scene.server.graphql(document, variables, scene.users.owner);
        if (JSON.stringify(data).includes(MARK)) revealing.push(operation);
      }
      assert.deepEqual(
        SHOWN.filter((operation) => !revealing.includes(operation)),
        [],
      );
    });

    test('outsiders read nothing of a project and change nothing in it, by any operation', async () => {
      const scene = await start(database);
      const before = await everythingOf(scene);
      for (const name of OUTSIDERS) {
        for (const answer of await callAll(scene, name, namedOf(scene))) {
          assert.equal(
            answer.text.includes(MARK),
            false,
            `${answer.operation} tells ${name}: ${answer.text}`,
          );
        }
        assert.deepEqual(await everythingOf(scene), before, `${name} has changed something`);
      }
    });

    test('an owner who names the own project reads and changes nothing of a foreign one', async () => {
      const scene = await start(database);
      const before = await everythingOf(scene);
      const secrets = [MARK, scene.project, scene.agent.accessKey];
      for (const answer of await callAll(scene, 'other-owner', namedOf(scene, scene.other))) {
        const found = secrets.filter((secret) => answer.text.includes(secret));
        assert.deepEqual(found, [], `${answer.operation}: ${answer.text}`);
      }
      assert.deepEqual(await everythingOf(scene), before);
    });
  });
});

/** What an outsider may do for itself: it ends the session, or changes the caller and nobody else. */
const OWN_AFFAIRS = new Set([
  'POST /login',
  'POST /logout',
  'POST /accept_invitation',
  'POST /decline_invitation',
  'POST /delete_project/:project_id',
]);

/** Calls every operation by HTTP, but those that would wait for an event. */
async function callAll(
  { server, users }: Scene,
  name: (typeof OUTSIDERS)[number],
  named: Readonly<Record<string, unknown>>,
) {
  const caller = name === 'nobody' ? undefined : users[name];
  const answers: { readonly operation: string; readonly text: string }[] = [];
  for (const { name: operation } of GRAPHQL_OPERATIONS) {
    const { kind, document, variables } = anyDocument(schema, operation, named);
    if (kind === 'subscription' && named.projectID !== undefined && name === 'other-owner') continue;
    const { data, errors } = await server.graphql(document, variables, caller);
    answers.push({ operation, text: JSON.stringify({ data, errors }) });
  }
  for (const { name: operation } of REST_OPERATIONS) {
    if (OWN_AFFAIRS.has(operation)) continue;
    const [method, path = ''] = operation.split(' ') as ['GET' | 'POST', string];
    const url = path.replaceAll(/:(\w+)/g, (_, field: string) => String(named[field] ?? 'x'));
    const reply = await server.app.inject({
      method,
      url,
      ...(method === 'POST' && { payload: bodyOf(operation, named) }),
      headers: caller === undefined ? {} : { authorization: `Bearer ${caller.token}` },
    });
    answers.push({ operation, text: reply.body });
  }
  return answers;
}

function bodyOf(operation: string, named: Readonly<Record<string, unknown>>): object {
  const { projectID, userID, role, projectName, username } = named;
  const bodies: Readonly<Record<string, object>> = {
    'POST /send_invitation': { projectID, userID, role },
    'POST /remove_invitation': { projectID, userID },
    'POST /leave_project': { projectID, userID, role },
    'POST /update_project_name': { projectID, projectName },
    'POST /update_member_role': { projectID, userID, role },
    'POST /reset/password': { username, newPassword: 'Other@1234' },
    'POST /update/state': { username, isDeactivate: true },
    'POST /create_token': { user_id: userID, name: 'x' },
    'POST /remove_token': { userID, token: 'x' },
  };
  return bodies[operation] ?? {};
}

/** All rows of the project and its owner, but what only records that something was tried. */
async function everythingOf({ server, project, users }: Scene): Promise<Record<string, readonly object[]>> {
  const { store } = server.plane;
  return store.transaction(ACCOUNTS, async ({ db }) => {
    const tables = await db.introspection.getTables();
    const rows: Record<string, readonly object[]> = {};
    for (const { name, columns } of tables) {
      if (!columns.some((column) => column.name === 'project_id')) continue;
      const table = db.dynamic.table(name as never).as('t');
      rows[name] = await db
        .selectFrom(table as never)
        .selectAll()
        .where('project_id' as never, '=', project as never)
        .execute();
    }
    const runs = db.selectFrom('runs').select('key').where('project_id', '=', project);
    const infras = db.selectFrom('infras').select('id').where('project_id', '=', project);
    rows.run_data = await db.selectFrom('run_data').selectAll().where('run_key', 'in', runs).execute();
    rows.run_records = await db.selectFrom('run_records').selectAll().where('run_key', 'in', runs).execute();
    rows.actions = await db.selectFrom('actions').selectAll().where('infra_id', 'in', infras).execute();
    rows.owner = await db.selectFrom('users').selectAll().where('id', '=', users.owner.id).execute();
    rows.sessions = await db
      .selectFrom('sessions')
      .select('id')
      .where('user_id', '=', users.owner.id)
      .execute();
    rows.project = await db.selectFrom('projects').selectAll().where('id', '=', project).execute();
    return rows;
  });
}
