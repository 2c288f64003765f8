/** What workflows take from other objects: templates, defaults, parameters, caches. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { CONFIG_MAPS } from '@turnsole/kube/kinds/resources';
import { PATIENCE_MS } from '@turnsole/kube/testing/until';
import { WORKFLOW_TEMPLATES } from '@turnsole/workflows/kinds/resources';
import { parse } from 'yaml';
import {
  nodesOf,
  startWorkflowCluster,
  type WorkflowCluster,
} from '../../../test/support/workflow-cluster.ts';

let cluster: WorkflowCluster;
before(async () => {
  cluster = await startWorkflowCluster({
    workflowDefaults: { metadata: { labels: { team: 'a' } }, spec: { activeDeadlineSeconds: 600 } },
  });
  await cluster.start();
});
after(() => cluster.close());

const NAMESPACE = 'default';
const container = (args: string): string => `container: {image: busybox, command: [sh], args: [${args}]}`;

async function library(name: string, spec: string): Promise<void> {
  const metadata = { name, namespace: NAMESPACE };
  await cluster.client.create(WORKFLOW_TEMPLATES, { metadata, spec: parse(spec) } as never, {
    namespace: NAMESPACE,
  });
}

test('templates of another object are used, and stored, so that an edit of them does not reach the workflow', async () => {
  await library('lib', `{templates: [{name: leaf, ${container('')}}]}`);
  await cluster.submit(
    'referring',
    `
entrypoint: main
templates:
- name: main
  steps:
  - - {name: a, templateRef: {name: lib, template: leaf}}
`,
  );
  const { status, spec, metadata } = await cluster.over('referring');
  assert.equal(status?.phase, 'Succeeded');
  assert.deepEqual(Object.keys(status?.storedTemplates ?? {}), ['namespaced/lib/leaf']);
  assert.deepEqual([spec.activeDeadlineSeconds, metadata.labels?.team], [600, 'a']);
});

test('a workflow of a whole template stores its spec, with the defaults below it', async () => {
  await library('whole', `{entrypoint: main, templates: [{name: main, ${container('')}}]}`);
  await cluster.submit('wholesale', '{workflowTemplateRef: {name: whole}}');
  const { status, spec } = await cluster.over('wholesale');
  assert.equal(status?.phase, 'Succeeded');
  assert.equal(status?.storedWorkflowTemplateSpec?.entrypoint, 'main');
  assert.equal(status?.storedWorkflowTemplateSpec?.activeDeadlineSeconds, 600);
  assert.equal(spec.templates, undefined);
  await cluster.submit('nobody', '{workflowTemplateRef: {name: nobody}}');
  const missing = await cluster.over('nobody');
  assert.equal(missing.status?.message, 'workflowtemplates.argoproj.io "nobody" not found');
});

test('outputs that are kept are used by the next node with the same key', async () => {
  const spec = `
entrypoint: main
templates:
- name: main
  memoize: {key: one, maxAge: 1h, cache: {configMap: {name: kept}}}
  steps: [[{name: a, template: ok}]]
  outputs: {parameters: [{name: out, value: fixed}]}
- {name: ok, ${container('')}}
`;
  await cluster.submit('memo-1', spec);
  const first = await cluster.over('memo-1');
  assert.equal(first.status?.nodes?.['memo-1']?.memoizationStatus?.hit, false);
  const cache = await waitForCache();
  assert.equal(JSON.parse(cache.data?.['one'] ?? '{}').nodeID, 'memo-1');
  assert.equal(cache.metadata.labels?.['workflows.argoproj.io/configmap-type'], 'Cache');
  await cluster.submit('memo-2', spec);
  const second = await cluster.over('memo-2');
  assert.deepEqual(nodesOf(second), ['memo-2: Succeeded']);
  assert.equal(second.status?.nodes?.['memo-2']?.memoizationStatus?.hit, true);
});

test('the step directly after takes what the one before has kept, and the entry says when', async () => {
  await cluster.submit(
    'memo-row',
    `
entrypoint: main
templates:
- name: main
  steps: [[{name: a, template: ok}], [{name: b, template: ok}], [{name: c, template: ok}]]
- name: ok
  memoize: {key: row, maxAge: 1h, cache: {configMap: {name: kept}}}
  ${container('')}
`,
  );
  const { status } = await cluster.over('memo-row');
  const hits = Object.values(status?.nodes ?? {})
    .filter(({ type }) => type === 'Pod')
    .sort((a, b) => (a.displayName < b.displayName ? -1 : 1))
    .map(({ memoizationStatus }) => memoizationStatus?.hit);
  assert.deepEqual(hits, [false, true, true]);
  const entry = JSON.parse((await waitForCache()).data?.['row'] ?? '{}');
  assert.ok(Date.parse(entry.lastHitTimestamp) >= Date.parse(entry.creationTimestamp));
});

async function waitForCache(): Promise<{
  data?: Record<string, string>;
  metadata: { labels?: Record<string, string> };
}> {
  const { waitForObject } = await import('@turnsole/kube/runtime/index');
  const found = await waitForObject(cluster.client, CONFIG_MAPS, 'kept', (map) => map !== undefined, {
    namespace: NAMESPACE,
    timeoutMs: PATIENCE_MS,
  });
  return found as never;
}

test('a status that grows too large is stored compressed, and read again', async () => {
  const items = Array.from({ length: 30 }, (_, index) => index).join(', ');
  await cluster.submit(
    'large',
    `
entrypoint: main
templates:
- name: main
  steps:
  - - {name: a, template: leaf, withItems: [${items}], arguments: {parameters: [{name: text, value: "${'x'.repeat(40_000)}"}]}}
- {name: leaf, inputs: {parameters: [{name: text}]}, ${container('')}}
`,
  );
  const { status } = await cluster.over('large');
  assert.deepEqual([status?.phase, status?.progress], ['Succeeded', '30/30']);
  assert.equal(status?.nodes, undefined);
  assert.ok((status?.compressedNodes ?? '').length > 100);
});

test('a workflow that makes no sense at all ends as an error with its name', async () => {
  await cluster.submit('nonsense', '{entrypoint: main, templates: [{name: main, steps: 7}]}');
  const { status } = await cluster.over('nonsense');
  assert.match(status?.phase ?? '', /Failed|Error/);
  assert.notEqual(status?.message ?? '', '');
});
