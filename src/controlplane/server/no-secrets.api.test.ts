import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLogger } from '@turnsole/kube/base/log';
import { GRAPHQL_OPERATIONS, REST_OPERATIONS } from '../access/operations.ts';
import { controlPlaneSchema } from '../schema/load.ts';
import { describeOnDatabases } from '../store/testing/databases.ts';
import { anyDocument } from './testing/any-document.ts';
import { TestServer } from './testing/test-server.ts';

/** What is given to the server, and recognised wherever it stands. */
const PASSWORD = 'Known-Password@1';
const [HUB_TOKEN, GIT_TOKEN] = ['known-hub-token', 'known-git-token'];
const NEXT_PASSWORD = 'Known-Password@2';
/** They are to hand out the agent's key; the manifest holds it. */
const HANDS_OUT = new Set([
  'getInfraManifest',
  'getManifestWithInfraID',
  'confirmInfraRegistration',
  'createWebhook',
  'rotateInfraKey',
]);
/** They end what the others need, or wait for events. */
const LEFT_OUT = new Set([
  'deleteInfra',
  'rotateInfraKey',
  'generateSSHKey',
  'disableGitOps',
  'deleteChaosHub',
  'deleteWebhook',
]);

const HUB = { name: 'mine', repoURL: 'http://127.0.0.1:1/hub.git', repoBranch: 'main', remoteHub: 'git' };
const PROOF = { authType: 'TOKEN', isPrivate: true, token: HUB_TOKEN };
const HOOK = { name: 'chat', url: 'http://127.0.0.1:1/', events: ['RUN_ENDED'] };
const GIT = { repoURL: 'http://127.0.0.1:1/x.git', branch: 'main', authType: 'TOKEN', token: GIT_TOKEN };

describeOnDatabases('secrets', (database) => {
  test('stand in no line of the log, no answer and no line of the audit log, but where they are handed out', async () => {
    const lines: string[] = [];
    const logger = createLogger({ component: 'server', level: 'debug', write: (line) => lines.push(line) });
    const server = await TestServer.start(database, { logger });
    const boss = await server.user('boss', 'admin');
    const p = await server.project([[boss, 'Owner']]);
    const agent = await server.agent(p);
    const answers: string[] = [];
    const ask = async (operation: string, variables: object, text: string): Promise<void> => {
      answers.push(`${operation}: ${JSON.stringify(await server.graphql(text, { p, ...variables }, boss))}`);
    };
    const rest = async (method: 'GET' | 'POST', url: string, body?: object): Promise<void> => {
      answers.push(`${url}: ${JSON.stringify(await server.rest(method, url, body, boss))}`);
    };

    await rest('POST', '/create_user', { username: 'ann', password: PASSWORD, role: 'user' });
    await rest('POST', '/login', { username: 'ann', password: `${PASSWORD}x` });
    await rest('POST', '/reset/password', { username: 'ann', newPassword: NEXT_PASSWORD });
    const hub =
      'mutation ($p: ID!, $r: CreateChaosHubRequest!) { saveChaosHub(projectID: $p, request: $r) { id token password sshPrivateKey } }';
    await ask('saveChaosHub', { r: { ...HUB, ...PROOF } }, hub);
    await ask(
      'addChaosHub',
      { r: { ...HUB, ...PROOF, name: 'other' } },
      hub.replace('saveChaosHub', 'addChaosHub'),
    );
    const hook =
      'mutation ($p: ID!, $r: CreateWebhookRequest!) { createWebhook(projectID: $p, request: $r) { secret } }';
    const { createWebhook } = await server.data(hook, { p, r: HOOK }, boss);
    const hookSecret = (createWebhook as { secret: string }).secret;
    assert.ok(hookSecret.length > 10);
    await ask(
      'enableGitOps',
      { c: GIT },
      'mutation ($p: ID!, $c: GitConfig!) { enableGitOps(projectID: $p, configurations: $c) }',
    );

    const named = { projectID: p, project_id: p, ...agent };
    for (const { name } of GRAPHQL_OPERATIONS) {
      const { kind, document, variables } = anyDocument(controlPlaneSchema(), name, named);
      if (HANDS_OUT.has(name) || LEFT_OUT.has(name) || kind === 'subscription') continue;
      await ask(name, variables, document);
    }
    for (const { name } of REST_OPERATIONS) {
      const [method, path = ''] = name.split(' ') as ['GET' | 'POST', string];
      if (method !== 'GET') continue;
      const url = path.replace(':project_id', p).replaceAll(/:\w+/g, boss.id);
      const reply = await server.app.inject({
        method,
        url,
        headers: { authorization: `Bearer ${boss.token}` },
      });
      answers.push(`${name}: ${reply.body}`);
    }
    const login = await server.rest('POST', '/login', { username: 'ann', password: NEXT_PASSWORD });
    assert.equal(login.status, 200);
    const audited = await server.plane.store.read.selectFrom('audit').selectAll().execute();
    assert.ok(audited.length > 3);

    const secrets = {
      PASSWORD,
      NEXT_PASSWORD,
      HUB_TOKEN,
      GIT_TOKEN,
      hookSecret,
      key: agent.accessKey,
      session: boss.token,
      token: String(login.body.accessToken),
    };
    for (const [what, secret] of Object.entries(secrets)) {
      for (const text of [...answers, ...lines, ...audited.map((line) => JSON.stringify(line))]) {
        assert.equal(text.includes(secret), false, `${what} stands in ${text}`);
      }
    }
  });
});
