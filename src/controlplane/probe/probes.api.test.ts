import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TestServer } from '../server/testing/test-server.ts';
import { describeOnDatabases } from '../store/testing/databases.ts';

const FIELDS = `name type description tags referencedBy updatedBy { username }
  kubernetesHTTPProperties { probeTimeout interval initialDelay url insecureSkipVerify method { get { criteria responseCode } post { body bodyPath contentType } } }
  kubernetesCMDProperties { command source comparator { type criteria value } }
  promProperties { endpoint } k8sProperties { resource resourceNames operation }
  recentExecutions { faultName }`;
const ADD = `mutation ($p: ID!, $r: ProbeRequest!) { addProbe(projectID: $p, request: $r) { ${FIELDS} } }`;
const GET = `query ($p: ID!, $n: ID!) { getProbe(projectID: $p, probeName: $n) { ${FIELDS} } }`;
const UPDATE = `mutation ($p: ID!, $r: ProbeRequest!) { updateProbe(projectID: $p, request: $r) }`;
const REMOVE = `mutation ($p: ID!, $n: ID!) { deleteProbe(projectID: $p, probeName: $n) }`;
const FREE = `query ($p: ID!, $n: ID!) { validateUniqueProbe(projectID: $p, probeName: $n) }`;
const YAML = `query ($p: ID!, $r: GetProbeYAMLRequest!) { getProbeYAML(projectID: $p, request: $r) }`;
const REFERENCE = `query ($p: ID!, $n: ID!) {
  getProbeReference(projectID: $p, probeName: $n) { name totalRuns recentExecutions { faultName } }
}`;
const LIST = `query ($p: ID!, $n: [ID!], $f: ProbeFilterInput) {
  listProbes(projectID: $p, probeNames: $n, filter: $f) { name }
}`;

const http = (name: string, more: object = {}): object => ({
  name,
  type: 'httpProbe',
  infrastructureType: 'Kubernetes',
  kubernetesHTTPProperties: {
    probeTimeout: '500',
    interval: '1s',
    initialDelay: '2s',
    url: 'http://web',
    insecureSkipVerify: true,
    method: {
      post: { criteria: '==', responseCode: '200', body: 'a', bodyPath: '/b', contentType: 'text/plain' },
    },
  },
  ...more,
});

const cmd = (source: string): object => ({
  name: 'ping',
  type: 'cmdProbe',
  infrastructureType: 'Kubernetes',
  kubernetesCMDProperties: {
    probeTimeout: '5s',
    interval: '1s',
    command: 'true',
    comparator: { type: 'int', criteria: '==', value: '0' },
    source,
  },
});

