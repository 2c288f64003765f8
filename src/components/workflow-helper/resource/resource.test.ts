/** `resource` really runs, against an embedded API server. */
import assert from 'node:assert/strict';
import { after, before, describe, type TestContext, test } from 'node:test';
import { createApiServer } from '@turnsole/cluster/apiserver/index';
import type { ConfigMap, Job, KubeObject } from '@turnsole/kube/kinds/core';
import { CONFIG_MAPS, JOBS } from '@turnsole/kube/kinds/resources';
import { startApi, type TestApi } from '@turnsole/kube/testing/api';
import type { Parameter } from '@turnsole/workflows/kinds/parameters';
import type { ResourceTemplate } from '@turnsole/workflows/kinds/template';
import { NodeFixture } from '../testing/node-fixture.ts';
import { judgeObject, readConditions } from './conditions.ts';
import { readFlags } from './flags.ts';
import { byJsonPath } from './outputs.ts';

const namespace = 'default';

test('flags: what has a meaning is read, everything else is refused by name', () => {
  const none = { names: [], isAll: false, isForced: false, isDryRun: false, waits: true };
  assert.deepEqual(readFlags(['configmap', '--selector', 'a=b']), {
    ...none,
    kind: 'configmap',
    selector: 'a=b',
  });
  assert.deepEqual(readFlags(['pod/web', '-n', 'x']), {
    ...none,
    kind: 'pod',
    names: ['web'],
    namespace: 'x',
  });
  assert.deepEqual(readFlags(['--validate=false', '--cascade=orphan', '--grace-period=0', '--force']), {
    ...none,
    fieldValidation: 'Ignore',
    propagationPolicy: 'Orphan',
    gracePeriodSeconds: 0,
    isForced: true,
  });
  for (const [words, message] of [
    [['--prune'], /resource\.flags: --prune is not supported; supported are --namespace/],
    [['--namespace'], /--namespace needs a value/],
    [['--validate=maybe'], /--validate=maybe has to be one of true, strict/],
    [['--dry-run=client'], /--dry-run=client: only server and none/],
  ] as const)
    assert.throws(() => readFlags(words), message);
});

test('conditions: paths in the object, in the syntax of label selectors', () => {
  const object = { status: { succeeded: 3, phase: 'Failed', list: [{ type: 'a' }] }, data: { k: 'bad' } };
  const rows: readonly [success: string, failure: string, expected: object][] = [
    ['status.succeeded > 2', '', { kind: 'met' }],
    [
      'status.succeeded > 2, status.phase == Running',
      '',
      { kind: 'waiting', unmet: '{status.phase == [Running]}' },
    ],
    ['status.list.0.type in (a, b)', '', { kind: 'met' }],
    ['status.none', '', { kind: 'waiting', unmet: '{status.none exists []}' }],
    ['', 'status.failed > 1', { kind: 'met' }],
    [
      '',
      'data.k == bad',
      { kind: 'failed', message: "failure condition '{data.k == [bad]}' evaluated true" },
    ],
    [
      'status.succeeded > 2',
      'status.phase in (Failed, Error)',
      { kind: 'failed', message: "failure condition '{status.phase in [Error Failed]}' evaluated true" },
    ],
  ];
  for (const [success, failure, expected] of rows)
    assert.deepEqual(
      judgeObject(readConditions(success, failure), object),
      expected,
      `${success} / ${failure}`,
    );
});

test('JSONPath as kubectl prints it', () => {
  const object = {
    metadata: { name: 'n', annotations: { 'a.b/c': 'x' } },
    items: [{ v: 1 }, { v: 2 }],
    flag: true,
  };
  const rows: readonly [template: string, text: string][] = [
    ['{.metadata.name}', 'n'],
    ['.metadata.name', 'n'],
    ['{.items[*].v}', '1 2'],
    ['{.items[0]}', '{"v":1}'],
    ['{.items}', '[{"v":1},{"v":2}]'],
    ['{.metadata.none}', ''],
    ['{.flag}', 'true'],
    ['name={.metadata.name}{"\\n"}', 'name=n\n'],
    ['{.metadata.annotations.a\\.b/c}', 'x'],
  ];
  for (const [template, text] of rows) assert.equal(byJsonPath(object, template), text, template);
  assert.throws(
    () => byJsonPath(object, '{range .items[*]}{.v}{end}'),
    /range is not supported; use jqFilter/,
  );
});

