import assert from 'node:assert/strict';
import { test } from 'node:test';
import { asObjects, type Json, valueAt } from '@turnsole/cluster/apiserver/object';
import { startTestServer, type TestServer } from '@turnsole/cluster/apiserver/testing/test-server';
import { WORKFLOW_DEFINITIONS } from '../api/workflow-definitions.ts';

const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const GROUP = '/apis/argoproj.io/v1alpha1';
const WORKFLOWS = `${GROUP}/namespaces/default/workflows`;

/** As a client with Go types writes it, with a number as value, empty placeholders and fields that no controller knows. */
const WORKFLOW: Json = {
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'Workflow',
  metadata: { name: 'hello', namespace: 'default', creationTimestamp: null },
  spec: {
    entrypoint: 'main',
    poddisruptionbudget: { minAvailable: 1 },
    arguments: { parameters: [{ name: 'count', value: 3 }] },
    templates: [{ name: 'main', inputs: {}, outputs: {}, container: { name: '', image: 'busybox' } }],
  },
  status: { startedAt: null, finishedAt: null },
};

async function withKinds(server: TestServer): Promise<void> {
  for (const body of WORKFLOW_DEFINITIONS) {
    assert.equal((await server.call('POST', DEFINITIONS, { body })).status, 201);
  }
}

test('workflows are stored as they are written, and written back with their status in one request', async (t) => {
  const server = await startTestServer(t);
  await withKinds(server);
  const made = await server.call('POST', WORKFLOWS, { body: WORKFLOW });
  assert.equal(made.status, 201, JSON.stringify(made.body));
  assert.deepEqual(made.body.spec, WORKFLOW.spec);

  const status = { phase: 'Running', startedAt: '2026-01-01T00:00:00Z', message: 'on its way', nodes: {} };
  const written = await server.call('PUT', `${WORKFLOWS}/hello`, { body: { ...made.body, status } });
  assert.equal(written.status, 200);
  assert.deepEqual(written.body.status, status);
  assert.equal((await server.call('PUT', `${WORKFLOWS}/hello/status`, { body: written.body })).status, 404);

  const headers = { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' };
  const table = await server.call('GET', WORKFLOWS, { headers });
  const columns = asObjects(valueAt(table.body, 'columnDefinitions')).map(({ name }) => name);
  assert.deepEqual(columns, ['Name', 'Status', 'Age', 'Message']);
  const rows = asObjects(valueAt(table.body, 'rows')).map(({ cells }) => cells);
  assert.equal(rows.length, 1);
  const [name, phase, , message] = rows[0] as unknown[];
  assert.deepEqual([name, phase, message], ['hello', 'Running', 'on its way']);
});

test('a server-side apply takes away the templates that the file no longer has', async (t) => {
  const server = await startTestServer(t);
  await withKinds(server);
  const apply = async (templates: readonly Json[]): Promise<Json> => {
    const body = {
      ...WORKFLOW,
      metadata: { name: 'hello' },
      status: undefined,
      spec: { entrypoint: 'main', templates },
    };
    const type = 'application/apply-patch+yaml';
    const answer = await server.call('PATCH', `${WORKFLOWS}/hello?fieldManager=test`, { body, type });
    assert.ok(answer.status < 300, JSON.stringify(answer.body));
    return answer.body;
  };
  const [main, other] = [
    { name: 'main', suspend: {} },
    { name: 'other', suspend: {} },
  ];
  await apply([main, other]);
  assert.deepEqual(valueAt(await apply([main]), 'spec', 'templates'), [main]);
});

test('short names lead to the kinds; task sets have a status of their own, task results no spec', async (t) => {
  const server = await startTestServer(t);
  await withKinds(server);
  const { body } = await server.call('GET', GROUP);
  const shortNames = asObjects(body.resources).flatMap((resource) => resource.shortNames ?? []);
  assert.deepEqual(shortNames.sort(), [
    'clusterwftmpl',
    'cronwf',
    'cwf',
    'cwft',
    'wf',
    'wfat',
    'wfeb',
    'wftmpl',
    'wfts',
  ]);
  const sets = `${GROUP}/namespaces/default/workflowtasksets`;
  const apiVersion = 'argoproj.io/v1alpha1';
  const set = { apiVersion, kind: 'WorkflowTaskSet', metadata: { name: 'hello' }, spec: { tasks: {} } };
  assert.equal((await server.call('POST', sets, { body: set })).status, 201);
  const patched = await server.call('PATCH', `${sets}/hello/status`, {
    body: { status: { nodes: { a: { phase: 'Succeeded' } } } },
    type: 'application/merge-patch+json',
  });
  assert.deepEqual(valueAt(patched.body, 'status', 'nodes', 'a', 'phase'), 'Succeeded');
  const report = {
    apiVersion,
    kind: 'WorkflowTaskResult',
    metadata: { name: 'hello-1' },
    phase: 'Succeeded',
    outputs: { exitCode: '0' },
  };
  const results = await server.call('POST', `${GROUP}/namespaces/default/workflowtaskresults`, {
    body: report,
  });
  assert.deepEqual([results.status, results.body.outputs], [201, report.outputs]);
});

test('stricter definitions, as Argo installs them, can be put over these and taken back', async (t) => {
  const server = await startTestServer(t);
  await withKinds(server);
  assert.equal((await server.call('POST', WORKFLOWS, { body: WORKFLOW })).status, 201);
  const [own] = WORKFLOW_DEFINITIONS;
  assert.ok(own !== undefined);
  const value = { type: 'object', properties: { name: { type: 'string' }, value: { type: 'string' } } };
  const schema = {
    type: 'object',
    required: ['metadata', 'spec'],
    properties: {
      spec: {
        type: 'object',
        properties: {
          arguments: { type: 'object', properties: { parameters: { type: 'array', items: value } } },
        },
        'x-kubernetes-preserve-unknown-fields': true,
        'x-kubernetes-validations': [{ rule: 'has(self.entrypoint)', message: 'no entrypoint' }],
      },
      status: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
    },
  };
  const version = own.spec.versions[0];
  const strict = {
    ...own,
    spec: { ...own.spec, versions: [{ ...version, schema: { openAPIV3Schema: schema } }] },
  };
  const put = async (definition: object): Promise<number> => {
    const type = 'application/apply-patch+yaml';
    const path = `${DEFINITIONS}/workflows.argoproj.io?fieldManager=argo&force=true`;
    return (await server.call('PATCH', path, { body: definition, type })).status;
  };
  assert.equal(await put(strict), 200);
  const again = { ...WORKFLOW, metadata: { name: 'again' } };
  assert.equal((await server.call('POST', WORKFLOWS, { body: again })).status, 422);
  assert.equal((await server.call('GET', `${WORKFLOWS}/hello`)).status, 200);
  assert.equal(await put(own), 200);
  assert.equal((await server.call('POST', WORKFLOWS, { body: again })).status, 201);
});