describeOnDatabases('probes', (database) => {
  test('addProbe, getProbe, updateProbe, getProbeYAML, getProbeReference, deleteProbe, validateUniqueProbe', async () => {
    const server = await TestServer.start(database);
    const owner = await server.user('olga');
    const p = await server.project([[owner, 'Owner']]);
    const free = async (): Promise<unknown> =>
      (await server.data(FREE, { p, n: 'web' }, owner)).validateUniqueProbe;
    assert.equal(await free(), true);

    const added = await server.data(ADD, { p, r: http('web', { tags: ['a'] }) }, owner);
    const expected = {
      name: 'web',
      type: 'httpProbe',
      description: '',
      tags: ['a'],
      referencedBy: 0,
      updatedBy: { username: 'olga' },
      kubernetesHTTPProperties: {
        probeTimeout: '500',
        interval: '1s',
        initialDelay: '2s',
        url: 'http://web',
        insecureSkipVerify: true,
        method: { get: null, post: { body: 'a', bodyPath: '/b', contentType: 'text/plain' } },
      },
      kubernetesCMDProperties: null,
      promProperties: null,
      k8sProperties: null,
      recentExecutions: [],
    };
    assert.deepEqual(added.addProbe, expected);
    assert.equal(await free(), false);
    assert.deepEqual((await server.data(GET, { p, n: 'web' }, owner)).getProbe, expected);

    const yaml = await server.data(YAML, { p, r: { probeName: 'web', mode: 'SOT' } }, owner);
    assert.deepEqual(JSON.parse(String(yaml.getProbeYAML)), {
      name: 'web',
      type: 'httpProbe',
      mode: 'SOT',
      runProperties: { probeTimeout: '500ms', interval: '1s', initialDelay: '2s' },
      'httpProbe/inputs': {
        url: 'http://web',
        insecureSkipVerify: true,
        method: {
          post: { criteria: '==', responseCode: '200', body: 'a', bodyPath: '/b', contentType: 'text/plain' },
        },
      },
    });

    const updated = await server.data(UPDATE, { p, r: http('web', { description: 'asks' }) }, owner);
    assert.equal(updated.updateProbe, 'Updated successfully');
    const after = (await server.data(GET, { p, n: 'web' }, owner)).getProbe;
    assert.deepEqual(after, { ...expected, description: 'asks' });

    const reference = (await server.data(REFERENCE, { p, n: 'web' }, owner)).getProbeReference;
    assert.deepEqual(reference, { name: 'web', totalRuns: 0, recentExecutions: [] });

    assert.equal((await server.data(REMOVE, { p, n: 'web' }, owner)).deleteProbe, true);
    assert.equal(await free(), true);
    const gone = await server.graphql(GET, { p, n: 'web' }, owner);
    assert.equal(gone.errors[0]?.message, 'no probe web in this project');
    await server.data(ADD, { p, r: http('web') }, owner);
  });

  test('addProbe and updateProbe refuse what they cannot keep', async () => {
    const server = await TestServer.start(database);
    const owner = await server.user('olga');
    const p = await server.project([[owner, 'Owner']]);
    await server.data(ADD, { p, r: http('web') }, owner);
    const refused = async (query: string, r: object): Promise<string | undefined> =>
      (await server.graphql(query, { p, r }, owner)).errors[0]?.message;

    assert.equal(await refused(ADD, http('web')), 'probe already exists');
    assert.equal(await refused(ADD, http(' ')), 'name is empty');
    assert.equal(
      await refused(ADD, { name: 'x', type: 'k8sProbe', infrastructureType: 'Kubernetes' }),
      "k8s probe type's properties are empty",
    );
    assert.equal(
      await refused(ADD, cmd('image: x')),
      'cannot store probe ping: the source of a cmdProbe is no JSON object; write it as JSON text',
    );
    assert.equal(
      await refused(UPDATE, { ...cmd(''), name: 'web' }),
      'cannot update probe web: it is of type httpProbe, and the type of a probe cannot change',
    );
    assert.equal(await refused(UPDATE, cmd('')), 'no probe ping in this project');
    const source = '{"image":"alpine","hostNetwork":true}';
    const kept = await server.data(ADD, { p, r: cmd(source) }, owner);
    assert.equal(
      (kept.addProbe as { kubernetesCMDProperties: { source: string } }).kubernetesCMDProperties.source,
      source,
    );
  });

  test('listProbes: filters by names, part of a name, type, time; other projects are not seen', async () => {
    const server = await TestServer.start(database);
    const owner = await server.user('olga');
    const p = await server.project([[owner, 'Owner']]);
    const other = await server.project([[owner, 'Owner']]);
    for (const name of ['web-a', 'web-b', 'db']) await server.data(ADD, { p, r: http(name) }, owner);
    await server.data(ADD, { p, r: cmd('') }, owner);
    await server.data(ADD, { p: other, r: http('foreign') }, owner);
    const names = async (n?: string[], f?: object): Promise<string[]> => {
      const { listProbes } = await server.data(LIST, { p, n, f }, owner);
      return (listProbes as { name: string }[]).map(({ name }) => name).toSorted();
    };
    assert.deepEqual(await names(), ['db', 'ping', 'web-a', 'web-b']);
    assert.deepEqual(await names(['db', 'foreign']), ['db']);
    assert.deepEqual(await names([], { name: 'WEB' }), ['web-a', 'web-b']);
    assert.deepEqual(await names([], { type: ['cmdProbe'] }), ['ping']);
    assert.deepEqual(await names([], { dateRange: { startDate: '0', endDate: '1' } }), []);
    const wrong = await server.graphql(LIST, { p, f: { dateRange: { startDate: 'x' } } }, owner);
    assert.equal(wrong.errors[0]?.message, 'unable to parse startDate "x": write milliseconds since 1970');
  });
});
