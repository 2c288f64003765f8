/** Faults that change objects in place of processes, and the metrics of an engine. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Deployment, KubeObject, Node } from '@turnsole/kube/kinds/core';
import { DEPLOYMENTS, ENDPOINTS, NODES, PODS, SERVICES } from '@turnsole/kube/kinds/resources';
import { waitForObject } from '@turnsole/kube/runtime/wait';
import { noCluster } from './support/settings.ts';
import { type App, Shop } from './support/shop.ts';

const TAINT = 'turnsole.io/test';
/** Reads the page where it is served, so that no network to it is needed. */
const READ =
  "fetch('http://127.0.0.1:8080/metrics').then((r) => r.text()).then((t) => process.stdout.write(t))";

describe('changes of objects on a cluster', { skip: noCluster, concurrency: 3 }, () => {
  let shop: Shop;
  before(async () => {
    shop = await Shop.open();
  });
  after(() => shop?.close());

  async function withApp(test: (app: App) => Promise<void>): Promise<void> {
    const app = await shop.app();
    await test(app).finally(() => shop.removeApp(app));
  }

  it('pod-autoscaler: as many pods as were asked for, then as many as before', () =>
    withApp(async (app) => {
      const run = await shop.run({
        app,
        fault: 'pod-autoscaler',
        env: { REPLICA_COUNT: '4', TOTAL_CHAOS_DURATION: '60' },
      });
      const has = (replicas: number): Promise<Deployment> =>
        waitForObject<Deployment>(
          shop.client,
          DEPLOYMENTS,
          app.name,
          (found) => found?.spec?.replicas === replicas && found.status?.availableReplicas === replicas,
          shop.limited,
        ) as Promise<Deployment>;
      await has(4);
      assert.equal(await run.verdict(), 'Pass', JSON.stringify((await run.result()).status));
      await has(2);
    }));

  it('node-taint: the taint is on the node while it lasts, and those of others stay', async () => {
    const [node] = (await shop.client.list<Node>(NODES)).items;
    assert.ok(node);
    const taints = async (): Promise<string[]> => {
      const { spec } = await shop.client.get<Node>(NODES, node.metadata.name);
      return (spec?.taints ?? []).map(({ key, value, effect }) => `${key}=${value}:${effect}`).sort();
    };
    const before = await taints();
    const run = await shop.run({
      fault: 'node-taint',
      env: {
        TARGET_NODE: node.metadata.name,
        // Keeps nothing away: other tests go on beside this one.
        TAINTS: `${TAINT}=here:PreferNoSchedule`,
        TOTAL_CHAOS_DURATION: '60',
      },
    });
    await run.injected();
    assert.deepEqual(await taints(), [...before, `${TAINT}=here:PreferNoSchedule`].sort());
    await run.set({ engineState: 'stop' });
    assert.equal(await run.verdict(), 'Stopped');
    assert.deepEqual(await taints(), before);
  });

  it('monitoring: the metrics of an engine are served, and go with it', () =>
    withApp(async (app) => {
      const { client, namespace } = shop;
      const run = await shop.run({ app, spec: { monitoring: true } });
      assert.equal(await run.verdict(), 'Pass');
      const name = `${run.name}-monitor`;
      interface Endpoints extends KubeObject {
        readonly subsets?: readonly { readonly addresses?: readonly object[] }[];
      }
      const isServed = (found: Endpoints | undefined): boolean =>
        (found?.subsets ?? []).some(({ addresses = [] }) => addresses.length > 0);
      await waitForObject<Endpoints>(client, ENDPOINTS, name, isServed, shop.limited);
      const { stdout, stderr } = await client.exec({ namespace, name, command: ['node', '-e', READ] });
      assert.match(stdout, /^c_engine_passed_experiments\{.*\} 1$/m, stdout + stderr);
      await run.delete();
      await run.gone();
      const isGone = (found: KubeObject | undefined): boolean => found === undefined;
      await waitForObject(client, PODS, name, isGone, shop.limited);
      await waitForObject(client, SERVICES, name, isGone, shop.limited);
    }));
});
