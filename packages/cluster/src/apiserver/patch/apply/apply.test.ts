import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { asJson, asList, asObjects, type Json, valueAt } from '../../object.ts';
import { deploymentOf, startTestServer, type TestServer } from '../../testing/test-server.ts';
import { fromFieldsV1, pathsOf, subtract, toFieldsV1, union } from './field-set.ts';

const DEPLOYMENTS = '/apis/apps/v1/namespaces/default/deployments';
const TYPE = 'application/apply-patch+yaml';

function config(more: Json = {}, metadata: Json = {}): Json {
  const { spec } = deploymentOf('web');
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web', ...metadata },
    spec: { ...asJson(spec), ...more },
  };
}

function apply(
  server: TestServer,
  body: unknown,
  manager = 'one',
  query = '',
): ReturnType<TestServer['call']> {
  return server.call('PATCH', `${DEPLOYMENTS}/web?fieldManager=${manager}${query}`, { type: TYPE, body });
}

function owners(object: Json): string[] {
  return asObjects(asJson(object.metadata).managedFields).map(
    ({ manager, operation, subresource }) =>
      `${String(manager)} ${String(operation)}${subresource === undefined ? '' : ` ${String(subresource)}`}`,
  );
}

describe('field sets', () => {
  const fields = { 'f:spec': { 'f:list': { 'k:{"name":"a"}': { '.': {}, 'f:image': {} } }, 'f:size': {} } };
  it('read and write FieldsV1', () => assert.deepEqual(toFieldsV1(fromFieldsV1(fields)), fields));
  it('are shown as paths', () =>
    assert.deepEqual(pathsOf(fromFieldsV1(fields)), [
      '.spec.list[name="a"]',
      '.spec.list[name="a"].image',
      '.spec.size',
    ]));
  it('are united and subtracted by member', () => {
    const other = fromFieldsV1({ 'f:spec': { 'f:size': {}, 'f:x': {} } });
    assert.deepEqual(pathsOf(union(fromFieldsV1(fields), other)).length, 4);
    assert.deepEqual(pathsOf(subtract(fromFieldsV1(fields), other)), [
      '.spec.list[name="a"]',
      '.spec.list[name="a"].image',
    ]);
  });
});

