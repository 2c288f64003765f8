/** What users wait for, measured; runs alone, so that nothing else loads the node. Slow is not a failure. */
import { existsSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { LEASES, type Lease, OPERATOR_LEASE, PODS } from '../../src/api/index.ts';
import { waitForObject } from '../../src/kube/runtime/wait.ts';
import { firstProcessOf } from '../support/first-process.ts';
import { record } from './support/figures.ts';
import { measureRun } from './support/overhead.ts';
import { isNodeHere, noCluster } from './support/settings.ts';
import { ENDLESS, eventually, LIMIT_MS, Shop } from './support/shop.ts';

const TIMES = 5;

describe('figures of a cluster', { skip: noCluster }, () => {
  let shop: Shop;
  before(async () => {
    shop = await Shop.open();
  });
  after(() => shop?.close());

  it('overhead of a run', async () => {
    const app = await shop.app();
    for (let time = 0; time < TIMES; time += 1) await measureRun(shop, app);
    await shop.removeApp(app);
  });

  it('abort of what the experiment itself does, and of what a helper does', async () => {
    const app = await shop.app();
    const isHere = await isNodeHere(shop.client);
    for (let time = 0; time < TIMES; time += 1) {
      const run = await shop.run({ app, env: ENDLESS });
      await run.injected();
      const from = performance.now();
      await run.set({ engineState: 'stop' });
      await run.until(({ status }) => status?.engineStatus === 'stopped');
      record({ title: 'abort of pod-delete: to engine stopped', ms: performance.now() - from });
    }
    for (let time = 0; time < TIMES; time += 1) {
      const env = { ...ENDLESS, CPU_CORES: '1', CPU_LOAD: '5' };
      const run = await shop.run({ app, fault: 'pod-cpu-hog', env });
      await run.injected();
      const pid = isHere ? await firstProcessOf(await run.pod('helper')) : undefined;
      const from = performance.now();
      await run.set({ engineState: 'stop' });
      if (pid !== undefined) {
        await eventually('the helper ends', () => !existsSync(`/proc/${pid}`));
        record({
          title: 'abort of pod-cpu-hog: to the load and its helper gone',
          ms: performance.now() - from,
        });
      }
      await run.until(({ status }) => status?.engineStatus === 'stopped');
      record({ title: 'abort of pod-cpu-hog: to engine stopped', ms: performance.now() - from });
    }
    await shop.removeApp(app);
  });

  it('hand-over when the leader is stopped', async () => {
    const { client, settings } = shop;
    const { namespace } = settings;
    const holder = async (isWanted: (name: string) => boolean): Promise<string> => {
      const isHeld = (lease: Lease | undefined): boolean => isWanted(lease?.spec?.holderIdentity ?? '');
      const limited = { namespace, timeoutMs: LIMIT_MS };
      await waitForObject<Lease>(client, LEASES, OPERATOR_LEASE, isHeld, limited);
      return (await client.get<Lease>(LEASES, OPERATOR_LEASE, { namespace })).spec?.holderIdentity ?? '';
    };
    for (let time = 0; time < TIMES; time += 1) {
      const before = await holder((name) => name !== '');
      const pods = await client.list(PODS, { namespace });
      const leader = pods.items.find(({ metadata }) => before.startsWith(metadata.name));
      if (leader === undefined) throw new Error(`no pod of the leader ${before}`);
      const from = performance.now();
      await client.delete(PODS, leader.metadata.name, { namespace });
      await holder((name) => name !== '' && name !== before);
      record({
        title: 'hand-over: leader deleted to the next one leads',
        ms: performance.now() - from,
        barMs: 2_000,
      });
      await shop.operatorReady();
    }
  });
});
