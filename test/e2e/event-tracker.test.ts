/** The event tracker beside real controllers: a rollout changes its workload many times, and triggers as often as a policy says. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { EmbeddedCluster } from '@turnsole/cluster/cluster/types';
import { createClient } from '@turnsole/kube/client/index';
import type { KubeClient } from '@turnsole/kube/client/types';
import type { StatefulSet } from '@turnsole/kube/kinds/core';
import { DEPLOYMENTS, STATEFUL_SETS } from '@turnsole/kube/kinds/resources';
import { isRollingOut } from '@turnsole/kube/kinds/rollout';
import { waitForObject } from '@turnsole/kube/runtime/wait';
import { PATIENCE_MS } from '@turnsole/kube/testing/until';
import { EVENT_TRACKER_POLICIES, type EventTrackerPolicy, type RolloutMode } from '../../src/api/index.ts';
import { NotifiedServer } from '../../src/components/event-tracker/testing/notified-server.ts';
import {
  createPolicy,
  createShop,
  createWorkload,
  EXPERIMENT,
  startTracker,
} from '../../src/components/event-tracker/testing/tracked-shop.ts';
import { startChaosCluster } from '../../src/embedded/index.ts';

const MODES: readonly RolloutMode[] = ['once', 'each', 'settled'];

let cluster: EmbeddedCluster;
let client: KubeClient;
before(async () => {
  cluster = await startChaosCluster({ runtime: 'simulated' });
  client = createClient(cluster.adminConfig);
});
after(async () => {
  client?.close();
  await cluster?.close();
});

const WORKLOADS = [
  ['Deployment', DEPLOYMENTS],
  ['StatefulSet', STATEFUL_SETS],
] as const;

for (const [kind, resource] of WORKLOADS) {
  test(`a rollout of a ${kind} triggers once, once when it is over, or at each of its changes`, async () => {
    const namespace = `shop-of-${kind.toLowerCase()}`;
    await using server = await NotifiedServer.start();
    await createShop(client, namespace, server.url);
    await createWorkloadOf(kind, namespace);
    const settled = (object: Parameters<typeof isRollingOut>[1] | undefined): boolean =>
      object !== undefined && !isRollingOut(kind, object);
    const wait = { namespace, timeoutMs: PATIENCE_MS };
    await waitForObject(client, resource, 'web', settled, wait);
    for (const rollout of MODES) {
      const keys = ['spec.template.spec.containers[0].image', 'status.updatedReplicas'];
      const conditions = keys.map((key) => ({ key, operator: 'Change' as const }));
      await createPolicy(client, namespace, rollout, { rollout, conditions });
    }
    await using _tracker = startTracker({ config: cluster.adminConfig }, namespace);
    const key = `${kind}/${namespace}/web`;
    const until = (mode: RolloutMode, isSo: (policy: EventTrackerPolicy) => boolean) =>
      waitForObject<EventTrackerPolicy>(
        client,
        EVENT_TRACKER_POLICIES,
        mode,
        (found) => found !== undefined && isSo(found),
        wait,
      );
    for (const mode of MODES) await until(mode, ({ status }) => key in (status?.tracked ?? {}));
    for (const rollout of [1, 2]) {
      const patch = {
        spec: { template: { spec: { containers: [{ name: 'main', image: `nginx:${rollout}` }] } } },
      };
      await client.patch(resource, 'web', 'strategic', patch, { namespace });
      await until('settled', ({ status }) => status?.count === rollout);
      // The rollout is forgotten when it is over, and what belongs to it has been looked at.
      const once = await until(
        'once',
        ({ status }) => status?.count === rollout && status.tracked?.[key]?.rollout === undefined,
      );
      assert.equal(once?.status?.count, rollout);
      await until('each', ({ status }) => (status?.count ?? 0) >= 2 * rollout);
    }
  });
}

async function createWorkloadOf(kind: 'Deployment' | 'StatefulSet', namespace: string): Promise<void> {
  if (kind === 'Deployment') {
    await createWorkload(client, namespace, 'web');
    await client.patch(DEPLOYMENTS, 'web', 'merge', { spec: { replicas: 3 } }, { namespace });
    return;
  }
  const labels = { app: 'web' };
  const annotations = { 'litmuschaos.io/gitops': 'true', 'litmuschaos.io/experimentId': EXPERIMENT };
  const template = { metadata: { labels }, spec: { containers: [{ name: 'main', image: 'nginx:0' }] } };
  const spec = { replicas: 3, serviceName: 'web', selector: { matchLabels: labels }, template };
  await client.create<StatefulSet>(
    STATEFUL_SETS,
    { metadata: { name: 'web', annotations }, spec },
    { namespace },
  );
}
