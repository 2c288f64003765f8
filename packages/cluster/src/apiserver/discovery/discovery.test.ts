import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { asObjects, asString, type Json, valueAt } from '../object.ts';
import { type Answer, startTestServer, type TestServer } from '../testing/test-server.ts';

const V2 = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
const V2_BETA = 'application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList';
/** What clients made with client-go since 1.30 send, kubectl among them. */
const CLIENT_GO = `${V2},${V2_BETA},application/json`;

function ask(server: TestServer, path: string, accept: string, more: Json = {}): Promise<Answer> {
  return server.call('GET', path, { headers: { accept, ...more } });
}

function group(list: Json, name: string): Json | undefined {
  return asObjects(list.items).find((item) => (valueAt(item, 'metadata', 'name') ?? '') === name);
}

function resource(list: Json, name: string, version: string, plural: string): Json | undefined {
  const versions = asObjects(group(list, name)?.versions);
  const found = versions.find((item) => item.version === version);
  return asObjects(found?.resources).find((item) => item.resource === plural);
}

const WIDGETS = 'shop.example.com';
const DEFINITION = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `widgets.${WIDGETS}` },
  spec: {
    group: WIDGETS,
    scope: 'Cluster',
    names: { plural: 'widgets', kind: 'Widget', shortNames: ['wg'], categories: ['all', 'shop'] },
    versions: ['v1', 'v2beta1'].map((name) => ({
      name,
      served: true,
      storage: name === 'v1',
      schema: { openAPIV3Schema: { type: 'object' } },
      ...(name === 'v1' ? { subresources: { status: {} } } : {}),
    })),
  },
};

