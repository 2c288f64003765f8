import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type Attack,
  type AttackScene,
  ask,
  attacksAreRefused,
  document,
  openAttackScene,
  type Reply,
} from './scene.ts';

/** Values for an id or a name of a project that the attacker is no member of. */
const PROJECTS: Readonly<Record<string, (project: string) => string>> = {
  'its id': (project) => project,
  'its id in capitals': (project) => project.toUpperCase(),
  'its id with a space': (project) => `${project} `,
  'its id with NUL': (project) => `${project}\u0000`,
  'its id with a comment': (project) => `${project}'--`,
  'a wildcard': () => '%',
  'an always true condition': () => "x' or '1'='1",
  'a union': () => "x' union select id from projects --",
  'a second statement': () => "x'; drop table projects; --",
  'a prototype': () => '__proto__',
  nothing: () => '',
  'a path': (project) => `../${project}`,
};

/** Operations of members, with their fields that could show something. */
const OPERATIONS: readonly string[] = [
  'query ($p: ID!) { getExperiment(projectID: $p, experimentID: "shop") { experimentDetails { name description } } }',
  'query ($p: ID!) { listEnvironments(projectID: $p) { environments { name } } }',
  'query ($p: ID!) { listInfras(projectID: $p) { infras { name token } } }',
  'query ($p: ID!) { listExperimentRun(projectID: $p, request: {}) { experimentRuns { experimentName notifyID } } }',
  'mutation ($p: ID!) { haltChaos(projectID: $p, reason: "mine") { infraName } }',
  'mutation ($p: ID!) { deleteEnvironment(projectID: $p, environmentID: "env") }',
];

/** Paths of requests that leave what they are for. */
const PATHS: readonly string[] = [
  ...[
    '/icon/default/../../../etc/passwd/a/b',
    '/icon/default/..%2f..%2f..%2fetc/passwd/x',
    '/icon/default/a/%2e%2e/%2e%2e',
  ],
  ...[
    '/icon/default/a/b/..%5c..%5csecret.key',
    '/icon/default/a/b/secret.key%00.svg',
    '/icon/default/%00/%00/%00',
  ],
  ...[
    '/file/',
    '/file/..%2f..%2fsecret.key',
    '/file/v1.AAAA.yaml',
    '/file/__proto__.yaml',
    '/file/%E0%A4%A.yaml',
  ],
  ...[
    '/file/v1.yaml',
    '/assets/../../package.json',
    '/assets/..%2f..%2fpackage.json',
    '/assets/%2e%2e/%2e%2e/package.json',
  ],
  ...[
    '/export/run/../../x/html',
    '/export/run/%2e%2e/%2e%2e/json',
    '/export/cluster/Secret/kube-system/x/json',
  ],
  ...[
    '/get_project/__proto__',
    '/get_project/%00',
    '/get_project_role/..%2f',
    '/audit?project=%00',
    '/audit',
    '/users',
  ],
];

/** Addresses of repositories that are refused when they are given; `inner-servers.test.ts` has those of inner networks. */
const PLACES: readonly string[] = [
  ...[
    'file:///etc/passwd',
    'ext::sh -c id',
    'ssh://-oProxyCommand=id/x',
    'git://10.0.0.1/x',
    'ftp://example.com/x',
    'http://user@/x',
  ],
  ...[
    'http://x y/z',
    'http://x/\u0000',
    'http://x/\r\nHost: evil',
    '--upload-pack=id',
    '-oProxyCommand=id:x',
    '/etc',
    '../..',
    'fd::17',
    '::',
  ],
];

/** Bodies that are no request. */
const BODIES: readonly string[] = [
  ...[
    'null',
    '[]',
    '"x"',
    '1',
    'true',
    '{"__proto__":{"role":"admin"}}',
    '{"constructor":{"prototype":{"role":"admin"}}}',
  ],
  ...[
    '{"username":{"$ne":null},"password":{"$ne":null}}',
    '{"username":["olga"],"password":["x"]}',
    '{"username":"olga"}',
  ],
  ...[
    '{"username":"olga","password":null}',
    '{"username":"olga\\u0000","password":"x"}',
    `${'['.repeat(50_000)}`,
    '{"username":"',
    '\u0000',
  ],
  ...[
    `{"username":"${'a'.repeat(100_000)}","password":"x"}`,
    '{"username":"%","password":"%"}',
    '{"username":"OLGA\' or 1=1 --","password":"x"}',
  ],
];

