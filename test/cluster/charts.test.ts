/** Upstream's charts, each file as it is, where their engines want to live: in namespace default. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { KindResolver } from '@turnsole/kube/apply/kind-resolver';
import type { Deployment, KubeObject } from '@turnsole/kube/kinds/core';
import { DEPLOYMENTS } from '@turnsole/kube/kinds/resources';
import { waitForObject } from '@turnsole/kube/runtime/wait';
import { parse } from 'yaml';
import { CHAOS_ENGINES, CHAOS_RESULTS, type ChaosEngine, type ChaosResult } from '../../src/api/index.ts';
import { parseManifests } from '../../src/services/manifests/load.ts';
import { chartManifests, chartsMissing } from '../support/charts.ts';
import { applyText } from '../support/up.ts';
import { noCluster } from './support/settings.ts';
import { LIMIT_MS, Shop } from './support/shop.ts';

const PLACE = { namespace: 'default', timeoutMs: LIMIT_MS } as const;
const NAME = 'turnsole-test-web';

describe('upstream’s charts on a cluster', { skip: noCluster || chartsMissing }, () => {
  let shop: Shop;
  before(async () => {
    shop = await Shop.open();
    const { image, pullPolicy } = shop.settings;
    const labels = { app: NAME };
    const server = "require('http').createServer((q, r) => r.end('ok')).listen(8080)";
    const main = { name: 'main', image, imagePullPolicy: pullPolicy, command: ['node', '-e', server] };
    const template = { metadata: { labels }, spec: { terminationGracePeriodSeconds: 1, containers: [main] } };
    const spec = { replicas: 2, selector: { matchLabels: labels }, template };
    await shop.client.create<Deployment>(DEPLOYMENTS, { metadata: { name: NAME, labels }, spec }, PLACE);
    const isReady = (found: Deployment | undefined): boolean => found?.status?.availableReplicas === 2;
    await waitForObject<Deployment>(shop.client, DEPLOYMENTS, NAME, isReady, PLACE);
  });
  after(async () => {
    await shop?.client.delete(DEPLOYMENTS, NAME, { ...PLACE, propagationPolicy: 'Background' });
    shop?.close();
  });

  // One after the other: their engines have the same name.
  for (const chart of ['pod-delete', 'container-kill']) {
    it(`${chart} runs unmodified and passes`, async () => {
      const files = await chartManifests(chart);
      const engine = parse(files.engine) as ChaosEngine;
      const { name } = engine.metadata;
      await applyText(shop.client, [files.fault, files.rbac].join('\n---\n'));
      await applyText(shop.client, files.engine);
      const isOver = (found: ChaosEngine | undefined): boolean =>
        ['completed', 'stopped'].includes(found?.status?.engineStatus ?? '');
      await waitForObject<ChaosEngine>(shop.client, CHAOS_ENGINES, name, isOver, PLACE);
      const result = await shop.client.get<ChaosResult>(CHAOS_RESULTS, `${name}-${chart}`, PLACE);
      assert.equal(result.status?.experimentStatus?.verdict, 'Pass', JSON.stringify(result.status));
      await remove([files.engine, files.rbac, files.fault].join('\n---\n'));
    });
  }

  async function remove(text: string): Promise<void> {
    const kinds = new KindResolver(shop.client);
    for (const { object } of parseManifests('chart.yaml', text, [])) {
      const resource = await kinds.resolve(object.apiVersion, object.kind);
      if (typeof resource === 'string') throw new Error(resource);
      const { name } = object.metadata;
      const place = resource.namespaced ? PLACE : { timeoutMs: LIMIT_MS };
      await shop.client.delete(resource, name, place);
      const isGone = (found: KubeObject | undefined): boolean => found === undefined;
      await waitForObject<KubeObject>(shop.client, resource, name, isGone, place);
    }
  }
});
