/** What users wait for, measured; runs alone, so that nothing else loads the node. Slow is not a failure. */
import { after, before, describe, it } from 'node:test';
import type { Lease } from '@turnsole/kube/kinds/core';
import { LEASES, PODS } from '@turnsole/kube/kinds/resources';
import { waitForObject } from '@turnsole/kube/runtime/wait';
import { OPERATOR_LEASE } from '../../src/api/index.ts';
import { record } from './support/figures.ts';
import { measureRun } from './support/overhead.ts';
import { noCluster } from './support/settings.ts';
import { LIMIT_MS, Shop } from './support/shop.ts';

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
