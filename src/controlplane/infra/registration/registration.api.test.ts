import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseAllDocuments } from 'yaml';
import { TestServer, type TestUser } from '../../server/testing/test-server.ts';
import { describeOnDatabases } from '../../store/testing/databases.ts';

const REGISTER = `mutation ($p: ID!, $r: RegisterInfraRequest!) {
  registerInfra(projectID: $p, request: $r) { infraID name token manifest }
}`;
const CONFIRM = `mutation ($r: InfraIdentity!) {
  confirmInfraRegistration(request: $r) { isInfraConfirmed newAccessKey infraID }
}`;

interface Registered {
  readonly infraID: string;
  readonly name: string;
  readonly token: string;
  readonly manifest: string;
}

interface Document {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly data?: Readonly<Record<string, string>>;
}

const request = (more: object = {}): object => ({
  name: 'east',
  environmentID: 'staging',
  infrastructureType: 'Kubernetes',
  platformName: 'AWS',
  infraScope: 'cluster',
  ...more,
});

async function scene(server: TestServer): Promise<{ readonly owner: TestUser; readonly p: string }> {
  const owner = await server.user('olga');
  const p = await server.project([[owner, 'Owner']]);
  const environment = `mutation ($p: ID!) {
    createEnvironment(projectID: $p, request: { environmentID: "staging", name: "Staging", type: NON_PROD }) { environmentID }
  }`;
  await server.data(environment, { p }, owner);
  return { owner, p };
}

async function register(server: TestServer, p: string, owner: TestUser, more?: object): Promise<Registered> {
  return (await server.data(REGISTER, { p, r: request(more) }, owner)).registerInfra as Registered;
}

function documents(manifest: string): Document[] {
  return parseAllDocuments(manifest).map((document) => document.toJS());
}

function keyIn(manifest: string): string {
  const secret = documents(manifest).find(({ kind }) => kind === 'Secret');
  return Buffer.from(secret?.data?.ACCESS_KEY ?? '', 'base64').toString();
}

