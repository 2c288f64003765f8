import assert from 'node:assert/strict';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { after, test } from 'node:test';
import { serverContext } from '../../src/controlplane/access/context.ts';
import { deliverDue } from '../../src/controlplane/notification/deliver.ts';
import { notify } from '../../src/controlplane/notification/notify.ts';
import { allowedAddresses } from '../../src/controlplane/remote/addresses.ts';
import { readRemoteAccess } from '../../src/controlplane/remote/remote-access.ts';
import { TestServer } from '../../src/controlplane/server/testing/test-server.ts';
import { projectScope } from '../../src/controlplane/store/store.ts';
import { otherDatabase } from '../../src/controlplane/store/testing/databases.ts';

const ADD =
  'mutation ($p: ID!, $r: CreateChaosHubRequest!) { addChaosHub(projectID: $p, request: $r) { id } }';
const ADD_FILE =
  'mutation ($p: ID!, $r: CreateRemoteChaosHub!) { addRemoteChaosHub(projectID: $p, request: $r) { id } }';
const HUBS = 'query ($p: ID!) { listChaosHub(projectID: $p) { name isAvailable lastError } }';
const GITOPS = 'mutation ($p: ID!, $c: GitConfig!) { enableGitOps(projectID: $p, configurations: $c) }';
const WEBHOOK =
  'mutation ($p: ID!, $r: CreateWebhookRequest!) { createWebhook(projectID: $p, request: $r) { secret } }';
const DELIVERIES = 'query ($p: ID!) { listWebhookDeliveries(projectID: $p) { state lastError } }';

/** A server of the inner network: counts who connects. */
async function innerServer() {
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    socket.destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  after(() => server.close());
  return { port: (server.address() as AddressInfo).port, connections: () => connections };
}

