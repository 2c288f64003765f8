import assert from 'node:assert/strict';
import { test } from 'node:test';
import { GRAPHQL_OPERATIONS, REST_OPERATIONS } from '../access/operations.ts';
import { controlPlaneSchema } from '../schema/load.ts';
import { anyDocument } from '../server/testing/any-document.ts';
import { TestServer, type TestUser } from '../server/testing/test-server.ts';
import { describeOnDatabases } from '../store/testing/databases.ts';

type Named = Record<string, unknown>;
type Who = 'olga' | 'vera' | 'boss';

/** A step: what is called by whom, and what it says besides what is known from the steps before. */
interface Step {
  readonly by?: Who;
  readonly args?: (known: Named) => Named;
  /** What later steps know from the answer. */
  readonly keep?: (answer: Named) => Named;
}

const PASSWORD = 'First@1234';
const PROBE = { type: 'httpProbe', infrastructureType: 'Kubernetes' };
const REGISTRY = { imageRegistryType: 'public', isDefault: false };
const HTTP = {
  probeTimeout: '1s',
  interval: '1s',
  url: 'http://web',
  method: { get: { criteria: '==', responseCode: '200' } },
};
const user = (known: Named) => ({ projectID: known.projectID, userID: known.vera });

/** Audited operations in an order in which each of them succeeds. */
const STEPS: Readonly<Record<string, Step>> = {
  createEnvironment: { args: () => ({ environmentID: 'env', name: 'env' }) },
  updateEnvironment: { args: () => ({ environmentID: 'env', name: 'env' }) },
  deleteEnvironment: { args: () => ({ environmentID: 'env' }) },
  createWebhook: {
    args: () => ({ name: 'hook', url: 'http://127.0.0.1:1/' }),
    keep: ({ webhook }) => ({ webhookID: (webhook as Named).webhookID }),
  },
  updateWebhook: { args: () => ({ url: 'http://127.0.0.1:2/' }) },
  testWebhook: {},
  deleteWebhook: {},
  createImageRegistry: { args: () => REGISTRY, keep: ({ imageRegistryID }) => ({ imageRegistryID }) },
  updateImageRegistry: { args: () => REGISTRY },
  deleteImageRegistry: {},
  addProbe: { args: () => ({ request: { name: 'p', ...PROBE, kubernetesHTTPProperties: HTTP } }) },
  updateProbe: { args: () => ({ request: { name: 'p', ...PROBE, kubernetesHTTPProperties: HTTP } }) },
  deleteProbe: { args: () => ({ probeName: 'p' }) },
  'POST /send_invitation': { args: (known) => ({ ...user(known), role: 'Viewer' }) },
  'POST /accept_invitation': { by: 'vera', args: user },
  'POST /update_member_role': { args: (known) => ({ ...user(known), role: 'Executor' }) },
  'POST /leave_project': { by: 'vera', args: user },
  'POST /decline_invitation': { by: 'vera', args: user },
  'POST /remove_invitation': { args: user },
  'POST /update_project_name': { args: ({ projectID }) => ({ projectID, projectName: 'new' }) },
  'POST /create_project': { args: () => ({ projectName: 'another' }) },
  'POST /delete_project/:project_id': {},
  'POST /create_user': { by: 'boss', args: () => ({ username: 'ann', password: PASSWORD, role: 'user' }) },
  'POST /update/details': { args: () => ({ name: 'Olga' }) },
  'POST /create_token': {
    args: ({ olga }) => ({ user_id: olga, name: 'ci' }),
    keep: ({ id }) => ({ tokenID: id }),
  },
  'POST /remove_token': { args: ({ olga, tokenID }) => ({ userID: olga, token: tokenID }) },
  'POST /reset/password': { by: 'boss', args: () => ({ username: 'ann', newPassword: 'Second@1234' }) },
  'POST /update/state': { by: 'boss', args: () => ({ username: 'vera', isDeactivate: true }) },
  'POST /login': { args: () => ({ username: 'ann', password: 'Second@1234' }) },
  'POST /logout': {},
};