describe('against an API server', () => {
  let api: TestApi;
  before(async () => {
    api = await startApi(createApiServer);
  });
  after(() => api[Symbol.asyncDispose]());

  const manifest = (name: string, data = 'k: v'): string =>
    `apiVersion: v1\nkind: ConfigMap\nmetadata: { name: ${name}, labels: { of: test } }\ndata: { ${data} }\n`;

  function run(
    t: TestContext,
    resource: ResourceTemplate,
    parameters: readonly Parameter[] = [],
    signal?: AbortSignal,
  ) {
    const node = new NodeFixture(t, { namespace, resource, parameters });
    return node.run('resource', { client: api.client, ...(signal && { signal }) });
  }

  function stored(name: string): Promise<ConfigMap | undefined> {
    return api.client.find<ConfigMap>(CONFIG_MAPS, name, { namespace });
  }

  test('create, apply, replace, get, patch, delete', async (t) => {
    const ok = async (resource: ResourceTemplate): Promise<void> => {
      const { code, lastWords } = await run(t, resource);
      assert.deepEqual([code, lastWords], [0, ''], resource.action);
    };
    await ok({ action: 'create', manifest: manifest('a'), setOwnerReference: true });
    assert.equal((await stored('a'))?.metadata.ownerReferences?.[0]?.kind, 'Workflow');
    await ok({ action: 'apply', manifest: manifest('a', 'k: applied') });
    assert.equal((await stored('a'))?.data?.['k'], 'applied');
    await ok({ action: 'replace', manifest: manifest('a', 'other: x') });
    assert.deepEqual((await stored('a'))?.data, { other: 'x' });
    await ok({ action: 'get', flags: ['cm', 'a'] });
    await ok({
      action: 'patch',
      mergeStrategy: 'merge',
      manifest: 'data: { m: "1" }',
      flags: ['configmap', 'a'],
    });
    const json = '[{ op: add, path: /data/j, value: "2" }]';
    await ok({ action: 'patch', mergeStrategy: 'json', manifest: json, flags: ['cm/a'] });
    await ok({ action: 'patch', manifest: manifest('a', 's: "3"') });
    assert.deepEqual((await stored('a'))?.data, { other: 'x', m: '1', j: '2', s: '3' });
    await ok({ action: 'delete', manifest: manifest('a') });
    assert.equal(await stored('a'), undefined);
    await ok({ action: 'delete', manifest: manifest('a') });
  });

  test('several objects, and those of a selector', async (t) => {
    await run(t, { action: 'create', manifest: ['x', 'y'].map((name) => manifest(name)).join('---\n') });
    assert.ok((await stored('x')) && (await stored('y')));
    await run(t, { action: 'delete', flags: ['configmap', '--selector', 'of=test'] });
    assert.deepEqual([await stored('x'), await stored('y')], [undefined, undefined]);
  });

  test('outputs are read by JSONPath and by jq', async (t) => {
    const parameters = [
      { name: 'nm', valueFrom: { jsonPath: '{.metadata.name}' } },
      { name: 'jq', valueFrom: { jqFilter: '.data | to_entries[] | .key + "=" + .value' } },
      { name: 'd', valueFrom: { jsonPath: '{.none}', default: 'fallback' } },
    ];
    const { report } = await run(
      t,
      { action: 'create', manifest: manifest('out', 'a: "1", b: "2"') },
      parameters,
    );
    assert.deepEqual(
      report?.outputs?.parameters?.map(({ name, value }) => [name, value]),
      [
        ['nm', 'out'],
        ['jq', 'a=1\nb=2'],
        ['d', 'fallback'],
      ],
    );
    const bad = [{ name: 'p', valueFrom: { jqFilter: '.[' } }];
    const { lastWords } = await run(t, { action: 'get', manifest: manifest('out') }, bad);
    assert.match(lastWords, /output parameter p: .*jq: /s);
  });

  test('a condition is waited for by a watch', async (t) => {
    const { client } = api;
    const template = { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'x' }] } };
    const job = { apiVersion: 'batch/v1', kind: 'Job', metadata: { name: 'j' }, spec: { template } };
    const resource = {
      action: 'create',
      manifest: JSON.stringify(job),
      successCondition: 'status.succeeded > 0',
      failureCondition: 'status.failed > 0',
    };
    const waiting = run(t, resource, [{ name: 'n', valueFrom: { jsonPath: '{.status.succeeded}' } }]);
    const watch = client.watch<KubeObject>(JOBS, { namespace });
    for await (const event of watch) if (event.type === 'ADDED') break;
    const status = (fields: object) =>
      client.patch<Job>(JOBS, 'j', 'merge', { status: fields }, { namespace, subresource: 'status' });
    await status({ active: 1 });
    await status({ succeeded: 1 });
    const { code, report, lastWords } = await waiting;
    assert.deepEqual([code, lastWords], [0, '']);
    assert.equal(report?.outputs?.parameters?.[0]?.value, '1');
    const failing = await run(t, {
      ...resource,
      action: 'get',
      successCondition: '',
      failureCondition: 'status.succeeded == 1',
    });
    assert.deepEqual(
      [failing.code, failing.lastWords],
      [64, "failure condition '{status.succeeded == [1]}' evaluated true"],
    );
  });

  test('an object that is deleted while it is waited for, and a wait that is stopped', async (t) => {
    const waiting = (name: string, signal?: AbortSignal) =>
      run(t, { action: 'create', manifest: manifest(name), successCondition: 'data.k == done' }, [], signal);
    const created = async (name: string): Promise<void> => {
      const fieldSelector = `metadata.name=${name}`;
      for await (const event of api.client.watch(CONFIG_MAPS, { namespace, fieldSelector }))
        if (event.type === 'ADDED') return;
    };
    const gone = waiting('gone');
    await created('gone');
    await api.client.delete(CONFIG_MAPS, 'gone', { namespace });
    assert.match((await gone).lastWords, /ConfigMap gone was deleted while its conditions were waited for/);
    const stop = new AbortController();
    const stopped = waiting('told', stop.signal);
    await created('told');
    stop.abort(new Error('received SIGTERM'));
    assert.equal((await stopped).code, 143);
  });

  test('refusals of the server, and what cannot be done, end with 64 and a sentence', async (t) => {
    const rows: readonly [resource: ResourceTemplate, message: RegExp][] = [
      [
        { action: 'get', manifest: manifest('v-not-there') },
        /^Error from server \(NotFound\): configmaps "v-not-there" not found$/,
      ],
      [
        { action: 'create', manifest: 'apiVersion: v1\nkind: Nothing\nmetadata: { name: n }' },
        /unknown kind Nothing/,
      ],
      [{ action: 'create', manifest: 'a: [' }, /resource\.manifest is no YAML/],
      [{ action: 'create', manifest: '' }, /must provide at least one of flags or manifest/],
      [{ action: 'run', manifest: manifest('n') }, /resource\.action run is none of get, create/],
      [{ action: 'patch', mergeStrategy: 'x', manifest: manifest('n') }, /mergeStrategy x is none of/],
      [{ action: 'get', flags: ['nothings', 'x'] }, /doesn't have a resource type "nothings"/],
      [
        { action: 'get', manifest: manifest('n'), successCondition: '= x' },
        /a condition of the resource cannot be read/,
      ],
    ];
    for (const [resource, message] of rows) {
      const { code, lastWords } = await run(t, resource);
      assert.equal(code, 64);
      assert.match(lastWords, message);
    }
  });
});