describe('aggregated discovery', () => {
  for (const [accept, expected] of [
    [CLIENT_GO, 'v2'],
    [V2, 'v2'],
    [V2_BETA, 'v2beta1'],
    // As client-go 1.26 to 1.29 ask, and the order of parameters in kube-apiserver's documentation.
    [`${V2_BETA},application/json`, 'v2beta1'],
    ['application/json;v=v2;g=apidiscovery.k8s.io;as=APIGroupDiscoveryList', 'v2'],
    ['application/json; as=APIGroupDiscoveryList; g=apidiscovery.k8s.io; v=v2, */*', 'v2'],
    // The form that is liked best among those that aggregate.
    [`${V2};q=0.5, ${V2_BETA};q=0.8`, 'v2beta1'],
    [`application/json,${V2};q=0.9`, 'v2'],
    ['application/json;g=apidiscovery.k8s.io;v=v3;as=APIGroupDiscoveryList,application/json', undefined],
    [`${V2};q=0,application/json`, undefined],
    ['application/vnd.kubernetes.protobuf;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList', undefined],
    ['application/json', undefined],
    ['*/*', undefined],
    ['', undefined],
  ] as const) {
    it(`answers ${accept || 'nothing'} with ${expected ?? 'the older forms'}`, async (t) => {
      const server = await startTestServer(t);
      const [core, others] = [await ask(server, '/api', accept), await ask(server, '/apis', accept)];
      assert.deepEqual([core.status, others.status], [200, 200]);
      const older = ['APIVersions', 'APIGroupList'];
      const kind = 'APIGroupDiscoveryList';
      assert.deepEqual([core.body.kind, others.body.kind], expected === undefined ? older : [kind, kind]);
      const type =
        expected === undefined
          ? 'application/json'
          : `application/json;g=apidiscovery.k8s.io;v=${expected};as=APIGroupDiscoveryList`;
      for (const { headers, body } of [core, others]) {
        assert.deepEqual([headers['content-type'], headers.vary], [type, 'Accept']);
        if (expected !== undefined) assert.equal(body.apiVersion, `apidiscovery.k8s.io/${expected}`);
      }
    });
  }

  it('says everything that the documents of the group versions say', async (t) => {
    const server = await startTestServer(t);
    await server.call('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
      body: DEFINITION,
    });
    const { body: groups } = await server.call('GET', '/apis');
    const lists = [(await ask(server, '/api', V2)).body, (await ask(server, '/apis', V2)).body];
    const older = new Map<string, unknown>();
    const groupVersions = asObjects(groups.groups).flatMap(({ versions }) => asObjects(versions));
    for (const groupVersion of ['v1', ...groupVersions.map((each) => asString(each.groupVersion))]) {
      const path = groupVersion.includes('/') ? `/apis/${groupVersion}` : `/api/${groupVersion}`;
      for (const each of asObjects((await server.call('GET', path)).body.resources)) {
        const { name, singularName, namespaced, kind, verbs, shortNames, categories, group, version } = each;
        const id = `${groupVersion} ${name}`;
        const from = `${group ?? groupVersion.split('/').at(-2) ?? ''}/${version ?? groupVersion.split('/').at(-1)}`;
        const isWhole = !asString(name).includes('/');
        const names = isWhole ? { singularName, namespaced, shortNames, categories } : {};
        older.set(id, { ...names, kind: `${from}/${kind}`, verbs });
      }
    }
    const aggregated = new Map<string, unknown>();
    const kindOf = (each: Json): string =>
      ['group', 'version', 'kind'].map((field) => valueAt(each, 'responseKind', field)).join('/');
    for (const item of lists.flatMap((list) => asObjects(list.items))) {
      for (const { version, resources, freshness } of asObjects(item.versions)) {
        assert.equal(freshness, 'Current');
        const name = asString(valueAt(item, 'metadata', 'name'));
        const groupVersion = name === '' ? version : `${name}/${version}`;
        for (const each of asObjects(resources)) {
          const { resource, singularResource, scope, verbs, shortNames, categories } = each;
          aggregated.set(`${groupVersion} ${resource}`, {
            singularName: singularResource,
            namespaced: scope === 'Namespaced',
            shortNames,
            categories,
            kind: kindOf(each),
            verbs,
          });
          for (const sub of asObjects(each.subresources)) {
            const id = `${groupVersion} ${resource}/${sub.subresource}`;
            aggregated.set(id, { kind: kindOf(sub), verbs: sub.verbs });
          }
        }
      }
    }
    assert.ok(older.size > 80, `${older.size} resources`);
    assert.deepEqual(aggregated, older);
  });

  it('names kinds, scopes, short names, categories and subresources', async (t) => {
    const server = await startTestServer(t);
    const { body: core } = await ask(server, '/api', CLIENT_GO);
    assert.deepEqual(
      asObjects(core.items).map(({ metadata }) => metadata),
      [{ creationTimestamp: null }],
    );
    const pods = resource(core, '', 'v1', 'pods');
    const { subresources, ...rest } = pods ?? {};
    assert.deepEqual(rest, {
      resource: 'pods',
      responseKind: { group: '', version: 'v1', kind: 'Pod' },
      scope: 'Namespaced',
      singularResource: 'pod',
      verbs: ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'],
      shortNames: ['po'],
      categories: ['all'],
    });
    assert.deepEqual(
      asObjects(subresources).find(({ subresource }) => subresource === 'eviction'),
      {
        subresource: 'eviction',
        responseKind: { group: 'policy', version: 'v1', kind: 'Eviction' },
        verbs: ['create'],
      },
    );
    assert.equal(resource(core, '', 'v1', 'nodes')?.scope, 'Cluster');
    const { body: others } = await ask(server, '/apis', CLIENT_GO);
    const scale = asObjects(resource(others, 'apps', 'v1', 'deployments')?.subresources)[1];
    assert.deepEqual(scale?.responseKind, { group: 'autoscaling', version: 'v1', kind: 'Scale' });
    // The preferred version comes first.
    assert.deepEqual(
      asObjects(group(others, 'autoscaling')?.versions).map(({ version }) => version),
      ['v2', 'v1'],
    );
  });

  it('has kinds of definitions at once, each version as it is, and no longer than they are there', async (t) => {
    const server = await startTestServer(t);
    const etags = new Set<unknown>();
    const look = async (): Promise<Json> => {
      const { headers, body } = await ask(server, '/apis', CLIENT_GO);
      etags.add(headers.etag);
      return body;
    };
    assert.equal(group(await look(), WIDGETS), undefined);
    const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
    assert.equal((await server.call('POST', path, { body: DEFINITION })).status, 201);
    const present = await look();
    const widgets = resource(present, WIDGETS, 'v1', 'widgets');
    assert.deepEqual(
      [widgets?.scope, widgets?.singularResource, widgets?.shortNames, widgets?.categories],
      ['Cluster', 'widget', ['wg'], ['all', 'shop']],
    );
    assert.deepEqual(
      asObjects(widgets?.subresources).map(({ subresource }) => subresource),
      ['status'],
    );
    assert.equal(resource(present, WIDGETS, 'v2beta1', 'widgets')?.subresources, undefined);
    const { body: older } = await server.call('GET', `/apis/${WIDGETS}/v2beta1`);
    assert.deepEqual(
      asObjects(older.resources).map(({ name }) => name),
      ['widgets'],
    );
    assert.equal((await server.call('DELETE', `${path}/widgets.${WIDGETS}`)).status, 200);
    assert.equal(group(await look(), WIDGETS), undefined);
    assert.equal(etags.size, 2);
  });

  it('is not sent again to those who have it', async (t) => {
    const server = await startTestServer(t, { listen: true });
    for (const path of ['/api', '/apis']) {
      const { headers } = await ask(server, path, CLIENT_GO);
      const etag = asString(headers.etag);
      assert.match(etag, /^"[0-9A-F]{128}"$/);
      assert.equal(headers['cache-control'], 'public');
      const known = { accept: CLIENT_GO, 'if-none-match': etag };
      const again = await server.overHttps('GET', path, { headers: known });
      assert.deepEqual([again.status, again.headers.etag, again.body.text], [304, etag, '']);
      assert.equal((await ask(server, path, V2_BETA)).headers.etag, etag);
      const other = await ask(server, path, CLIENT_GO, { 'if-none-match': '"0"' });
      assert.equal(other.status, 200);
    }
  });
});