/** Audited operations that are not tried here yet: they need an agent, a repository, a provider, or a manifest. */
const NOT_HERE = new Set([
  'confirmInfraRegistration',
  'gitopsNotifier',
  'registerInfra',
  'deleteInfra',
  'haltChaos',
  'resumeChaos',
  'haltAllChaos',
  'resumeAllChaos',
  'saveChaosExperiment',
  'createChaosExperiment',
  'updateChaosExperiment',
  'runChaosExperiment',
  'stopExperimentRuns',
  'deleteChaosExperiment',
  'updateCronExperimentState',
  'addChaosHub',
  'addRemoteChaosHub',
  'saveChaosHub',
  'updateChaosHub',
  'deleteChaosHub',
  'syncChaosHub',
  'retryWebhookDelivery',
  'enableGitOps',
  'disableGitOps',
  'updateGitOps',
  'syncGitOps',
  'abortClusterRun',
  'haltCluster',
  'resumeCluster',
  'GET /dex/callback',
  'POST /update/password',
]);

describeOnDatabases('the audit log of every operation', (database) => {
  test('each audited operation leaves one line, which says who has done it', async () => {
    const server = await TestServer.start(database);
    const users = {
      olga: await server.user('olga'),
      vera: await server.user('vera'),
      boss: await server.user('boss', 'admin'),
    };
    const projectID = await server.project([[users.olga, 'Owner']]);
    const known: Named = { projectID, project_id: projectID, olga: users.olga.id, vera: users.vera.id };
    for (const [operation, { by = 'olga', args = () => ({}), keep = () => ({}) }] of Object.entries(STEPS)) {
      if (operation === 'POST /decline_invitation') await invite(server, users.olga, known);
      if (operation === 'POST /remove_invitation') await invite(server, users.olga, known);
      const before = await newestLine(server);
      const answer = await call(server, operation, { ...known, ...args(known) }, args(known), users[by]);
      Object.assign(known, keep(answer));
      const lines = await linesAfter(server, before);
      const mine = lines.filter((line) => line.operation === operation);
      assert.deepEqual(
        mine.map(({ actor_kind }) => actor_kind),
        ['user'],
        `${operation} has left ${mine.length} lines`,
      );
    }
  });

  test('every audited operation is tried here, or named as not tried yet', () => {
    const audited = [...GRAPHQL_OPERATIONS, ...REST_OPERATIONS].filter((one) => one.audited);
    const missing = audited.map(({ name }) => name).filter((name) => !(name in STEPS) && !NOT_HERE.has(name));
    assert.deepEqual(missing, []);
    const names = new Set(audited.map(({ name }) => name));
    assert.deepEqual(
      [...Object.keys(STEPS), ...NOT_HERE].filter((name) => !names.has(name)),
      [],
    );
  });
});

const schema = controlPlaneSchema();

async function call(
  server: TestServer,
  operation: string,
  named: Named,
  body: Named,
  caller: TestUser,
): Promise<Named> {
  if (!operation.includes(' ')) {
    const { document, variables } = anyDocument(schema, operation, named);
    const given = { ...variables, ...(body.request !== undefined && { request: body.request }) };
    const data = await server.data(document, given, caller);
    return (data[operation] ?? {}) as Named;
  }
  const [method, path = ''] = operation.split(' ') as ['POST', string];
  const url = path.replaceAll(/:(\w+)/g, (_, field: string) => String(named[field]));
  const reply = await server.rest(method, url, body, caller);
  assert.equal(reply.status, 200, `${operation}: ${JSON.stringify(reply.body)}`);
  return reply.body;
}

async function invite(server: TestServer, owner: TestUser, known: Named): Promise<void> {
  await call(server, 'POST /send_invitation', known, { ...user(known), role: 'Viewer' }, owner);
}

async function newestLine({ plane }: TestServer): Promise<number> {
  const row = await plane.store.read
    .selectFrom('audit')
    .select(({ fn }) => fn.max('seq').as('seq'))
    .executeTakeFirst();
  return row?.seq ?? 0;
}

function linesAfter({ plane }: TestServer, seq: number) {
  return plane.store.read.selectFrom('audit').selectAll().where('seq', '>', seq).execute();
}