/** An outer server that redirects each request, and counts them. */
async function redirectingServer(location: () => string) {
  let requests = 0;
  const server = createHttpServer((request, response) => {
    requests += 1;
    request.resume();
    response.writeHead(307, { location: location() }).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  after(() => server.close());
  return { port: (server.address() as AddressInfo).port, requests: () => requests };
}

test('the server connects to no server of its own network for a user', async (t) => {
  const inner = await innerServer();
  let location = '';
  const outer = await redirectingServer(() => location);
  /** Where a name that is neither of both leads to. */
  let innerName = ['127.0.0.1'];
  const remote = {
    ...readRemoteAccess({}),
    reach: {
      allowed: allowedAddresses('outer.example'),
      lookUp: async (host: string) =>
        (host === 'outer.example' ? ['127.0.0.1'] : host.endsWith('.example') ? innerName : [host]).map(
          (address) => ({ address, family: address.includes(':') ? 6 : 4 }),
        ),
    },
  };
  const database = otherDatabase('sqlite', true);
  assert.ok(database !== undefined);
  const server = await TestServer.start(database, { settings: { remote } });
  const owner = await server.user('olga');
  const p = await server.project([[owner, 'Owner']]);
  const hub = (repoURL: string, name: string) => ({
    ...{ name, repoURL, repoBranch: 'main', remoteHub: 'git', isPrivate: false, authType: 'NONE' },
  });
  const file = (repoURL: string, name: string) => ({ name, repoURL, remoteHub: 'zip' });
  const git = (repoURL: string) => ({ branch: 'main', repoURL, authType: 'NONE' });
  const hook = (url: string) => ({ name: 'x', url, events: ['RUN_ENDED'] });
  const stored = async () =>
    Promise.all(
      (['hubs', 'gitops', 'webhooks', 'audit'] as const).map((table) =>
        server.plane.store.read.selectFrom(table).selectAll().execute(),
      ),
    );
  const { port } = inner;

  const doors: Readonly<Record<string, (url: string) => [string, object, string]>> = {
    addChaosHub: (url) => [ADD, { r: hub(url, 'x') }, 'request.repoURL'],
    addRemoteChaosHub: (url) => [ADD_FILE, { r: file(url, 'x') }, 'request.repoURL'],
    enableGitOps: (url) => [GITOPS, { c: git(url) }, 'configurations.repoURL'],
    createWebhook: (url) => [WEBHOOK, { r: hook(url) }, 'request.url'],
  };
  const addresses = [
    ...[`http://127.0.0.1:${port}/r`, `http://0x7f.1:${port}/r`, `http://2130706433:${port}/r`],
    ...[`http://[::ffff:127.0.0.1]:${port}/r`, `http://localhost:${port}/r`, `http://x.localhost.:${port}/r`],
    ...[`https://127.0.0.1:${port}/r`, `ssh://git@127.0.0.1:${port}/r`, 'git@127.0.0.1:r', 'git@0x7f.1:r'],
    ...['http://169.254.169.254/latest/meta-data', 'http://[fd00:ec2::254]/', 'http://10.0.0.1/r'],
    ...[
      'javascript:alert(1)',
      'data:text/html,x',
      'vbscript:x',
      'file:///etc/passwd',
      'javascript://x/%0aalert(1)',
    ],
  ];
  for (const [door, of] of Object.entries(doors)) {
    for (const address of addresses) {
      await t.test(`${door} refuses ${address}, naming the field`, async () => {
        const before = await stored();
        const [query, variables, field] = of(address);
        const { errors } = await server.graphql(query, { p, ...variables }, owner);
        const [{ extensions } = { extensions: {} }] = errors;
        assert.deepEqual(extensions, { code: 'invalid', fields: [field] }, JSON.stringify(errors));
        assert.deepEqual(await stored(), before, 'something was stored');
        assert.equal(inner.connections(), 0);
      });
    }
  }

  const names: readonly (readonly string[])[] = [
    ...[['127.0.0.1'], ['::ffff:127.0.0.1'], ['8.8.8.8', '127.0.0.1'], ['127.0.0.1', '8.8.8.8']],
  ];
  for (const [index, resolved] of names.entries()) {
    await t.test(`a name that resolves to ${resolved.join(' and ')} is not connected to`, async () => {
      innerName = [...resolved];
      const url = `http://inner.example:${port}/r`;
      await server.graphql(ADD, { p, r: hub(url, `git ${index}`) }, owner);
      await server.graphql(ADD, { p, r: hub(`ssh://git@inner.example:${port}/r`, `ssh ${index}`) }, owner);
      await server.graphql(ADD_FILE, { p, r: file(url, `zip ${index}`) }, owner);
      const { listChaosHub } = await server.data(HUBS, { p }, owner);
      const hubs = (listChaosHub as { name: string; lastError: string | null }[]).filter(({ name }) =>
        name.endsWith(` ${index}`),
      );
      assert.equal(hubs.length, 3);
      for (const { name, lastError } of hubs)
        assert.match(lastError ?? '', /is refused: the address is of this machine/, name);
      for (const [query, variables] of [
        [GITOPS, { c: git(url) }],
        [WEBHOOK, { r: hook(url) }],
      ] as const) {
        const { errors } = await server.graphql(query, { p, ...variables }, owner);
        assert.match(errors[0]?.message ?? '', /is refused: the address is of this machine/);
      }
      assert.equal(inner.connections(), 0);
    });
  }

  for (const [index, to] of [
    `http://127.0.0.1:${port}/r`,
    `http://localhost:${port}/r`,
    `http://0x7f.1:${port}/r`,
    `http://inner.example:${port}/r`,
    `ssh://git@127.0.0.1:${port}/r`,
    `//127.0.0.1:${port}/r`,
    'file:///etc/passwd',
    'javascript:alert(1)',
  ].entries()) {
    await t.test(`a redirect to ${to} is not followed`, async () => {
      location = to;
      const before = outer.requests();
      const url = `http://outer.example:${outer.port}/r`;
      const kinds: readonly [string, object][] = [
        [ADD, { r: hub(url, `redirected git ${index}`) }],
        [ADD_FILE, { r: file(url, `redirected zip ${index}`) }],
        [GITOPS, { c: git(url) }],
      ];
      for (const [query, variables] of kinds) await server.graphql(query, { p, ...variables }, owner);
      assert.ok(outer.requests() >= before + kinds.length, 'each asked the outer server');
      assert.equal(inner.connections(), 0);
      const { listChaosHub } = await server.data(HUBS, { p }, owner);
      const hubs = (
        listChaosHub as { name: string; isAvailable: boolean; lastError: string | null }[]
      ).filter(({ name }) => name.startsWith('redirected') && name.endsWith(` ${index}`));
      assert.equal(hubs.length, 2);
      for (const { isAvailable, lastError } of hubs) assert.ok(!isAvailable && lastError !== null);
    });
  }

  await t.test(
    'a webhook whose name or server leads inwards after it was created delivers nothing there',
    async () => {
      innerName = ['8.8.8.8'];
      await server.data(WEBHOOK, { p, r: hook(`http://moves.example:${port}/hook`) }, owner);
      await server.data(WEBHOOK, { p, r: hook(`http://outer.example:${outer.port}/hook`) }, owner);
      innerName = ['127.0.0.1'];
      location = `http://127.0.0.1:${port}/hook`;
      await server.plane.store.transaction(projectScope(p), (tx) =>
        notify(tx, { project: p, event: 'RUN_ENDED', summary: 'x', details: {} }),
      );
      const stop = new AbortController();
      assert.equal(await deliverDue(serverContext(server.plane, 'deliver notices', stop.signal)), 2);
      const { listWebhookDeliveries } = await server.data(DELIVERIES, { p }, owner);
      const outcomes = (listWebhookDeliveries as { state: string; lastError: string }[]).map(
        ({ state, lastError }) => `${state} ${lastError}`,
      );
      assert.match(
        outcomes.toSorted().join('\n'),
        /WAITING moves\.example .*is refused.*\nWAITING outer\.example.* answered with status 307/,
      );
      assert.equal(inner.connections(), 0);
    },
  );

  await t.test('the inner server would have seen a connection', async () => {
    remote.reach.allowed = allowedAddresses('127.0.0.1');
    await server.graphql(ADD, { p, r: hub(`http://127.0.0.1:${port}/r`, 'allowed') }, owner);
    assert.notEqual(inner.connections(), 0);
  });
});
