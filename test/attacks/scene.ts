import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { sql } from 'kysely';
import { SHOP } from '../../src/controlplane/experiment/testing/scene.ts';
import {
  type TestAgent,
  TestServer,
  type TestUser,
} from '../../src/controlplane/server/testing/test-server.ts';
import { otherDatabase } from '../../src/controlplane/store/testing/databases.ts';

/** Stands in everything that attackers must not see. */
export const MARK = 'kept-from-attackers';

/** A project that is attacked, and who attacks it. */
export interface AttackScene {
  readonly server: TestServer;
  readonly owner: TestUser;
  readonly viewer: TestUser;
  /** Owner of another project. */
  readonly stranger: TestUser;
  readonly project: string;
  readonly strangersProject: string;
  readonly agent: TestAgent;
  readonly strangersAgent: TestAgent;
  /** A run of the project, asked for by its owner. */
  readonly notifyID: string;
}

/** What came back. */
export interface Reply {
  readonly status: number;
  readonly text: string;
}

/** A row: its title, and what is sent. */
export type Attack = readonly [title: string, send: (scene: AttackScene) => Promise<Reply>];

const ENVIRONMENT = `mutation ($p: ID!) { createEnvironment(projectID: $p, request: {
  environmentID: "env", name: "${MARK}", type: NON_PROD }) { environmentID } }`;
const SAVE = `mutation ($p: ID!, $r: SaveChaosExperimentRequest!) { saveChaosExperiment(projectID: $p, request: $r) }`;
const RUN = `mutation ($p: ID!) { runChaosExperiment(projectID: $p, experimentID: "shop") { notifyID } }`;

export async function openAttackScene(): Promise<AttackScene> {
  const database = otherDatabase('sqlite', true);
  assert.ok(database !== undefined);
  const server = await TestServer.start(database);
  const [owner, viewer, stranger] = [
    await server.user('olga'),
    await server.user('vera'),
    await server.user('sven'),
  ];
  const project = await server.project([
    [owner, 'Owner'],
    [viewer, 'Viewer'],
  ]);
  const strangersProject = await server.project([[stranger, 'Owner']]);
  const agent = await server.agent(project, MARK);
  const strangersAgent = await server.agent(strangersProject, 'theirs');
  await server.data(ENVIRONMENT, { p: project }, owner);
  const r = { id: 'shop', name: 'shop', description: MARK, infraID: agent.infraID, manifest: SHOP };
  await server.data(SAVE, { p: project, r }, owner);
  const { runChaosExperiment } = await server.data(RUN, { p: project }, owner);
  const { notifyID } = runChaosExperiment as { readonly notifyID: string };
  return { server, owner, viewer, stranger, project, strangersProject, agent, strangersAgent, notifyID };
}

/** They count attempts, or times of use, which an attack may move. */
const NOT_COMPARED = new Set(['login_failures', 'sessions', 'sqlite_sequence']);

/** All rows of the database, by table. */
async function rowsOf({ server }: AttackScene): Promise<Readonly<Record<string, unknown>>> {
  const { read } = server.plane.store;
  const tables = await sql<{
    readonly name: string;
  }>`select name from sqlite_master where type = 'table' order by name`.execute(read);
  const rows: Record<string, unknown> = {};
  for (const { name } of tables.rows) {
    if (NOT_COMPARED.has(name)) continue;
    rows[name] = (await sql`select * from ${sql.table(name)}`.execute(read)).rows;
  }
  return rows;
}

/** Sends each row, which has to be refused, to show nothing of what is kept from attackers, and to change nothing. */
export async function attacksAreRefused(
  context: TestContext,
  scene: AttackScene,
  attacks: readonly Attack[],
  isRefused: (reply: Reply) => boolean = refused,
): Promise<void> {
  for (const [title, send] of attacks) {
    await context.test(title, async () => {
      const before = await rowsOf(scene);
      const reply = await send(scene);
      assert.ok(isRefused(reply), `not refused: ${reply.status} ${reply.text.slice(0, 500)}`);
      assert.notEqual(reply.status, 500, reply.text);
      assert.doesNotMatch(reply.text, new RegExp(`${MARK}|internal|SQLITE|node:|\\.ts:`, 'i'));
      assert.deepEqual(await rowsOf(scene), before, 'something happened');
    });
  }
}

/** An HTTP refusal, or errors of GraphQL without data. */
export function refused({ status, text }: Reply): boolean {
  if (status >= 400) return true;
  const { data, errors } = JSON.parse(text) as {
    readonly data?: object | null;
    readonly errors?: readonly unknown[];
  };
  return (errors?.length ?? 0) > 0 && Object.values(data ?? {}).every((field) => field === null);
}

/** A GraphQL document, as the user of the token. */
export async function document(
  { server }: AttackScene,
  query: string,
  variables: object,
  caller?: { readonly token: string },
): Promise<Reply> {
  return ask(server, {
    method: 'POST',
    url: '/query',
    payload: JSON.stringify({ query, variables }),
    headers: {
      'content-type': 'application/json',
      ...(caller !== undefined && { authorization: `Bearer ${caller.token}` }),
    },
  });
}

/** Any request. */
export async function ask(
  server: TestServer,
  request: {
    readonly method?: 'GET' | 'POST';
    readonly url: string;
    readonly payload?: string;
    readonly headers?: Readonly<Record<string, string>>;
  },
): Promise<Reply> {
  const reply = await server.app.inject({ method: 'GET', ...request });
  return { status: reply.statusCode, text: reply.body };
}
