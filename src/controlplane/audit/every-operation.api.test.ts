import assert from 'node:assert/strict';
import { test } from 'node:test';
import { GRAPHQL_OPERATIONS, REST_OPERATIONS } from '../access/operations.ts';
import { SHOP } from '../experiment/testing/scene.ts';
import { controlPlaneSchema } from '../schema/load.ts';
import { anyDocument } from '../server/testing/any-document.ts';
import type { TestAgent, TestServer, TestUser } from '../server/testing/test-server.ts';
import { describeOnDatabases } from '../store/testing/databases.ts';
import { startSurroundings } from './testing/surroundings.ts';

type Named = Record<string, unknown>;
type Who = 'olga' | 'vera' | 'boss' | 'ann';

/** A step: what is called by whom, and what it says besides what is known from the steps before. */
interface Step {
  readonly by?: Who;
  /** Nobody is signed in. @default user */
  readonly as?: 'nobody' | 'agent';
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
const HUB = { repoBranch: 'main', isPrivate: false, authType: 'NONE', remoteHub: 'git' };
const GIT = { branch: 'main', authType: 'NONE' };
const CLUSTER = { infraNamespace: 'litmus', serviceAccount: 'litmus', nodeSelector: '' };
const METRICS = { address: 'http://prometheus:9090', queries: [{ name: 'up', query: 'up' }] };
const EXPERIMENT = { id: 'saved', name: 'shop', description: '', manifest: SHOP };
const infraOf = (agent: unknown): string => (agent as TestAgent).infraID;
const experiment = (agent: unknown, experimentID: string, manifest: string): Named => {
  const text = manifest.replace('"name":"shop"', `"name":"${experimentID}"`);
  const fixed = { experimentDescription: '', cronSyntax: '', weightages: [], isCustomExperiment: true };
  const request = { ...fixed, experimentID, experimentName: experimentID, experimentManifest: text };
  return { request: { ...request, infraID: infraOf(agent) } };
};
const user = (known: Named) => ({ projectID: known.projectID, userID: known.vera });

/** Audited operations in an order in which each of them succeeds. */
const STEPS: Readonly<Record<string, Step>> = {
  createEnvironment: { args: () => ({ environmentID: 'env', name: 'env' }) },
  updateEnvironment: { args: () => ({ environmentID: 'env', name: 'env' }) },
  createWebhook: {
    args: () => ({ name: 'hook', url: 'http://127.0.0.1:1/' }),
    keep: ({ webhook }) => ({ webhookID: (webhook as Named).webhookID }),
  },
  updateWebhook: { args: () => ({ url: 'http://127.0.0.1:2/' }) },
  testWebhook: { keep: (deliveryID) => ({ deliveryID }) },
  retryWebhookDelivery: {},
  deleteWebhook: {},
  createImageRegistry: { args: () => REGISTRY, keep: ({ imageRegistryID }) => ({ imageRegistryID }) },
  updateImageRegistry: { args: () => REGISTRY },
  deleteImageRegistry: {},
  addProbe: { args: () => ({ request: { name: 'p', ...PROBE, kubernetesHTTPProperties: HTTP } }) },
  updateProbe: { args: () => ({ request: { name: 'p', ...PROBE, kubernetesHTTPProperties: HTTP } }) },
  deleteProbe: { args: () => ({ probeName: 'p' }) },
  registerInfra: {
    args: () => ({ name: 'east', environmentID: 'env', infraScope: 'cluster', ...CLUSTER }),
    keep: ({ infraID }) => ({ registered: infraID }),
  },
  setInfraMetrics: {
    args: ({ agent }) => ({ infraID: infraOf(agent), request: METRICS }),
  },
  confirmInfraRegistration: {
    as: 'nobody',
    args: ({ agent }) => ({ ...(agent as TestAgent) }),
    keep: ({ newAccessKey }) => ({ accessKey: newAccessKey }),
  },
  addChaosHub: {
    args: ({ repo }) => ({ request: { ...HUB, name: 'of git', repoURL: repo } }),
    keep: ({ id }) => ({ hubID: id }),
  },
  updateChaosHub: {
    args: ({ repo, hubID }) => ({ request: { ...HUB, id: hubID, name: 'renamed', repoURL: repo } }),
  },
  syncChaosHub: { args: ({ hubID }) => ({ id: hubID }) },
  saveChaosHub: { args: ({ repo }) => ({ request: { ...HUB, name: 'saved', repoURL: repo } }) },
  addRemoteChaosHub: {
    args: ({ zip }) => ({ request: { name: 'of a file', repoURL: zip, remoteHub: 'other' } }),
  },
  deleteChaosHub: {},
  enableGitOps: { args: ({ repo }) => ({ configurations: { ...GIT, repoURL: repo } }) },
  updateGitOps: { args: ({ repo }) => ({ configurations: { ...GIT, repoURL: repo } }) },
  syncGitOps: {},
  haltCluster: { by: 'boss', args: () => ({ namespace: 'default', reason: 'lunch' }) },
  resumeCluster: { by: 'boss', args: () => ({ namespace: 'default' }) },
  haltChaos: { args: () => ({ reason: 'sale' }) },
  resumeChaos: {},
  haltAllChaos: { by: 'boss', args: () => ({ reason: 'storm' }) },
  resumeAllChaos: { by: 'boss' },
  saveChaosExperiment: { args: ({ agent }) => ({ request: { ...EXPERIMENT, infraID: infraOf(agent) } }) },
  createChaosExperiment: { args: ({ agent }) => experiment(agent, 'created', SHOP) },
  updateChaosExperiment: { args: ({ agent }) => experiment(agent, 'created', SHOP) },
  runChaosExperiment: { args: () => ({ experimentID: 'saved' }) },
  stopExperimentRuns: {
    args: () => ({ experimentID: 'saved', experimentRunID: '', notifyID: '' }),
  },
  gitopsNotifier: {
    as: 'agent',
    args: ({ agent, accessKey }) => ({
      clusterInfo: { ...(agent as TestAgent), accessKey },
      experimentID: 'saved',
    }),
  },
  disableGitOps: {},
  updateCronExperimentState: { args: () => ({ experimentID: 'cron', disable: true }) },
  deleteChaosExperiment: { args: () => ({ experimentID: 'saved', experimentRunID: '' }) },
  rotateInfraKey: { args: ({ registered }) => ({ infraID: registered, handOver: false }) },
  deleteInfra: { args: ({ registered }) => ({ infraID: registered }) },
  deleteEnvironment: { args: () => ({ environmentID: 'env' }) },
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
  'POST /update/password': {
    by: 'ann',
    args: () => ({ oldPassword: 'Middle@1234', newPassword: 'Third@1234' }),
  },
  'POST /login': { args: () => ({ username: 'ann', password: 'Third@1234' }) },
  'POST /logout': {},
  'GET /dex/callback': {},
};

/** Audited operations that wait for an agent or a pod, which their own tests have. */
const ELSEWHERE = new Set(['tryProbe']);

describeOnDatabases('the audit log of every operation', (database) => {
  test('each audited operation leaves one line, which says who has done it', async () => {
    await using stack = new AsyncDisposableStack();
    const { server, signInByProvider, ...places } = await startSurroundings(database, stack);
    const users = {
      olga: await server.user('olga'),
      vera: await server.user('vera'),
      boss: await server.user('boss', 'admin'),
    };
    const projectID = await server.project([[users.olga, 'Owner']]);
    const known: Named = { projectID, project_id: projectID, olga: users.olga.id, vera: users.vera.id };
    Object.assign(known, places, { agent: await server.agent(projectID) });
    for (const [
      operation,
      { by = 'olga', as = 'user', args = () => ({}), keep = () => ({}) },
    ] of Object.entries(STEPS)) {
      await prepare(server, operation, known, users.olga);
      // The first time makes the user, which is a line of its own.
      if (operation === 'GET /dex/callback') await signInByProvider();
      const person = by === 'ann' ? await signIn(server) : users[by];
      const caller = as === 'user' ? person : undefined;
      const before = await newestLine(server);
      if (operation === 'GET /dex/callback') {
        assert.equal(await signInByProvider(), 302);
      } else {
        const answer = await call(server, operation, { ...known, ...args(known) }, args(known), caller);
        Object.assign(known, keep(answer));
      }
      const lines = await linesAfter(server, before);
      const mine = lines.filter((line) => line.operation === operation);
      assert.deepEqual(
        mine.map(({ actor_kind }) => actor_kind),
        [as],
        `${operation} has left ${mine.length} lines`,
      );
    }
  });

  test('every audited operation is tried here', () => {
    const audited = [...GRAPHQL_OPERATIONS, ...REST_OPERATIONS].filter((one) => one.audited);
    const missing = audited
      .map(({ name }) => name)
      .filter((name) => !(name in STEPS) && !ELSEWHERE.has(name));
    assert.deepEqual(missing, []);
    const names = new Set(audited.map(({ name }) => name));
    assert.deepEqual(
      [...Object.keys(STEPS), ...ELSEWHERE].filter((name) => !names.has(name)),
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
  caller: TestUser | undefined,
): Promise<Named> {
  if (!operation.includes(' ')) {
    const { document, variables } = anyDocument(schema, operation, named);
    const whole = ['request', 'configurations', 'clusterInfo'].filter((name) => body[name] !== undefined);
    const given = { ...variables, ...Object.fromEntries(whole.map((name) => [name, body[name]])) };
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

/** What has to be there for an operation, and is made by none that is tried here. */
async function prepare(server: TestServer, operation: string, known: Named, olga: TestUser): Promise<void> {
  if (operation === 'POST /decline_invitation' || operation === 'POST /remove_invitation') {
    await invite(server, olga, known);
  }
  if (operation === 'retryWebhookDelivery') {
    await server.plane.store.transaction('test', ({ db }) =>
      db.updateTable('deliveries').set({ state: 'DEAD' }).execute(),
    );
  }
  if (operation === 'updateCronExperimentState') {
    const { kind, metadata, spec } = JSON.parse(SHOP);
    const cron = {
      kind: `Cron${kind}`,
      metadata: { ...metadata, name: 'cron' },
      spec: { schedule: '0 * * * *', workflowSpec: spec },
    };
    const made = experiment(known.agent, 'cron', JSON.stringify(cron));
    await call(server, 'createChaosExperiment', { ...known, ...made }, made, olga);
  }
}

/** The user whom the walk has made. The first password of her own also gives her a project, which is a line of its own. */
async function signIn(server: TestServer): Promise<TestUser> {
  const [oldPassword, newPassword] = ['Second@1234', 'Middle@1234'];
  const first = await server.rest('POST', '/login', { username: 'ann', password: oldPassword });
  const token = String(first.body.accessToken);
  const changed = await server.rest('POST', '/update/password', { oldPassword, newPassword }, { token });
  assert.equal(changed.status, 200, JSON.stringify(changed.body));
  const { body } = await server.rest('POST', '/login', { username: 'ann', password: newPassword });
  return { id: String(body.userID), username: 'ann', token: String(body.accessToken) };
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
