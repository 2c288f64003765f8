/** The suite's last part: with a run under way everything is removed, and nothing stays. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { DEPLOYMENTS } from '@turnsole/kube/kinds/resources';
import { inventory } from '../support/inventory.ts';
import { testNamespacesGone } from './support/namespaces.ts';
import { noCluster } from './support/settings.ts';
import { ENDLESS, Shop } from './support/shop.ts';
import { testVolumesGone } from './support/volume.ts';

describe('uninstalling from a cluster', { skip: noCluster }, () => {
  let shop: Shop;
  before(async () => {
    shop = await Shop.open();
  });
  after(() => shop?.close());

  it('asks first, then stops and reverts what runs and removes what was installed', async () => {
    const { namespace } = shop.settings;
    const app = await shop.app();
    const run = await shop.run({
      app,
      fault: 'pod-cpu-hog',
      env: { ...ENDLESS, CPU_CORES: '1', CPU_LOAD: '5' },
    });
    await run.injected();
    const asked = await shop.turnsole('uninstall', '--namespace', namespace);
    assert.equal(asked.code, 2);
    assert.match(asked.stderr, /say --yes/);
    const done = await shop.turnsole('uninstall', '--namespace', namespace, '--yes');
    assert.equal(done.code, 0, done.stdout + done.stderr);
    assert.equal((await run.pods((pods) => pods.length === 0)).length, 0);
    // What is not Turnsole's own stays.
    assert.notEqual(await shop.client.find(DEPLOYMENTS, app.name, shop.limited), undefined);
    // Claim and key of a control plane, where there was one.
    const again = await shop.turnsole('uninstall', '--namespace', namespace, '--delete-data');
    assert.equal(again.code, 0, again.stdout + again.stderr);
    for (const object of kept(done.stdout)) assert.ok(again.stdout.includes(`${object} deleted`), object);
    await testVolumesGone(shop.client);
  });

  it('leaves nothing that was not there before', async () => {
    await testNamespacesGone(shop.client);
    const before = new Set(readFileSync(shop.settings.inventory, 'utf8').split('\n'));
    const left = [...(await inventory(shop.client))].filter((name) => !before.has(name) && !isPassing(name));
    assert.deepEqual(left, []);
  });
});

/** Objects that were kept for their user: `Kind namespace/name`. */
function kept(stdout: string): string[] {
  return [...stdout.matchAll(/^(.+) kept: --delete-data removes it$/gm)].map(([, object = '']) => object);
}

/** What the cluster itself makes and drops: Events, and heartbeats. */
function isPassing(name: string): boolean {
  return name.startsWith('Event ') || name.startsWith('Lease kube-node-lease/');
}
