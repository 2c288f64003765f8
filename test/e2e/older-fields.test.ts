/** Fields of older releases, with real pods and the permissions of upstream's charts. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Endpoints, Service } from '@turnsole/kube/kinds/core';
import { DEPLOYMENTS, ENDPOINTS, PODS, SERVICES } from '@turnsole/kube/kinds/resources';
import { waitForObject } from '@turnsole/kube/runtime/wait';
import { PATIENCE_MS } from '@turnsole/kube/testing/until';
import {
  CHAOS_ENGINES,
  CHAOS_RESULTS,
  type ChaosEngine,
  type ChaosEngineSpec,
  type ChaosResult,
} from '../../src/api/index.ts';
import { parseManifests } from '../../src/services/manifests/load.ts';
import { chaosAccount, documents, engine, experiment, webApp } from '../support/manifests.ts';
import { applyText, type DetachedCluster, detachedCluster } from '../support/up.ts';

const NAMESPACE = { namespace: 'default' };

describe('older fields of an engine', () => {
  let cluster: DetachedCluster;
  before(async () => {
    cluster = await detachedCluster();
    await applyText(cluster.client, documents(webApp(2), chaosAccount(), experiment('pod-delete')));
  });
  after(() => cluster[Symbol.asyncDispose]());

  /** Runs an engine to its end and gives it as it then is. */
  async function completed(name: string, spec: Partial<ChaosEngineSpec>): Promise<ChaosEngine> {
    const [manifest] = parseManifests('engine.yaml', engine({ name }), []);
    const object = structuredClone(manifest?.object) as unknown as ChaosEngine;
    Object.assign(object.spec, spec);
    await cluster.client.create<ChaosEngine>(CHAOS_ENGINES, object, NAMESPACE);
    const ended = await waitForObject<ChaosEngine>(
      cluster.client,
      CHAOS_ENGINES,
      name,
      (found) => found?.status?.engineStatus === 'completed',
      { ...NAMESPACE, timeoutMs: PATIENCE_MS },
    );
    assert.ok(ended);
    return ended;
  }

  const verdicts = ({ status }: ChaosEngine): (string | undefined)[] =>
    (status?.experiments ?? []).map(({ verdict }) => verdict);

  it('annotationCheck: only a workload that agrees is hit', async () => {
    const refused = await completed('careful', { annotationCheck: 'true' });
    assert.deepEqual(verdicts(refused), ['Error']);
    const { status } = await cluster.client.get<ChaosResult>(CHAOS_RESULTS, 'careful-pod-delete', NAMESPACE);
    assert.match(
      status?.experimentStatus?.errorOutput?.reason ?? '',
      /asks for the annotation litmuschaos\.io\/chaos=true.*deployment web/,
    );
    assert.deepEqual(Object.keys(status?.ledger ?? {}), []);
    const annotations = { 'litmuschaos.io/chaos': 'true' };
    await cluster.client.patch(DEPLOYMENTS, 'web', 'merge', { metadata: { annotations } }, NAMESPACE);
    assert.deepEqual(verdicts(await completed('agreed', { annotationCheck: 'true' })), ['Pass']);
  });

  it('monitoring: the service answers with the totals of the engine, and goes with it', async () => {
    const { client } = cluster;
    const ended = await completed('watched', { monitoring: true });
    assert.deepEqual(verdicts(ended), ['Pass']);
    const hasAddress = (endpoints: Endpoints | undefined): boolean =>
      (endpoints?.subsets ?? []).some(({ addresses = [] }) => addresses.length > 0);
    const limits = { ...NAMESPACE, timeoutMs: PATIENCE_MS };
    await waitForObject<Endpoints>(client, ENDPOINTS, 'watched-monitor', hasAddress, limits);
    const service = await client.get<Service>(SERVICES, 'watched-monitor', NAMESPACE);
    const response = await fetch(`http://${service.spec?.clusterIP}:8080/metrics`);
    const page = await response.text();
    assert.equal(response.status, 200, page);
    const value = (name: string): string | undefined =>
      page
        .split('\n')
        .find((line) => line.startsWith(`${name}{`))
        ?.split(' ')
        .at(-1);
    assert.equal(value('c_engine_experiment_count'), '1');
    assert.equal(value('c_engine_passed_experiments'), '1');
    assert.equal(value('c_engine_failed_experiments'), '0');
    assert.equal(value('c_exp_pod_delete'), '3');
    assert.equal(value('litmuschaos_passed_experiments'), '1');
    assert.ok(Number(value('litmuschaos_experiment_start_time')) > 1.7e9, page);
    assert.ok(Number(value('litmuschaos_experiment_total_duration')) >= 0);

    await client.delete(CHAOS_ENGINES, 'watched', NAMESPACE);
    for (const resource of [SERVICES, PODS]) {
      await waitForObject(client, resource, 'watched-monitor', (object) => object === undefined, limits);
    }
  });
});
