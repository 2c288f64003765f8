/** The operator's own end, upgrades and the safety lever, while engines run; alone, as they concern every engine of the cluster. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Lease, Pod } from '@turnsole/kube/kinds/core';
import { LEASES, PODS } from '@turnsole/kube/kinds/resources';
import { OPERATOR_LEASE } from '../../src/api/index.ts';
import { firstProcessOf } from '../support/first-process.ts';
import { installArguments } from './support/installation.ts';
import { isNodeHere, noCluster } from './support/settings.ts';
import { type App, ENDLESS, Shop } from './support/shop.ts';

const LONG = { TOTAL_CHAOS_DURATION: '20', CHAOS_INTERVAL: '20' } as const;

describe('the operator on a cluster', { skip: noCluster }, () => {
  let shop: Shop;
  let app: App;
  before(async () => {
    shop = await Shop.open();
    app = await shop.app();
  });
  after(async () => {
    await shop?.removeApp(app);
    shop?.close();
  });

  async function leader(): Promise<Pod> {
    const { namespace } = shop.settings;
    const lease = await shop.client.get<Lease>(LEASES, OPERATOR_LEASE, { namespace });
    const { items } = await shop.client.list<Pod>(PODS, { namespace });
    const found = items.find(({ metadata }) => lease.spec?.holderIdentity?.startsWith(metadata.name));
    assert.ok(found, `${lease.spec?.holderIdentity} is none of the pods`);
    return found;
  }

  async function goesOn(blow: () => Promise<void>): Promise<void> {
    const run = await shop.run({ app, env: LONG });
    const { status } = await run.injected();
    await blow();
    const engine = await run.ended();
    assert.equal(engine.status?.experiments?.[0]?.verdict, 'Pass');
    assert.equal(engine.status?.runnerAttempts, 1);
    assert.equal((await run.result()).status?.history?.passedRuns, 1);
    assert.equal(Object.keys(status?.ledger ?? {}).length, 1);
    await shop.operatorReady();
  }

  it('a run goes on when the leader is stopped', () =>
    goesOn(async () => {
      await shop.client.delete(PODS, (await leader()).metadata.name, shop.settings);
    }));

  it('a run goes on when the process of the leader is killed', async (test) => {
    if (!(await isNodeHere(shop.client))) return test.skip('its node is not this machine');
    await goesOn(async () => {
      process.kill(await firstProcessOf(await leader()), 'SIGKILL');
    });
  });

  it('a run goes on when every operator goes at once', () =>
    goesOn(async () => {
      const { namespace } = shop.settings;
      const labelSelector = 'app.kubernetes.io/component=operator';
      await shop.client.deleteCollection(PODS, { namespace, labelSelector, gracePeriodSeconds: 0 });
    }));

  it('an upgrade lets a running engine go on', () =>
    goesOn(async () => {
      const before = await leader();
      // Another priority would be another pod template, as another image is; this one is there in every cluster.
      const args = [...installArguments(shop.settings), '--priority-class', 'system-cluster-critical'];
      const upgrade = await shop.turnsole(...args);
      assert.equal(upgrade.code, 0, upgrade.stdout + upgrade.stderr);
      assert.match(upgrade.stdout, /Deployment \S+\/turnsole-operator changed/);
      assert.notEqual((await leader()).metadata.uid, before.metadata.uid);
    }));

  it('the safety lever stops what runs, and holds up what is new until it is released', async () => {
    const { namespace } = shop;
    const run = await shop.run({ app, env: ENDLESS });
    await run.injected();
    const halted = await shop.turnsole('halt', '-n', namespace, '--reason', 'a test');
    assert.equal(halted.code, 0, halted.stdout + halted.stderr);
    assert.equal((await run.ended()).status?.engineStatus, 'stopped');
    await run.nothingLeft();
    const waiting = await shop.run({ app });
    const held = await waiting.until(({ status }) => (status?.conditions?.length ?? 0) > 0);
    assert.match(JSON.stringify(held.status?.conditions), /"Runnable"/);
    assert.equal((await waiting.pods()).length, 0);
    const status = await shop.turnsole('status', '-n', namespace);
    assert.match(status.stdout, /a test/);
    const resumed = await shop.turnsole('resume', '-n', namespace);
    assert.equal(resumed.code, 0, resumed.stdout + resumed.stderr);
    assert.equal(await waiting.verdict(), 'Pass');
  });
});