describe('server-side apply', () => {
  it('creates and owns what it says', async (t) => {
    const server = await startTestServer(t);
    const answer = await apply(server, config());
    assert.equal(answer.status, 201, JSON.stringify(answer.body));
    assert.deepEqual(owners(answer.body), ['one Apply']);
    const [entry] = asObjects(valueAt(answer.body, 'metadata', 'managedFields'));
    assert.deepEqual(valueAt(entry, 'fieldsV1', 'f:spec', 'f:template', 'f:spec', 'f:containers'), {
      'k:{"name":"main"}': { '.': {}, 'f:image': {}, 'f:name': {} },
    });
  });

  it('takes YAML', async (t) => {
    const server = await startTestServer(t);
    const text =
      'apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec:\n  selector: {matchLabels: {a: b}}\n  template: {metadata: {labels: {a: b}}, spec: {containers: [{name: m, image: i}]}}\n';
    assert.equal((await apply(server, text)).status, 201);
  });

  it('changes nothing when nothing changed', async (t) => {
    const server = await startTestServer(t);
    const first = await apply(server, config());
    assert.deepEqual((await apply(server, config())).body, first.body);
  });

  it('removes what it applied before and does not any more, and gives defaults back', async (t) => {
    const server = await startTestServer(t);
    await apply(server, config({ replicas: 5, minReadySeconds: 7 }, { labels: { a: '1', b: '2' } }));
    const { replicas: _replicas, ...rest } = asJson(config().spec);
    const second = await apply(server, { ...config({}, { labels: { a: '1' } }), spec: rest });
    assert.deepEqual(
      [
        valueAt(second.body, 'spec', 'replicas'),
        valueAt(second.body, 'spec', 'minReadySeconds'),
        valueAt(second.body, 'metadata', 'labels'),
      ],
      [1, undefined, { a: '1' }],
    );
  });

  it('conflicts where another manager owns the value, unless the values agree or it is forced', async (t) => {
    const server = await startTestServer(t);
    await apply(server, config({ replicas: 2 }), 'one');
    assert.equal((await apply(server, config({ replicas: 2 }), 'two')).status, 200);
    const refused = await apply(server, config({ replicas: 3 }), 'two');
    assert.equal(refused.status, 409);
    assert.equal(refused.body.message, 'Apply failed with 1 conflict: conflict with "one": .spec.replicas');
    assert.deepEqual(asJson(refused.body.details).causes, [
      {
        reason: 'FieldManagerConflict',
        message: 'conflict with "one"',
        field: '.spec.replicas',
      },
    ]);
    const forced = await apply(server, config({ replicas: 3 }), 'two', '&force=true');
    assert.equal(valueAt(forced.body, 'spec', 'replicas'), 3);
    const [one] = asObjects(valueAt(forced.body, 'metadata', 'managedFields')).filter(
      ({ manager }) => manager === 'one',
    );
    assert.equal(valueAt(one, 'fieldsV1', 'f:spec', 'f:replicas'), undefined);
  });

  it('lists several conflicts under their managers', async (t) => {
    const server = await startTestServer(t);
    await apply(server, config({ replicas: 2, minReadySeconds: 1 }), 'one');
    const refused = await apply(server, config({ replicas: 3, minReadySeconds: 2 }), 'two');
    assert.equal(
      refused.body.message,
      'Apply failed with 2 conflicts: conflicts with "one":\n- .spec.minReadySeconds\n- .spec.replicas',
    );
  });

  it('keeps what others added to a list', async (t) => {
    const server = await startTestServer(t);
    await apply(server, config(), 'one');
    await server.call('PATCH', `${DEPLOYMENTS}/web?fieldManager=injector`, {
      type: 'application/strategic-merge-patch+json',
      body: { spec: { template: { spec: { containers: [{ name: 'sidecar', image: 's:1' }] } } } },
    });
    const again = await apply(server, config(), 'one');
    const names = asObjects(valueAt(again.body, 'spec', 'template', 'spec', 'containers')).map(
      ({ name }) => name,
    );
    assert.deepEqual(names, ['sidecar', 'main']);
    assert.deepEqual(owners(again.body), ['one Apply', 'injector Update']);
  });

  it('keeps a field that another manager still applies', async (t) => {
    const server = await startTestServer(t);
    await apply(server, config({ minReadySeconds: 4 }), 'one');
    await apply(server, config({ minReadySeconds: 4 }), 'two');
    const given = await apply(server, config(), 'one');
    assert.equal(valueAt(given.body, 'spec', 'minReadySeconds'), 4);
    const last = await apply(server, config(), 'two');
    assert.equal(valueAt(last.body, 'spec', 'minReadySeconds'), undefined);
  });

  it('finds earlier fields to belong to no particular manager', async (t) => {
    const server = await startTestServer(t);
    await server.call('POST', DEPLOYMENTS, { body: config({ replicas: 2 }) });
    const refused = await apply(server, config({ replicas: 9 }));
    assert.equal(
      refused.body.message,
      'Apply failed with 1 conflict: conflict with "before-first-apply" using apps/v1: .spec.replicas',
    );
  });

  it('lets updates under a name take fields over', async (t) => {
    const server = await startTestServer(t);
    await apply(server, config({ replicas: 2 }));
    await server.call('PATCH', `${DEPLOYMENTS}/web/scale?fieldManager=scaler`, {
      type: 'application/merge-patch+json',
      body: { spec: { replicas: 6 } },
    });
    const refused = await apply(server, config({ replicas: 2 }));
    assert.equal(
      refused.body.message,
      'Apply failed with 1 conflict: conflict with "scaler" with subresource "scale" using apps/v1: .spec.replicas',
    );
  });

  for (const [name, body, query, status, message] of [
    ['no manager', config(), '', 422, /fieldManager: Required value: is required for apply patch/],
    [
      'another kind',
      { ...config(), kind: 'Pod' },
      '?fieldManager=m',
      400,
      /Incorrect kind specified in apply patch/,
    ],
    [
      'managed fields',
      config({}, { managedFields: [{ manager: 'x' }] }),
      '?fieldManager=m',
      400,
      /metadata.managedFields must be nil/,
    ],
    [
      'an unknown field',
      config({ replicsa: 1 }),
      '?fieldManager=m',
      500,
      /failed to create typed patch object \(\/web; apps\/v1, Kind=Deployment\): .spec.replicsa: field not declared in schema/,
    ],
    [
      'a field of a wrong type',
      config({ replicas: 'many' }),
      '?fieldManager=m',
      500,
      /failed to create typed patch object .*: .spec.replicas: expected numeric/i,
    ],
  ] as const) {
    it(`refuses ${name}`, async (t) => {
      const server = await startTestServer(t);
      const answer = await server.call('PATCH', `${DEPLOYMENTS}/web${query}`, { type: TYPE, body });
      assert.equal(answer.status, status);
      assert.match(String(answer.body.message), message);
    });
  }

  it('does not track objects that no manager writes under a name', async (t) => {
    const server = await startTestServer(t);
    const created = await server.call('POST', DEPLOYMENTS, { body: config() });
    assert.equal(valueAt(created.body, 'metadata', 'managedFields'), undefined);
    const named = await server.call('POST', `${DEPLOYMENTS}?fieldManager=kubectl-create`, {
      body: { ...config(), metadata: { name: 'other' } },
    });
    assert.deepEqual(owners(named.body), ['kubectl-create Update']);
    assert.ok(asList(valueAt(named.body, 'metadata', 'managedFields')).length === 1);
  });
});
