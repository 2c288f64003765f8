/** How long workflows are likely to take, on the embedded cluster with simulated pods. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createClient } from '@turnsole/kube/client/index';
import type { Informer, InformerHandler } from '@turnsole/kube/runtime/index';
import { parseTime } from '@turnsole/kube/text/time';
import { WORKFLOWS } from '@turnsole/workflows/kinds/resources';
import type { NodeStatus } from '@turnsole/workflows/kinds/status';
import type { Workflow } from '@turnsole/workflows/kinds/workflow';
import { startWorkflowCluster, type WorkflowCluster } from '../../../../test/support/workflow-cluster.ts';
import { compressNodes } from '../stored-nodes.ts';
import { Baselines } from './baselines.ts';
import { estimatesOf } from './estimator.ts';

const TEMPLATE = 'workflows.argoproj.io/workflow-template';
const CRON = 'workflows.argoproj.io/cron-workflow';

let cluster: WorkflowCluster;
const calls: string[] = [];
let client: ReturnType<typeof createClient>;
before(async () => {
  cluster = await startWorkflowCluster();
  client = createClient(cluster.config, {
    onCall: ({ verb, resource }) => calls.push(`${verb} ${resource}`),
  });
  await cluster.start({ client });
});
after(async () => {
  await cluster.close();
  client.close();
});

const STEPS = `
entrypoint: main
templates:
- name: main
  steps:
  - - {name: long, template: long}
- {name: long, container: {image: busybox, command: [sh], args: [run, "1000"]}}
`;

async function run(name: string, labels: Readonly<Record<string, string>>): Promise<Workflow> {
  calls.length = 0;
  await cluster.submit(name, STEPS, { labels });
  return await cluster.over(name);
}

function secondsOf({ startedAt, finishedAt }: { startedAt?: string; finishedAt?: string } = {}): number {
  return ((parseTime(finishedAt) ?? 0) - (parseTime(startedAt) ?? 0)) / 1_000;
}

/** Nodes by what comes after the name of the workflow. */
function nodesOf({ metadata, status }: Workflow): Map<string, NodeStatus> {
  const nodes = Object.values(status?.nodes ?? {});
  return new Map(nodes.map((node) => [node.name.slice(metadata.name.length), node]));
}

const reads = (): number => calls.filter((call) => call === 'get workflows').length;

test('a workflow and its nodes are likely to take as long as the last one of its template, which costs one request', async () => {
  const first = await run('first', { [TEMPLATE]: 'shop' });
  assert.equal(reads(), 0);
  assert.equal(first.status?.estimatedDuration, undefined);
  const second = await run('second', { [TEMPLATE]: 'shop' });
  assert.equal(reads(), 1);
  assert.equal(second.status?.estimatedDuration, secondsOf(first.status));
  const nodes = nodesOf(second);
  assert.deepEqual([...nodes.keys()].sort(), ['', '[0]', '[0].long']);
  for (const [suffix, node] of nodes) {
    const before = secondsOf(nodesOf(first).get(suffix));
    assert.ok(before >= 1, suffix);
    assert.equal(node.estimatedDuration, before, suffix);
  }
  const others: readonly (readonly [name: string, labels: Readonly<Record<string, string>>])[] = [
    ['unlabelled', {}],
    ['of-another', { [TEMPLATE]: 'other' }],
    ['of-a-cron-workflow', { [CRON]: 'shop' }],
  ];
  for (const [name, labels] of others) {
    const { status } = await run(name, labels);
    assert.equal(reads(), 0, name);
    assert.equal(status?.estimatedDuration, undefined, name);
  }
});

test('where the last one is gone nothing is estimated, and the workflow runs', async () => {
  await run('short-lived', { [TEMPLATE]: 'gone' });
  await cluster.client.delete(WORKFLOWS, 'short-lived', { namespace: 'default' });
  const { status } = await run('alone', { [TEMPLATE]: 'gone' });
  assert.equal(status?.phase, 'Succeeded');
  assert.equal(status.estimatedDuration, undefined);
});

