import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { SqliteJournal } from '../../store/journal/sqlite-journal.ts';
import { asJson, asList, asObjects, asString, clone, type Json, valueAt } from '../object.ts';
import { startTestServer, type TestServer } from '../testing/test-server.ts';

const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const WIDGETS = '/apis/example.com/v1/namespaces/default/widgets';

const WIDGET: Json = {
  metadata: { name: 'widgets.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: {
      plural: 'widgets',
      singular: 'widget',
      kind: 'Widget',
      listKind: 'WidgetList',
      shortNames: ['wd'],
      categories: ['all'],
    },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: {
          status: {},
          scale: { specReplicasPath: '.spec.size', statusReplicasPath: '.status.size' },
        },
        additionalPrinterColumns: [
          { name: 'Size', type: 'integer', jsonPath: '.spec.size' },
          {
            name: 'Ready',
            type: 'string',
            jsonPath: '.status.conditions[?(@.type=="Ready")].status',
            priority: 1,
          },
        ],
        schema: {
          openAPIV3Schema: {
            type: 'object',
            required: ['spec'],
            properties: {
              spec: {
                type: 'object',
                required: ['colour'],
                properties: {
                  size: { type: 'integer', minimum: 1, default: 3 },
                  colour: { type: 'string', enum: ['red', 'green'] },
                  free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
                },
              },
              status: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
            },
          },
        },
      },
      {
        name: 'v2',
        served: true,
        storage: false,
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      },
    ],
  },
};

async function withWidgets(server: TestServer): Promise<Json> {
  const answer = await server.call('POST', CRDS, { body: WIDGET });
  assert.equal(answer.status, 201, JSON.stringify(answer.body));
  return answer.body;
}

const widget = (spec: Json, name = 'w'): Json => ({
  apiVersion: 'example.com/v1',
  kind: 'Widget',
  metadata: { name },
  spec,
});

describe('a custom resource definition', () => {
  it('is established at once, and its kind is discovered', async (t) => {
    const server = await startTestServer(t);
    const crd = await withWidgets(server);
    assert.deepEqual(
      asObjects(valueAt(crd, 'status', 'conditions')).map(({ type, status }) => [type, status]),
      [
        ['NamesAccepted', 'True'],
        ['Established', 'True'],
      ],
    );
    assert.deepEqual(valueAt(crd, 'status', 'storedVersions'), ['v1']);
    const list = await server.call('GET', '/apis/example.com/v1');
    assert.deepEqual(
      asObjects(list.body.resources).map(({ name }) => name),
      ['widgets', 'widgets/status', 'widgets/scale'],
    );
    const openapi = await server.call('GET', '/openapi/v3/apis/example.com/v1');
    assert.ok(valueAt(openapi.body, 'components', 'schemas', 'com.example.v1.Widget'));
    const item = '/apis/example.com/v1/namespaces/{namespace}/widgets/{name}';
    const patchTypes = valueAt(openapi.body, 'paths', item, 'patch', 'requestBody', 'content') ?? {};
    // kubectl would apply by a strategic patch if it were named, and custom kinds refuse those.
    assert.deepEqual(Object.keys(patchTypes), [
      'application/apply-patch+yaml',
      'application/json-patch+json',
      'application/merge-patch+json',
    ]);
  });

  it('takes its objects along when it goes', async (t) => {
    const server = await startTestServer(t);
    await withWidgets(server);
    await server.call('POST', WIDGETS, {
      body: { ...widget({ colour: 'red' }), metadata: { name: 'w', finalizers: ['x.io/f'] } },
    });
    await server.call('DELETE', `${CRDS}/widgets.example.com`);
    assert.equal((await server.call('GET', `${CRDS}/widgets.example.com`)).status, 200);
    await server.call('PATCH', `${WIDGETS}/w`, {
      type: 'application/merge-patch+json',
      body: { metadata: { finalizers: null } },
    });
    assert.equal((await server.call('GET', `${CRDS}/widgets.example.com`)).status, 404);
    assert.equal((await server.call('GET', WIDGETS)).status, 404);
  });

  const mistakes: readonly (readonly [string, (crd: Json) => void, RegExp])[] = [
    [
      'another name',
      (crd) => {
        asJson(crd.metadata).name = 'x.example.com';
      },
      /metadata.name: Invalid value: "x.example.com": must be spec.names.plural\+"\."\+spec.group/,
    ],
    [
      'no scope',
      (crd) => {
        delete asJson(crd.spec).scope;
      },
      /spec.scope: Required value/,
    ],
    [
      'two storage versions',
      (crd) => {
        for (const version of asObjects(asJson(crd.spec).versions)) version.storage = true;
      },
      /must have exactly one version marked as storage version/,
    ],
    [
      'no schema',
      (crd) => {
        delete asObjects(asJson(crd.spec).versions)[0]?.schema;
      },
      /spec.versions\[0\].schema.openAPIV3Schema: Required value/,
    ],
  ];
  for (const [name, spoil, message] of mistakes) {
    it(`is refused with ${name}`, async (t) => {
      const server = await startTestServer(t);
      const crd = clone(WIDGET);
      spoil(crd);
      const answer = await server.call('POST', CRDS, { body: crd });
      assert.equal(answer.status, 422);
      assert.match(String(answer.body.message), message);
    });
  }
});

