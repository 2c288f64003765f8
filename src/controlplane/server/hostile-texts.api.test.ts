import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { GRAPHQL_OPERATIONS, REST_OPERATIONS } from '../access/operations.ts';
import { controlPlaneSchema } from '../schema/load.ts';
import { describeOnDatabases, type TestDatabase } from '../store/testing/databases.ts';
import { anyDocument } from './testing/any-document.ts';
import { TestServer, type TestUser } from './testing/test-server.ts';

/** What no compression makes short: an index of PostgreSQL takes a few thousand bytes. */
const LONG = Array.from({ length: 500 }, (_, n) => createHash('sha256').update(`${n}`).digest('hex')).join(
  '',
);

/** Texts by what they are meant to break. */
const TEXTS: Readonly<Record<string, string>> = {
  SQL: `x' OR '1'='1'; DROP TABLE users; --`,
  patterns: String.raw`%_\%\\`,
  NUL: 'a\u0000b',
  'half a character': 'a\ud800b',
  'a path': '../../../../etc/passwd',
  'a path from the root, written otherwise': '%2fetc%2fpasswd\u0000.svg',
  'lines of a header': 'a\r\nSet-Cookie: turnsole_session=x',
  'a prototype': '__proto__',
  'a constructor': 'constructor',
  templates: '{{workflow.uid}} {{ <%= 7 %>',
  'text from right to left': '\u202enimda\u200b',
  'no number': 'NaN',
  'too large a number': '9007199254740993',
  YAML: 'kind: Workflow\nmetadata: &a {name: x}\nspec: *a',
  'a prototype in JSON': '{"kind":"Workflow","__proto__":{"a":1},"metadata":{"name":"x"},"spec":{}}',
  nothing: '',
  'too much': LONG,
};
const NUMBERS = [-1, 2_147_483_647, -2_147_483_648, 0];

/** Makes keys, which takes long, and takes no text. */
const LEFT_OUT = new Set(['generateSSHKey']);
/** They end the session or the project that the others need. */
const ENDING = new Set(['POST /logout', 'POST /delete_project/:project_id']);
const QUERY = [
  ...['sort_field', 'sort_direction', 'search_field', 'limit', 'offset', 'project', 'from', 'to', 'code'],
  ...['state', 'key', 'projectName', 'createdBy', 'cursor', 'after', 'before', 'format'],
];
const BODY = [
  ...['username', 'password', 'oldPassword', 'newPassword', 'name', 'email', 'userID', 'user_id', 'token'],
  ...['projectID', 'projectName', 'role', 'description', 'tags', 'days_until_expiration', 'isDeactivate'],
];

const schema = controlPlaneSchema();

describeOnDatabases('texts that mean harm', (database) => {
  for (const [what, text] of Object.entries(TEXTS)) {
    test(`${what}: every operation takes or refuses it; none breaks, and nothing of others changes`, async () => {
      const place = await start(database);
      const before = await rowsOfOthers(place);
      const broken = [...(await tryGraphQL(place, text)), ...(await tryRest(place, text))];
      assert.deepEqual(broken, []);
      assert.deepEqual(await rowsOfOthers(place), before);
    });
  }
});

interface Place {
  readonly server: TestServer;
  readonly admin: TestUser;
  readonly project: string;
  readonly others: string;
  readonly named: Readonly<Record<string, unknown>>;
}

/** An administrator who owns a project, and somebody else's project. */
async function start(database: TestDatabase): Promise<Place> {
  const server = await TestServer.start(database);
  const admin = await server.user('boss', 'admin');
  const other = await server.user('olga');
  const project = await server.project([[admin, 'Owner']]);
  const others = await server.project([[other, 'Owner']]);
  await server.agent(others, 'theirs');
  const agent = await server.agent(project);
  const { infraID, accessKey, version } = agent;
  const named = { projectID: project, project_id: project, infraID, accessKey, version };
  return { server, admin, project, others, named };
}

/** Answers that are the server's own failure. Subscriptions are not waited for: what they ask for is judged before. */
async function tryGraphQL({ server, admin, named }: Place, text: string): Promise<string[]> {
  const broken: string[] = [];
  for (const [at, { name }] of GRAPHQL_OPERATIONS.entries()) {
    if (LEFT_OUT.has(name)) continue;
    const { kind, document, variables } = anyDocument(schema, name, named);
    if (kind === 'subscription') continue;
    const harmful = replaced(variables, text, NUMBERS[at % NUMBERS.length] ?? 0);
    const { status, errors } = await server.graphql(document, harmful as typeof variables, admin);
    const failed = errors.filter(({ message }) => message.startsWith('internal error'));
    if (status >= 500 || failed.length > 0) broken.push(`${name}: ${status} ${failed[0]?.message ?? ''}`);
  }
  return broken;
}

/** The same value with the text in place of each that was made up, and the number in place of each number. */
function replaced(value: unknown, text: string, number: number): unknown {
  if (value === 'x') return text;
  if (typeof value === 'number') return number;
  if (Array.isArray(value)) return value.map((one) => replaced(one, text, number));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, replaced(one, text, number)]));
}

async function tryRest({ server, admin, project }: Place, text: string): Promise<string[]> {
  const broken: string[] = [];
  const inUrl = encodeURIComponent(text.slice(0, 400).toWellFormed());
  for (const { name } of REST_OPERATIONS) {
    if (ENDING.has(name)) continue;
    const [method, path = ''] = name.split(' ') as ['GET' | 'POST', string];
    const query = method === 'GET' ? `?${QUERY.map((field) => `${field}=${inUrl}`).join('&')}` : '';
    const body = { ...Object.fromEntries(BODY.map((field) => [field, text])), role: 'user' };
    for (const given of [project, inUrl]) {
      const url = path.replaceAll(/:(\w+)/g, (_, field) => (field === 'project_id' ? given : inUrl));
      const reply = await server.app.inject({
        ...{ method, url: `${url}${query}`, headers: { authorization: `Bearer ${admin.token}` } },
        ...(method === 'POST' && { payload: { ...body, ...(given === project && { projectID: project }) } }),
      });
      if (reply.statusCode === 500) broken.push(`${name}: ${reply.body}`);
      assert.equal(reply.headers['set-cookie'], undefined, name);
    }
  }
  return broken;
}

/** What belongs to neither the caller nor the caller's project. */
async function rowsOfOthers({ server, others }: Place): Promise<object> {
  const { read } = server.plane.store;
  return {
    users: await read.selectFrom('users').selectAll().where('username', '=', 'olga').execute(),
    projects: await read.selectFrom('projects').selectAll().where('id', '=', others).execute(),
    members: await read.selectFrom('members').selectAll().where('project_id', '=', others).execute(),
    infras: await read.selectFrom('infras').selectAll().where('project_id', '=', others).execute(),
  };
}