test('estimates are whole seconds by the rest of a name, also where nodes are compressed', () => {
  const node = (name: string, finishedAt?: string): NodeStatus =>
    ({ id: name, name, startedAt: '2026-01-01T00:00:00Z', ...(finishedAt && { finishedAt }) }) as NodeStatus;
  const nodes = Object.fromEntries(
    [
      node('old', '2026-01-01T00:01:30Z'),
      node('old[0].a(0:old)', '2026-01-01T00:00:07Z'),
      node('old[0].quick', '2026-01-01T00:00:00Z'),
      node('old.onExit'),
    ].map((one) => [one.id, one]),
  );
  const status = { startedAt: '2026-01-01T00:00:00Z', finishedAt: '2026-01-01T00:02:00Z' };
  for (const stored of [{ nodes }, { compressedNodes: compressNodes(nodes) }]) {
    const estimates = estimatesOf({ metadata: { name: 'old' }, spec: {}, status: { ...status, ...stored } });
    assert.equal(estimates.workflow, 120);
    const of = (name: string): number | undefined => estimates.node(name, 'new');
    assert.deepEqual(
      [of('new'), of('new[0].a(0:old)'), of('new[0].quick'), of('new.onExit'), of('new[1].b')],
      [90, 7, undefined, undefined, undefined],
    );
  }
  assert.equal('workflow' in estimatesOf({ metadata: { name: 'old' }, spec: {} }), false);
});

test('the newest one that succeeded counts; when it goes, the newest of the others', () => {
  const present = new Map<string, Workflow>();
  let registered: InformerHandler<Workflow> | undefined;
  const baselines = new Baselines({
    addHandler: (handler: InformerHandler<Workflow>) => {
      registered = handler;
      return () => {};
    },
    lister: { list: () => [...present.values()] },
  } as unknown as Informer<Workflow>);
  const workflow = (name: string, second: number, phase: string, labels = { [TEMPLATE]: 't' }): Workflow =>
    ({
      metadata: { name, namespace: 'n', labels, creationTimestamp: `2026-01-01T00:00:0${second}Z` },
      status: { phase },
    }) as unknown as Workflow;
  const put = (next: Workflow): void => {
    const before = present.get(next.metadata.name);
    present.set(next.metadata.name, next);
    if (before === undefined) registered?.onAdd?.(next, false);
    else registered?.onUpdate?.(next, before);
  };
  const of = (labels: Readonly<Record<string, string>>): string | undefined =>
    baselines.of({ metadata: { name: 'x', namespace: 'n', labels } })?.key;

  put(workflow('a', 1, 'Succeeded'));
  put(workflow('c', 3, 'Running'));
  put(workflow('b', 2, 'Succeeded'));
  assert.equal(of({ [TEMPLATE]: 't' }), 'n/b');
  put(workflow('c', 3, 'Failed'));
  assert.equal(of({ [TEMPLATE]: 't' }), 'n/b');
  put(workflow('c', 3, 'Succeeded'));
  put(workflow('c', 3, 'Succeeded'));
  assert.equal(of({ [TEMPLATE]: 't' }), 'n/c');
  put(workflow('d', 4, 'Succeeded', { [CRON]: 'k' } as never));
  assert.equal(of({ [TEMPLATE]: 't', [CRON]: 'k' }), 'n/d');
  assert.equal(of({ [CRON]: 't' }), undefined);
  // A client begins the newest one again.
  put(workflow('c', 3, 'Running'));
  assert.equal(of({ [TEMPLATE]: 't' }), 'n/b');
  for (const name of ['b', 'a']) {
    const gone = present.get(name);
    present.delete(name);
    assert.ok(gone !== undefined);
    registered?.onDelete?.(gone);
    assert.equal(of({ [TEMPLATE]: 't' }), name === 'b' ? 'n/a' : undefined);
  }
  assert.equal(baselines.of({ metadata: { name: 'x', namespace: 'm', labels: { [CRON]: 'k' } } }), undefined);
});
