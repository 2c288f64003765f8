/** Small workflows of our own, one for each kind of node, as pods of the embedded cluster. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { isolationMissing } from '@turnsole/cluster/node/testing/isolation-missing';
import type { NewObject } from '@turnsole/kube/client/types';
import { NAMESPACES, ROLE_BINDINGS, SERVICE_ACCOUNTS } from '@turnsole/kube/kinds/resources';
import { waitForObject } from '@turnsole/kube/runtime/wait';
import { PATIENCE_MS } from '@turnsole/kube/testing/until';
import { WORKFLOWS } from '@turnsole/workflows/kinds/resources';
import type { Workflow } from '@turnsole/workflows/kinds/workflow';
import type { DetachedCluster } from '../../support/up.ts';
import { readDocuments } from '../recordings/manifests.ts';
import { startExampleCluster } from './cluster.ts';
import { create } from './create.ts';

const NAMESPACE = 'own';

/** How a workflow has to end. */
interface End {
  readonly phase: string;
  readonly message?: string;
  /** Phases of nodes by name; only these may be there. */
  readonly nodes: Readonly<Record<string, string>>;
  /** Output parameters, results and exit codes by node and name. */
  readonly outputs?: Readonly<Record<string, string>>;
}

const ENDS: Readonly<Record<string, End>> = {
  when: {
    phase: 'Succeeded',
    nodes: {
      when: 'Succeeded',
      'when[0]': 'Succeeded',
      'when[0].umbrella': 'Succeeded',
      'when[0].hat': 'Skipped',
      'when[1]': 'Succeeded',
      'when[1].walk': 'Succeeded',
      'when.onExit': 'Succeeded',
    },
  },
  'dag-with-failure': {
    phase: 'Failed',
    nodes: {
      'dag-with-failure': 'Failed',
      'dag-with-failure.build': 'Succeeded',
      'dag-with-failure.test': 'Failed',
      'dag-with-failure.publish': 'Omitted',
      'dag-with-failure.tell': 'Succeeded',
    },
    outputs: { 'dag-with-failure.test exitCode': '3' },
  },
  outputs: {
    phase: 'Succeeded',
    nodes: {
      outputs: 'Succeeded',
      'outputs[0]': 'Succeeded',
      'outputs[0].list': 'Succeeded',
      'outputs[0].write': 'Succeeded',
      'outputs[1]': 'Succeeded',
      'outputs[1].each(0:one)': 'Succeeded',
      'outputs[1].each(1:two)': 'Succeeded',
    },
    outputs: {
      'outputs[0].list result': '["one", "two"]',
      'outputs[0].write text': 'of the file',
    },
  },
  artifacts: {
    phase: 'Succeeded',
    nodes: { artifacts: 'Succeeded', 'artifacts.make': 'Succeeded', 'artifacts.take': 'Succeeded' },
  },
  'raw-artifact': { phase: 'Succeeded', nodes: { 'raw-artifact': 'Succeeded' } },
  retry: {
    phase: 'Succeeded',
    nodes: { retry: 'Succeeded', 'retry(0)': 'Failed', 'retry(1)': 'Failed', 'retry(2)': 'Succeeded' },
  },
  resource: {
    phase: 'Succeeded',
    nodes: { resource: 'Succeeded' },
    outputs: { 'resource answer': '42' },
  },
  'manifest-from': {
    phase: 'Succeeded',
    nodes: { 'manifest-from': 'Succeeded' },
    outputs: { 'manifest-from answer': '43' },
  },
  'container-set': {
    phase: 'Succeeded',
    nodes: {
      'container-set': 'Succeeded',
      'container-set.a': 'Succeeded',
      'container-set.main': 'Succeeded',
    },
  },
  sidecar: { phase: 'Succeeded', nodes: { sidecar: 'Succeeded' } },
  deadline: {
    phase: 'Failed',
    message: 'Pod was active on the node longer than the specified deadline',
    nodes: { deadline: 'Failed' },
  },
};

const missing = await isolationMissing();
// Steps write to fixed paths, at the same time.
describe('workflows run as pods', { skip: missing, concurrency: true, timeout: 3 * PATIENCE_MS }, () => {
  let cluster: DetachedCluster;
  before(async () => {
    cluster = await startExampleCluster('full');
    const { client } = cluster;
    await create(client, NAMESPACES, { metadata: { name: NAMESPACE } });
    await create(client, SERVICE_ACCOUNTS, { metadata: { name: 'maker', namespace: NAMESPACE } });
    await create(client, ROLE_BINDINGS, {
      metadata: { name: 'maker', namespace: NAMESPACE },
      subjects: [{ kind: 'ServiceAccount', name: 'maker', namespace: NAMESPACE }],
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'edit' },
    });
  });
  after(() => cluster[Symbol.asyncDispose]());

  for (const [name, expected] of Object.entries(ENDS)) {
    it(name, async () => {
      assert.deepEqual(endOf(await runToEnd(cluster, name), expected), expected);
    });
  }
});

async function runToEnd({ client }: DetachedCluster, name: string): Promise<Workflow> {
  const file = join(import.meta.dirname, 'own', `${name}.yaml`);
  const [workflow] = readDocuments(readFileSync(file, 'utf8'));
  await client.create(WORKFLOWS, workflow as unknown as NewObject<Workflow>, { namespace: NAMESPACE });
  const isOver = (seen: Workflow | undefined): boolean => typeof seen?.status?.finishedAt === 'string';
  const options = { namespace: NAMESPACE, timeoutMs: PATIENCE_MS };
  const ended = await waitForObject<Workflow>(client, WORKFLOWS, name, isOver, options);
  assert.ok(ended);
  return ended;
}

/** The end of a workflow in the form of what is expected, with those outputs that are named there. */
function endOf({ status }: Workflow, { outputs: wanted, message }: End): End {
  const nodes = Object.values(status?.nodes ?? {});
  const outputs: Record<string, string> = {};
  for (const { name, outputs: own } of nodes) {
    for (const { name: parameter, value } of own?.parameters ?? [])
      outputs[`${name} ${parameter}`] = String(value);
    if (own?.result !== undefined) outputs[`${name} result`] = own.result;
    if (own?.exitCode !== undefined) outputs[`${name} exitCode`] = own.exitCode;
  }
  const named = Object.fromEntries(
    Object.entries(outputs).filter(([key]) => wanted !== undefined && key in wanted),
  );
  return {
    phase: status?.phase ?? '',
    ...((message !== undefined || status?.phase === 'Error') && { message: status?.message ?? '' }),
    nodes: Object.fromEntries(nodes.map((node) => [node.name, node.phase])),
    ...(wanted && { outputs: named }),
  };
}