describeOnDatabases('registration of infrastructures', (database) => {
  test('registerInfra, getInfra, getInfraDetails, listInfras, getInfraStats', async () => {
    const server = await TestServer.start(database);
    const { owner, p } = await scene(server);
    const made = await register(server, p, owner, { tags: ['prod'], description: 'first' });

    const fields = `infraID name description tags environmentID platformName isActive isInfraConfirmed infraNamespace
      serviceAccount infraScope infraNsExists infraSaExists version infraType updateStatus createdBy { username }`;
    const expected = {
      infraID: made.infraID,
      name: 'east',
      description: 'first',
      tags: ['prod'],
      environmentID: 'staging',
      platformName: 'AWS',
      isActive: false,
      isInfraConfirmed: false,
      infraNamespace: 'litmus',
      serviceAccount: 'litmus',
      infraScope: 'cluster',
      infraNsExists: false,
      infraSaExists: false,
      version: '',
      infraType: 'Kubernetes',
      updateStatus: 'NOT_REQUIRED',
      createdBy: { username: 'olga' },
    };
    const get = (query: string): Promise<Readonly<Record<string, unknown>>> =>
      server.data(
        `query ($p: ID!, $i: ${query === 'getInfra' ? 'String' : 'ID'}!) { ${query}(projectID: $p, infraID: $i) { ${fields} } }`,
        { p, i: made.infraID },
        owner,
      );
    assert.deepEqual((await get('getInfra')).getInfra, expected);
    assert.deepEqual((await get('getInfraDetails')).getInfraDetails, expected);

    await register(server, p, owner, { name: 'west_1', infraScope: 'namespace' });
    const list = `query ($p: ID!, $r: ListInfraRequest) { listInfras(projectID: $p, request: $r) { totalNoOfInfras infras { name } } }`;
    const names = async (r: object): Promise<unknown> =>
      ((await server.data(list, { p, r }, owner)).listInfras as { infras: object[] }).infras;
    assert.deepEqual(await names({ filter: { name: 'T_' } }), [{ name: 'west_1' }]);
    assert.deepEqual(await names({ filter: { infraScope: 'cluster', tags: ['prod'], isActive: false } }), [
      { name: 'east' },
    ]);
    assert.deepEqual(await names({ infraIDs: [made.infraID], environmentIDs: ['staging'] }), [
      { name: 'east' },
    ]);
    assert.deepEqual(await names({ environmentIDs: ['other'] }), []);

    const stats = `query ($p: ID!) { getInfraStats(projectID: $p) {
      totalInfrastructures totalActiveInfrastructure totalInactiveInfrastructures totalConfirmedInfrastructure totalNonConfirmedInfrastructures
    } }`;
    assert.deepEqual((await server.data(stats, { p }, owner)).getInfraStats, {
      totalInfrastructures: 2,
      totalActiveInfrastructure: 0,
      totalInactiveInfrastructures: 2,
      totalConfirmedInfrastructure: 0,
      totalNonConfirmedInfrastructures: 2,
    });
  });

  test('registerInfra refuses what cannot be, in the words that clients know', async () => {
    const server = await TestServer.start(database);
    const { owner, p } = await scene(server);
    await register(server, p, owner);
    const refusals: readonly (readonly [object, string])[] = [
      [{}, 'infra already exists in this project with the same name'],
      [{ name: 'b', environmentID: 'none' }, 'Invalid EnvironmentID'],
      [{ name: 'b', infraNsExists: true }, 'InfraNamespace parameter is required if InfraNsExists is true'],
      [
        { name: 'b', nodeSelector: 'disk' },
        'node selector environment variable is not correct. Correct format: "key1=value2,key2=value2"',
      ],
      [{ name: 'b', infraScope: 'galaxy' }, 'infraScope is "galaxy"; it is cluster or namespace'],
      [
        { name: 'b', infraNamespace: 'a: b' },
        'infraNamespace "a: b": expected lower-case letters, digits and dashes, at most 63',
      ],
    ];
    for (const [more, message] of refusals) {
      const { errors } = await server.graphql(REGISTER, { p, r: request(more) }, owner);
      assert.deepEqual(
        errors.map((error) => error.message),
        [message],
      );
    }
    const rows = await server.plane.store.read.selectFrom('infras').select('name').execute();
    assert.deepEqual(
      rows.map(({ name }) => name),
      ['east'],
    );
  });

  test('confirmInfraRegistration changes the key; one that was lost on its way can be had again', async () => {
    const server = await TestServer.start(database);
    const { owner, p } = await scene(server);
    const { infraID, manifest } = await register(server, p, owner);
    const first = keyIn(manifest);
    const confirm = async (accessKey: string, version = '3.31.0'): Promise<Record<string, unknown>> =>
      (await server.data(CONFIRM, { r: { infraID, accessKey, version } })).confirmInfraRegistration as Record<
        string,
        unknown
      >;

    assert.deepEqual(await confirm('wrong'), { isInfraConfirmed: false, newAccessKey: null, infraID: null });
    const mismatch = await server.graphql(CONFIRM, {
      r: { infraID, accessKey: first, version: '3.30.0' },
    });
    assert.equal(mismatch.errors[0]?.message, 'ERROR: INFRA VERSION MISMATCH (need 3.31.0 got 3.30.0)');
    const lost = await confirm(first);
    const second = await confirm(first);
    assert.equal(second.isInfraConfirmed, true);
    assert.notEqual(second.newAccessKey, lost.newAccessKey);
    assert.equal((await confirm(String(lost.newAccessKey))).isInfraConfirmed, false);
    assert.equal(Buffer.from(String(second.newAccessKey), 'base64url').length, 32);

    const kept = await server.plane.store.read.selectFrom('infras').selectAll().execute();
    assert.ok(!JSON.stringify(kept).includes(String(second.newAccessKey)));
    const audited = await server.plane.store.read.selectFrom('audit').selectAll().execute();
    assert.ok(!JSON.stringify(audited).includes(String(second.newAccessKey)));
    const changes = await server.plane.store.read
      .selectFrom('changes')
      .select('body')
      .where('object_id', '=', infraID)
      .orderBy('seq', 'desc')
      .execute();
    assert.deepEqual(JSON.parse(changes[0]?.body ?? ''), {
      event: {
        eventType: 'infra-registration',
        eventName: 'New Infra',
        description: 'New Infra Registration',
      },
    });
    const show = `query ($p: ID!, $i: String!) { getInfra(projectID: $p, infraID: $i) { isInfraConfirmed version } }`;
    assert.deepEqual((await server.data(show, { p, i: infraID }, owner)).getInfra, {
      isInfraConfirmed: true,
      version: '3.31.0',
    });
  });

  test('getInfraManifest, getManifestWithInfraID and GET /file/:key give the present manifest', async () => {
    const server = await TestServer.start(database, {
      settings: { publicUrl: 'https://chaos.example.com', agentCa: 'CA' },
    });
    const { owner, p } = await scene(server);
    const { infraID, manifest, token } = await register(server, p, owner, {
      skipSsl: true,
      nodeSelector: 'disk=ssd',
      tolerations: [{ key: 'a', operator: 'Exists', effect: 'NoSchedule' }],
    });
    const config = documents(manifest).find(({ metadata }) => metadata.name === 'subscriber-config');
    assert.deepEqual(
      { ...config?.data, START_TIME: '', COMPONENTS: '' },
      {
        SERVER_ADDR: 'https://chaos.example.com/query',
        INFRA_SCOPE: 'cluster',
        IS_INFRA_CONFIRMED: 'false',
        COMPONENTS: '',
        VERSION: '3.31.0',
        START_TIME: '',
        SKIP_SSL_VERIFY: 'true',
        CUSTOM_TLS_CERT: Buffer.from('CA').toString('base64'),
      },
    );
    assert.match(manifest, /nodeSelector:\n +disk: ssd/);
    assert.match(manifest, /tolerations:\n +- key: a\n +operator: Exists\n +effect: NoSchedule/);

    const byMember = `query ($p: ID!, $i: ID!) { getInfraManifest(projectID: $p, infraID: $i, upgrade: true) }`;
    assert.equal((await server.data(byMember, { p, i: infraID }, owner)).getInfraManifest, manifest);
    const byKey = `mutation ($p: ID!, $i: String!, $k: String!) { getManifestWithInfraID(projectID: $p, infraID: $i, accessKey: $k) }`;
    assert.equal(
      (await server.data(byKey, { p, i: infraID, k: keyIn(manifest) })).getManifestWithInfraID,
      manifest,
    );
    const wrong = await server.graphql(byKey, { p, i: infraID, k: 'wrong' });
    assert.equal(wrong.errors[0]?.message, 'ACCESS_KEY is invalid');
    for (const url of [`/file/${token}`, `/file/${token}.yaml`]) {
      const file = await server.app.inject({ url });
      assert.deepEqual([file.statusCode, file.body], [200, manifest]);
      assert.match(file.headers['content-type'] as string, /^application\/yaml/);
    }
    assert.equal((await server.app.inject({ url: '/file/v1.abc' })).statusCode, 401);

    const other = await server.project([[owner, 'Owner']]);
    const foreign = await server.graphql(byMember, { p: other, i: infraID }, owner);
    assert.equal(foreign.errors[0]?.message, 'no matching infra');
  });

  test('an agent is given the address that the client has used; that of its Referer where there is one', async () => {
    const server = await TestServer.start(database);
    const { owner, p } = await scene(server);
    const addresses = await Promise.all(
      [{}, { referer: 'https://chaos.example.com/infra?x=1' }, { referer: 'x' }].map(
        async (headers, index) => {
          const reply = await server.app.inject({
            method: 'POST',
            url: '/query',
            payload: { query: REGISTER, variables: { p, r: request({ name: `infra ${index}` }) } },
            headers: { ...headers, authorization: `Bearer ${owner.token}`, host: 'chaos.internal:9002' },
          });
          const { manifest } = reply.json().data.registerInfra as Registered;
          return documents(manifest).find(({ metadata }) => metadata.name === 'subscriber-config')?.data
            ?.SERVER_ADDR;
        },
      ),
    );
    assert.deepEqual(addresses, [
      'http://chaos.internal:9002/query',
      'https://chaos.example.com/query',
      'http://chaos.internal:9002/query',
    ]);
  });

  test('deleteInfra keeps two actions by which the agent leaves, and a deleted one is found no more', async () => {
    const server = await TestServer.start(database);
    const { owner, p } = await scene(server);
    const { infraID } = await register(server, p, owner);
    const remove = `mutation ($p: ID!, $i: String!) { deleteInfra(projectID: $p, infraID: $i) }`;
    const other = await server.project([[owner, 'Owner']]);
    assert.equal(
      (await server.graphql(remove, { p: other, i: infraID }, owner)).errors[0]?.message,
      'no matching infra',
    );
    const { deleteInfra } = await server.data(remove, { p, i: infraID }, owner);
    assert.equal(deleteInfra, 'infra deleted successfully');
    const actions = await server.plane.store.read
      .selectFrom('actions')
      .select(['request_type', 'namespace'])
      .execute();
    assert.deepEqual(
      actions.map(({ request_type, namespace }) => [request_type, namespace]),
      [
        ['delete', 'litmus'],
        ['delete', 'litmus'],
      ],
    );
    const again = await server.graphql(remove, { p, i: infraID }, owner);
    assert.equal(again.errors[0]?.message, 'no matching infra');
    await register(server, p, owner);
  });

  test('getVersionDetails and getServerVersion', async () => {
    const server = await TestServer.start(database, {
      settings: { compatibleVersions: ['3.9.0', '3.10.0'] },
    });
    const { owner, p } = await scene(server);
    const details = `query ($p: ID!) { getVersionDetails(projectID: $p) { latestVersion compatibleVersions } }`;
    assert.deepEqual((await server.data(details, { p }, owner)).getVersionDetails, {
      latestVersion: '3.31.0',
      compatibleVersions: ['3.9.0', '3.10.0', '3.31.0'],
    });
    assert.deepEqual((await server.data('{ getServerVersion { key value } }')).getServerVersion, {
      key: 'version',
      value: '3.31.0',
    });
  });
});