test('operations', async (t) => {
  const scene: AttackScene = await openAttackScene();
  await attacksAreRefused(
    t,
    scene,
    OPERATIONS.flatMap((query) =>
      Object.entries(PROJECTS).map(
        ([name, project]): Attack => [
          `a stranger asks for ${/ (\w+)\(projectID/.exec(query)?.[1]} with ${name}`,
          async (of) => document(of, query, { p: project(of.project) }, of.stranger),
        ],
      ),
    ),
  );
  await attacksAreRefused(
    t,
    scene,
    OPERATIONS.slice(-2).map(
      (query): Attack => [
        `a Viewer asks for ${/ (\w+)\(projectID/.exec(query)?.[1]}`,
        async (of) => document(of, query, { p: of.project }, of.viewer),
      ],
    ),
  );
  await attacksAreRefused(
    t,
    scene,
    PATHS.map(
      (url): Attack => [
        `a stranger asks for ${url}`,
        async ({ server, stranger }) =>
          ask(server, { url, headers: { authorization: `Bearer ${stranger.token}` } }),
      ],
    ),
  );
  await attacksAreRefused(
    t,
    scene,
    PLACES.map(
      (repoURL, index): Attack => [
        `an owner makes ${JSON.stringify(repoURL)} a hub`,
        async (of) => {
          const query =
            'mutation ($p: ID!, $r: CreateChaosHubRequest!) { addChaosHub(projectID: $p, request: $r) { id } }';
          const r = {
            name: `mine ${index}`,
            repoURL,
            repoBranch: 'main',
            remoteHub: 'git',
            isPrivate: false,
            authType: 'NONE',
          };
          return document(of, query, { p: of.strangersProject, r }, of.stranger);
        },
      ],
    ),
  );
  await attacksAreRefused(
    t,
    scene,
    BODIES.map(
      (payload): Attack => [
        `POST /login with ${payload.slice(0, 60)}`,
        async ({ server }) =>
          ask(server, {
            method: 'POST',
            url: '/login',
            payload,
            headers: { 'content-type': 'application/json' },
          }),
      ],
    ),
  );

  await t.test('nobody’s prototype was changed', () => {
    assert.equal(({} as { readonly role?: string }).role, undefined);
  });

  await t.test(
    'a member whom another owner removes at the same moment changes nothing afterwards',
    async () => {
      const { server, owner } = scene;
      const rita = await server.user('rita');
      const project = await server.project([
        [owner, 'Owner'],
        [rita, 'Owner'],
      ]);
      const make = (id: string): Promise<Reply> =>
        document(
          scene,
          'mutation ($p: ID!, $i: ID!) { createEnvironment(projectID: $p, request: { environmentID: $i, name: $i, type: PROD }) { environmentID } }'.replace(
            '$i: ID!',
            '$i: String!',
          ),
          { p: project, i: id },
          rita,
        );
      const removal = server.rest(
        'POST',
        '/remove_invitation',
        { projectID: project, userID: rita.id },
        owner,
      );
      await Promise.all([removal, make('one'), make('two'), make('three')]);
      const { ids } = {
        ids: await server.plane.store.read
          .selectFrom('environments')
          .select('id')
          .where('project_id', '=', project)
          .execute(),
      };
      assert.match((await make('four')).text, /permission_denied/);
      assert.equal(
        (
          await server.plane.store.read
            .selectFrom('environments')
            .select('id')
            .where('project_id', '=', project)
            .execute()
        ).length,
        ids.length,
      );
    },
  );

  await t.test('an invitation to a project that was deleted makes nobody a member', async () => {
    const { server, owner } = scene;
    const ivan = await server.user('ivan');
    const project = await server.project([[owner, 'Owner']]);
    const invited = await server.rest(
      'POST',
      '/send_invitation',
      { projectID: project, userID: ivan.id, role: 'Owner' },
      owner,
    );
    assert.equal(invited.status, 200);
    assert.equal((await server.rest('POST', `/delete_project/${project}`, {}, owner)).status, 200);
    const accepted = await server.rest('POST', '/accept_invitation', { projectID: project }, ivan);
    assert.ok(accepted.status >= 400, JSON.stringify(accepted.body));
    const members = await server.plane.store.read
      .selectFrom('members')
      .select('user_id')
      .where('project_id', '=', project)
      .where('user_id', '=', ivan.id)
      .where('invitation', '=', 'Accepted')
      .execute();
    assert.deepEqual(members, []);
  });
});
