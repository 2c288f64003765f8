/** The suite's first part: Turnsole is installed as a user installs it, and everything after this works with that. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { CUSTOM_RESOURCE_DEFINITIONS, NAMESPACES } from '@turnsole/kube/kinds/resources';
import { CUSTOM_RESOURCES } from '../../src/api/crds.ts';
import { LABEL_CHAOS_UID } from '../../src/api/index.ts';
import { installArguments } from './support/installation.ts';
import { accountReady, TEST_NAMESPACE } from './support/namespaces.ts';
import { noCluster } from './support/settings.ts';
import { Shop } from './support/shop.ts';

describe('installing on a cluster', { skip: noCluster }, () => {
  let shop: Shop;
  before(async () => {
    shop = await Shop.open();
    // A user's own, so that uninstalling has to leave it.
    await shop.client.create(NAMESPACES, { metadata: { name: shop.namespace, labels: TEST_NAMESPACE } });
    await accountReady(shop.client, shop.namespace);
  });
  after(() => shop?.close());

  it('makes everything, and waits until operator and webhook are ready', async () => {
    const { code, stdout, stderr } = await shop.turnsole(...installArguments(shop.settings));
    assert.equal(code, 0, stdout + stderr);
    assert.match(stdout, /Deployment \S+\/turnsole-operator ready/);
    assert.match(stdout, /Deployment \S+\/turnsole-webhook ready/);
    assert.match(stdout, new RegExp(`^Namespace ${shop.namespace} kept$`, 'm'));
    await accountReady(shop.client, shop.namespace, 'pod-delete-sa');
  });

  it('changes nothing when it is done again', async () => {
    const { code, stdout, stderr } = await shop.turnsole(...installArguments(shop.settings));
    assert.equal(code, 0, stdout + stderr);
    assert.doesNotMatch(stdout, / (created|changed)$/m);
  });

  it('defines kinds that take the empty texts of upstream’s manifests', async () => {
    const engine = {
      apiVersion: 'litmuschaos.io/v1alpha1',
      kind: 'ChaosEngine',
      metadata: { name: 'empty', namespace: shop.namespace, labels: { [LABEL_CHAOS_UID]: '' } },
      spec: {
        engineState: 'active',
        appinfo: { appns: '', applabel: '', appkind: '' },
        chaosServiceAccount: 'pod-delete-sa',
        experiments: [
          {
            name: 'pod-delete',
            spec: { components: { env: [{ name: 'PODS_AFFECTED_PERC', value: '' }] } },
          },
        ],
      },
    };
    const path = `/apis/litmuschaos.io/v1alpha1/namespaces/${shop.namespace}/chaosengines?dryRun=All`;
    await shop.client.raw('POST', path, engine);
    const wrong = structuredClone(engine) as { spec: { appinfo: { appns: unknown } } };
    wrong.spec.appinfo.appns = 7;
    await assert.rejects(
      shop.client.raw('POST', path, wrong),
      /spec\.appinfo\.appns.*must be of type string/,
    );
    const { items } = await shop.client.list(CUSTOM_RESOURCE_DEFINITIONS);
    const defined = items
      .map(({ metadata }) => metadata.name)
      .filter((name) => name.endsWith('.litmuschaos.io'));
    const expected = CUSTOM_RESOURCES.map(({ definition }) => definition.metadata.name);
    assert.deepEqual(defined.toSorted(), expected.toSorted());
  });
});