describe('custom resources', () => {
  it('are pruned and defaulted', async (t) => {
    const server = await startTestServer(t);
    await withWidgets(server);
    const answer = await server.call('POST', WIDGETS, {
      body: widget({ colour: 'red', typo: 1, free: { any: [1] } }),
    });
    assert.deepEqual(answer.body.spec, { colour: 'red', size: 3, free: { any: [1] } });
    assert.equal(answer.headers.warning, '299 - "unknown field \\"spec.typo\\""');
    const strict = await server.call('POST', `${WIDGETS}?fieldValidation=Strict`, {
      body: widget({ colour: 'red', typo: 1 }, 'x'),
    });
    assert.deepEqual(
      [strict.status, strict.body.message],
      [
        400,
        'Widget in version "v1" cannot be handled as a Widget: strict decoding error: unknown field "spec.typo"',
      ],
    );
  });

  for (const [name, spec, message] of [
    ['a missing field', {}, 'Widget.example.com "w" is invalid: spec.colour: Required value'],
    [
      'a value that is not allowed',
      { colour: 'blue' },
      'Widget.example.com "w" is invalid: spec.colour: Unsupported value: "blue": supported values: "red", "green"',
    ],
    [
      'a wrong type',
      { colour: 'red', size: 'big' },
      'Widget.example.com "w" is invalid: spec.size: Invalid value: "string": spec.size in body must be of type integer: "string"',
    ],
    [
      'a number that is too small',
      { colour: 'red', size: 0 },
      'Widget.example.com "w" is invalid: spec.size: Invalid value: 0: spec.size in body should be greater than or equal to 1',
    ],
  ] as const) {
    it(`are refused with ${name}`, async (t) => {
      const server = await startTestServer(t);
      await withWidgets(server);
      const answer = await server.call('POST', WIDGETS, { body: widget(spec) });
      assert.deepEqual([answer.status, answer.body.message], [422, message]);
    });
  }

  it('need a resource version to be replaced', async (t) => {
    const server = await startTestServer(t);
    await withWidgets(server);
    await server.call('POST', WIDGETS, { body: widget({ colour: 'red' }) });
    const answer = await server.call('PUT', `${WIDGETS}/w`, { body: widget({ colour: 'green' }) });
    assert.equal(answer.status, 422);
    assert.match(
      String(answer.body.message),
      /^widgets.example.com "w" is invalid: metadata.resourceVersion: Invalid value: 0: must be specified for an update$/,
    );
  });

  it('have status, scale, columns and several versions', async (t) => {
    const server = await startTestServer(t);
    await withWidgets(server);
    const created = await server.call('POST', WIDGETS, {
      body: { ...widget({ colour: 'red' }), status: { size: 9 } },
    });
    assert.equal(created.body.status, undefined);
    const merge = 'application/merge-patch+json';
    const conditions = [{ type: 'Ready', status: 'True' }];
    const status = await server.call('PATCH', `${WIDGETS}/w/status`, {
      type: merge,
      body: { status: { size: 1, conditions }, spec: { colour: 'green' } },
    });
    assert.deepEqual(
      [valueAt(status.body, 'spec', 'colour'), valueAt(status.body, 'status', 'size')],
      ['red', 1],
    );
    assert.equal(valueAt(status.body, 'metadata', 'generation'), 1);
    const scaled = await server.call('PATCH', `${WIDGETS}/w/scale`, {
      type: merge,
      body: { spec: { replicas: 5 } },
    });
    assert.deepEqual([scaled.body.spec, scaled.body.status], [{ replicas: 5 }, { replicas: 1 }]);
    const table = await server.call('GET', WIDGETS, {
      headers: { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' },
    });
    assert.deepEqual(
      asObjects(table.body.rows).map(({ cells }) => asList(cells)),
      [['w', 5, 'True']],
    );
    const second = await server.call('GET', WIDGETS.replace('/v1/', '/v2/'));
    assert.deepEqual(
      [second.body.apiVersion, asString(asObjects(second.body.items)[0]?.apiVersion)],
      ['example.com/v2', 'example.com/v2'],
    );
    const strategic = await server.call('PATCH', `${WIDGETS}/w`, {
      type: 'application/strategic-merge-patch+json',
      body: {},
    });
    assert.equal(strategic.status, 415);
  });
});

describe('rules of custom resources', () => {
  const ruled = (...rules: readonly Json[]): Json => {
    const crd = clone(WIDGET);
    const schema = valueAt(
      asObjects(valueAt(crd, 'spec', 'versions'))[0],
      'schema',
      'openAPIV3Schema',
      'properties',
      'spec',
    );
    asJson(schema)['x-kubernetes-validations'] = rules;
    return crd;
  };
  const small = { rule: "self.colour != 'red' || self.size < 5", message: 'red ones are small' };
  const grows = { rule: 'self.size >= oldSelf.size', messageExpression: "'was ' + string(oldSelf.size)" };

  it('are evaluated with each write', async (t) => {
    const server = await startTestServer(t);
    const made = await server.call('POST', CRDS, { body: ruled(small, grows) });
    assert.equal(made.status, 201, JSON.stringify(made.body));
    const refused = await server.call('POST', WIDGETS, { body: widget({ colour: 'red', size: 5 }) });
    assert.deepEqual(
      [refused.status, refused.body.message],
      [422, 'Widget.example.com "w" is invalid: spec: Invalid value: red ones are small'],
    );
    assert.equal(
      (await server.call('POST', WIDGETS, { body: widget({ colour: 'red', size: 3 }) })).status,
      201,
    );
    const patch = (spec: Json): ReturnType<TestServer['call']> =>
      server.call('PATCH', `${WIDGETS}/w`, { type: 'application/merge-patch+json', body: { spec } });
    assert.equal((await patch({ size: 4 })).status, 200);
    const less = await patch({ size: 2 });
    assert.match(String(less.body.message), /spec: Invalid value: was 4$/);
  });

  it('apply to what changes, as the schema does: objects that were there before a definition became stricter go on', async (t) => {
    const server = await startTestServer(t);
    const stricter = ruled(small);
    const [version] = asObjects(valueAt(stricter, 'spec', 'versions'));
    await server.call('POST', CRDS, { body: WIDGET });
    await server.call('POST', WIDGETS, { body: widget({ colour: 'red', size: 9 }) });
    const properties = asJson(
      valueAt(version, 'schema', 'openAPIV3Schema', 'properties', 'spec', 'properties'),
    );
    Object.assign(asJson(properties.size), { maximum: 8 });
    const type = 'application/merge-patch+json';
    const name = asString(valueAt(stricter, 'metadata', 'name'));
    const spec = { versions: [version] };
    assert.equal((await server.call('PATCH', `${CRDS}/${name}`, { type, body: { spec } })).status, 200);
    const patch = (body: Json): ReturnType<TestServer['call']> =>
      server.call('PATCH', `${WIDGETS}/w`, { type, body });
    assert.equal((await patch({ metadata: { labels: { a: 'b' } } })).status, 200);
    const recoloured = await patch({ spec: { colour: 'green' } });
    assert.equal(recoloured.status, 200, String(recoloured.body.message));
    assert.match(String((await patch({ spec: { size: 10 } })).body.message), /spec.size: Invalid value: 10/);
  });

  it('wait until the schema is met', async (t) => {
    const server = await startTestServer(t);
    await server.call('POST', CRDS, { body: ruled(small) });
    const refused = await server.call('POST', WIDGETS, { body: widget({}) });
    assert.match(
      String(refused.body.message),
      /spec\.colour: Required value, <nil>: Invalid value: null: some validation rules were not checked/,
    );
  });

  it('that cannot be compiled make their definition invalid', async (t) => {
    const server = await startTestServer(t);
    const refused = await server.call('POST', CRDS, {
      body: ruled({ rule: 'self.nope == 1' }, { rule: '' }),
    });
    assert.equal(refused.status, 422);
    const causes = asObjects(valueAt(refused.body, 'details', 'causes'));
    const at = 'spec.versions[0].schema.openAPIV3Schema.properties[spec].x-kubernetes-validations';
    assert.deepEqual(
      causes.map(({ field, reason }) => [field, reason]),
      [
        [`${at}[0].rule`, 'FieldValueInvalid'],
        [`${at}[1].rule`, 'FieldValueRequired'],
      ],
    );
    assert.match(String(causes[0]?.message), /compilation failed: ERROR: .*nope/);
  });

  it('of definitions that were kept are evaluated after a restart', async (t) => {
    const dataDir = mkdtempSync(join(tmpdir(), 'turnsole-rules-'));
    t.after(() => rmSync(dataDir, { recursive: true, force: true }));
    const first = new SqliteJournal({ directory: dataDir });
    const before = await startTestServer(t, { dataDir, journal: first });
    await before.call('POST', CRDS, { body: ruled(small) });
    await before.api.close();
    await first.close();
    const second = new SqliteJournal({ directory: dataDir });
    t.after(() => second.close());
    const after = await startTestServer(t, { dataDir, journal: second });
    const refused = await after.call('POST', WIDGETS, { body: widget({ colour: 'red', size: 5 }) });
    assert.equal(refused.status, 422);
  });
});
