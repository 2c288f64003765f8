/** Faults that withhold the only node there is: the application has nowhere to go, and chaos itself has to be able to end them. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Node, Pod } from '@turnsole/kube/kinds/core';
import { PODS } from '@turnsole/kube/kinds/resources';
import { type ChaosResult, LABEL_PART_OF, PART_OF_LITMUS } from '../../src/api/index.ts';
import { CLAIMS_ANNOTATION } from '../../src/faults/node/claims.ts';
import { FaultCluster, isReady, LOOKED_AT_SECONDS, onlyNodeImpossible } from './support/fault-cluster.ts';

const TAINT = 'turnsole.io/test';
/** Ended by whoever tests. */
const LONG = { TOTAL_CHAOS_DURATION: '300' } as const;

const isWaiting = ({ spec, status }: Pod): boolean =>
  spec?.nodeName === undefined && status?.phase === 'Pending';
const isAsBefore = ({ spec, metadata }: Node): boolean =>
  spec?.unschedulable !== true &&
  metadata.annotations?.[CLAIMS_ANNOTATION] === undefined &&
  (spec?.taints ?? []).every(({ key }) => key !== TAINT);

function verdictOf({ status }: ChaosResult): string {
  const { verdict, errorOutput } = status?.experimentStatus ?? {};
  return `${verdict} ${errorOutput?.errorCode ?? ''}`.trim();
}

describe('faults of the only node', { skip: onlyNodeImpossible }, () => {
  let cluster: FaultCluster;
  let node: string;
  before(async () => {
    cluster = await FaultCluster.start();
    node = cluster.nodes[0] ?? '';
  });
  after(() => cluster?.close());

  /** An application of two pods on the node. */
  async function scene() {
    const namespace = await cluster.namespace();
    await cluster.deployment(namespace, 'web', 2);
    const web = (isWanted: (pod: Pod) => boolean): Promise<readonly Pod[]> =>
      cluster.podsOf(namespace, 'web', (pods) => pods.length === 2 && pods.every(isWanted));
    return { namespace, web };
  }

  /** Operators, webhooks: whatever of chaos is installed. */
  async function installed(): Promise<string[]> {
    const labelSelector = `${LABEL_PART_OF}=${PART_OF_LITMUS},app.kubernetes.io/managed-by=turnsole`;
    const { items } = await cluster.client.list<Pod>(PODS, { labelSelector });
    const here = items.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
    return here.map(({ metadata }) => `${metadata.name} ${metadata.uid}`).sort();
  }

  test('node-drain: the application waits for the node, chaos stays, and then all is as before', async () => {
    const { namespace, web } = await scene();
    const standing = await installed();
    const run = await cluster.run('node-drain', {
      namespace,
      env: { TARGET_NODE: node, TOTAL_CHAOS_DURATION: LOOKED_AT_SECONDS },
    });
    await run.injected();
    assert.equal((await cluster.node(node, () => true)).spec?.unschedulable, true);
    await web(isWaiting);
    assert.deepEqual(await installed(), standing);
    const result = await run.ended();
    assert.equal(verdictOf(result), 'Pass', JSON.stringify(result.status));
    assert.ok(isAsBefore(await cluster.node(node, () => true)));
    await web(isReady);
  });

  test('node-drain: an application that is to be healthy is not, which the run says; the node comes back', async () => {
    const { namespace, web } = await scene();
    const run = await cluster.run('node-drain', {
      namespace,
      env: {
        ...LONG,
        TARGET_NODE: node,
        TARGETS: `deployment:${namespace}:[app=web]`,
        DEFAULT_HEALTH_CHECK: 'true',
      },
      statusCheckSeconds: 5,
    });
    const result = await run.ended();
    assert.equal(verdictOf(result), 'Error STATUS_CHECKS_ERROR', JSON.stringify(result.status));
    assert.match(result.status?.experimentStatus?.errorOutput?.reason ?? '', /web-/);
    assert.ok(isAsBefore(await cluster.node(node, () => true)));
    await web(isReady);
  });

  const taints = (effect: string): Record<string, string> => ({ TAINTS: `${TAINT}=here:${effect}` });
  const cases: readonly (readonly [string, string, Record<string, string>])[] = [
    ['node-drain', 'node-drain', {}],
    ['node-taint with NoSchedule', 'node-taint', taints('NoSchedule')],
    ['node-taint with NoExecute', 'node-taint', taints('NoExecute')],
  ];
  for (const [name, fault, env] of cases) {
    test(`${name}: an abort gives the node back, and nothing of chaos has left it`, async () => {
      const { namespace, web } = await scene();
      const standing = await installed();
      const run = await cluster.run(fault, { namespace, env: { ...LONG, TARGET_NODE: node, ...env } });
      await run.injected();
      assert.ok(!isAsBefore(await cluster.node(node, () => true)));
      await run.abort();
      assert.equal(verdictOf(await run.ended()), 'Stopped');
      assert.ok(isAsBefore(await cluster.node(node, () => true)));
      await web(isReady);
      assert.deepEqual(await installed(), standing);
    });

    test(`${name}: an experiment that is killed keeps no node: its recovery may start there`, async () => {
      const { namespace, web } = await scene();
      const run = await cluster.run(fault, { namespace, env: { ...LONG, TARGET_NODE: node, ...env } });
      await run.injected();
      assert.ok(!isAsBefore(await cluster.node(node, () => true)));
      await cluster.killExperiment(namespace);
      await cluster.node(node, isAsBefore);
      await web(isReady);
      assert.match(verdictOf(await run.ended()), /^Error/);
    });
  }
});
