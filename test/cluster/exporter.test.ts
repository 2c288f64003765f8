/** The installed exporter, under its own roles, on an API server that picks Events by their reason. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Pod } from '@turnsole/kube/kinds/core';
import { PODS } from '@turnsole/kube/kinds/resources';
import { until } from '@turnsole/kube/testing/until';
import { EXPORTER_LABELS } from '../../src/services/install/names.ts';
import { noCluster } from './support/settings.ts';
import { LIMIT_MS, Shop } from './support/shop.ts';

/** Asks from inside of the pod: a rig has no way to its network. */
const READ =
  "fetch('http://127.0.0.1:8080/metrics').then((page) => page.text()).then((text) => console.log(text))";

describe('the exporter on a cluster', { skip: noCluster }, () => {
  let shop: Shop;
  before(async () => {
    shop = await Shop.open();
  });
  after(() => shop?.close());

  async function page(): Promise<string> {
    const { client, settings } = shop;
    const place = { namespace: settings.namespace };
    const labelSelector = `app=${EXPORTER_LABELS.app}`;
    const { items } = await client.list<Pod>(PODS, { ...place, labelSelector });
    const [pod] = items.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
    if (pod === undefined) throw new Error('there is no pod of the exporter');
    const { stdout } = await client.exec({
      ...place,
      name: pod.metadata.name,
      command: ['node', '-e', READ],
    });
    return stdout;
  }

  it('follows everything, and shows and counts a run that passes', async () => {
    const app = await shop.app();
    const run = await shop.run({ app });
    assert.equal(await run.verdict(), 'Pass');
    const name = `chaosresult_name="${run.name}-pod-delete"`;
    const shown = new RegExp(`^litmuschaos_passed_experiments\\{[^\\n]*${name}[^\\n]*\\} 1$`, 'm');
    let last = '';
    const isShown = async (): Promise<boolean> => {
      last = await page();
      return shown.test(last);
    };
    await until(isShown, () => `the pass is not shown: ${last.slice(0, 2_000)}`, LIMIT_MS);
    assert.doesNotMatch(last, /^turnsole_exporter_following\{.*\} 0$/m);
    assert.match(last, /^turnsole_runs_total\{.*fault_name="pod-delete",verdict="Pass"\} [1-9]/m);
    for (const time of ['start', 'end', 'chaos_injected']) {
      assert.match(
        last,
        new RegExp(`^litmuschaos_experiment_${time}_time\\{[^\\n]*${name}[^\\n]*\\} 1\\d{9}$`, 'm'),
      );
    }
    await shop.removeApp(app);
  });
});
