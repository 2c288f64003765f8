import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FakeClock } from '@turnsole/kube/testing/fake-clock';
import { asJson, asString, type Json, valueAt } from '../object.ts';
import { startTestServer, type TestServer } from '../testing/test-server.ts';

async function addresses(server: TestServer): Promise<Map<string, string>> {
  const { body } = await server.call('GET', '/openapi/v3');
  const paths = Object.entries(asJson(body.paths));
  return new Map(
    paths.map(([path, entry]) => [path, asString((entry as Json | undefined)?.serverRelativeURL)]),
  );
}

describe('OpenAPI v3', () => {
  it('has addresses that change with the content of their document, and only then', async (t) => {
    const server = await startTestServer(t);
    const before = await addresses(server);
    assert.ok(before.size > 15, `${before.size} group versions`);
    const schema = { openAPIV3Schema: { type: 'object', description: 'First.' } };
    const definition = {
      metadata: { name: 'widgets.apps.example.com' },
      spec: {
        group: 'apps.example.com',
        scope: 'Cluster',
        names: { plural: 'widgets', kind: 'Widget' },
        versions: [{ name: 'v1', served: true, storage: true, schema }],
      },
    };
    const crds = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
    await server.call('POST', crds, { body: definition });
    const after = await addresses(server);
    const first = after.get('apis/apps.example.com/v1');
    const added = [...after].filter(([path, address]) => before.get(path) !== address);
    assert.deepEqual(
      added.map(([path]) => path),
      ['apis/apps.example.com', 'apis/apps.example.com/v1'],
    );
    const patch = [
      {
        op: 'replace',
        path: '/spec/versions/0/schema/openAPIV3Schema/description',
        value: 'Second.',
      },
    ];
    await server.call('PATCH', `${crds}/widgets.apps.example.com`, {
      type: 'application/json-patch+json',
      body: patch,
    });
    const second = (await addresses(server)).get('apis/apps.example.com/v1') ?? '';
    assert.notEqual(second, first);
    // Clients that still have the old address are led to the new one.
    const moved = await server.call('GET', first ?? '');
    assert.deepEqual([moved.status, moved.headers.location], [301, second]);
    assert.equal((await server.call('GET', second)).status, 200);
  });

  it('may be kept for good by the address with its hash, and is not sent again otherwise', async (t) => {
    const clock = new FakeClock();
    const server = await startTestServer(t, { clock });
    const address = (await addresses(server)).get('apis/apps/v1') ?? '';
    const whole = await server.call('GET', address);
    assert.ok(valueAt(whole.body, 'components', 'schemas', 'io.k8s.api.apps.v1.Deployment'));
    const { etag, expires, 'cache-control': caching } = whole.headers;
    assert.equal(address, `/openapi/v3/apis/apps/v1?hash=${asString(etag).replaceAll('"', '')}`);
    assert.equal(caching, 'public, immutable');
    assert.equal(Date.parse(asString(expires)) - clock.now(), 365 * 24 * 3_600_000);
    const bare = await server.call('GET', '/openapi/v3/apis/apps/v1');
    assert.deepEqual([bare.headers['cache-control'], bare.headers.etag], [undefined, etag]);
    for (const path of ['/openapi/v3', '/openapi/v3/apis/apps/v1', '/openapi/v2', address]) {
      const { headers } = await server.call('GET', path);
      const known = { 'if-none-match': asString(headers.etag) };
      const again = await server.call('GET', path, { headers: known });
      assert.deepEqual([again.status, again.headers.etag], [304, headers.etag], path);
    }
  });

  it('leads from a group to its versions', async (t) => {
    const server = await startTestServer(t);
    for (const [path, type] of [
      ['api', 'APIVersions'],
      ['apis/apps', 'APIGroup'],
    ]) {
      const { body } = await server.call('GET', `/openapi/v3/${path}`);
      assert.deepEqual(Object.keys(asJson(body.paths)), [`/${path}/`]);
      assert.ok(valueAt(body, 'components', 'schemas', `io.k8s.apimachinery.pkg.apis.meta.v1.${type}`));
    }
  });

  it('is served under the paths of groups and their versions only, as JSON', async (t) => {
    const server = await startTestServer(t);
    for (const path of ['v2', 'v2.pb', 'apis/apps/v9', 'apis/nothing', 'apis', '']) {
      assert.equal((await server.call('GET', `/openapi/v3/${path}`)).status, 404, path);
    }
    const asHtml = { headers: { accept: 'text/html' } };
    assert.equal((await server.call('GET', '/openapi/v3/apis/apps/v1', asHtml)).status, 406);
  });
});
