import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { createApiServer } from '@turnsole/cluster/apiserver/index';
import { systemClock } from '@turnsole/kube/base/clock';
import { silentLogger } from '@turnsole/kube/base/log';
import type { KubeObject } from '@turnsole/kube/kinds/core';
import { CUSTOM_RESOURCE_DEFINITIONS } from '@turnsole/kube/kinds/resources';
import { startApi } from '@turnsole/kube/testing/api';
import { stringify } from 'yaml';
import crds from '../../api/generated/crds.json' with { type: 'json' };
import { TestServer, type TestUser } from '../server/testing/test-server.ts';
import { describeOnDatabases } from '../store/testing/databases.ts';
import { ObservedCluster } from './observed-cluster.ts';

const PLAN = `query ($m: String!) { planOnCluster(manifest: $m) {
  wouldRun findings { severity code } experiments { fault rounds }
} }`;
const TRY = `mutation ($r: ProbeRequest!) { tryProbeOnCluster(request: $r) { outcome text code } }`;

const MANIFEST = [
  {
    apiVersion: 'litmuschaos.io/v1alpha1',
    kind: 'ChaosExperiment',
    metadata: { name: 'pod-delete' },
    spec: { definition: { image: 'x', args: ['-name', 'pod-delete'], env: [] } },
  },
  {
    apiVersion: 'litmuschaos.io/v1alpha1',
    kind: 'ChaosEngine',
    metadata: { name: 'web' },
    spec: {
      engineState: 'active',
      appinfo: { appns: 'default', applabel: 'app=web', appkind: 'deployment' },
      experiments: [{ name: 'pod-delete' }],
    },
  },
]
  .map((object) => stringify(object))
  .join('---\n');

const named = { name: 'accounts', infrastructureType: 'Kubernetes' };
const times = { probeTimeout: '2s', interval: '1s' };
const inputs = { version: 'v1', resource: 'serviceaccounts', namespace: 'default' };

describeOnDatabases('before anything runs on the cluster that a server looks at itself', (database) => {
  async function scene(): Promise<{ server: TestServer; user: TestUser }> {
    const api = await startApi(createApiServer);
    after(() => api[Symbol.asyncDispose]());
    for (const crd of crds as unknown as KubeObject[])
      await api.client.create(CUSTOM_RESOURCE_DEFINITIONS, crd);
    const cluster = new ObservedCluster(api.client, systemClock, silentLogger);
    after(() => cluster.stop());
    const server = await TestServer.start(database, { cluster });
    return { server, user: await server.user('lena', 'admin') };
  }

  test('planOnCluster: what speaks against a run, and what it would do', async () => {
    const { server, user } = await scene();
    const { planOnCluster } = await server.data(PLAN, { m: MANIFEST }, user);
    const { wouldRun, findings, experiments } = planOnCluster as {
      wouldRun: boolean;
      findings: { severity: string; code: string }[];
      experiments: object[];
    };
    assert.equal(wouldRun, false);
    assert.ok(
      findings.some(({ severity, code }) => severity === 'Problem' && code === 'TARGET_SELECTION_ERROR'),
      JSON.stringify(findings),
    );
    assert.deepEqual(experiments, [{ fault: 'pod-delete', rounds: 3 }]);
    const other = await server.user('vera');
    const { errors } = await server.graphql(PLAN, { m: MANIFEST }, other);
    assert.match(errors[0]?.message ?? '', /administrators/);
  });

  test('tryProbeOnCluster: measures, audits, and runs no command on this machine', async () => {
    const { server, user } = await scene();
    const k8s = { ...named, type: 'k8sProbe', k8sProperties: { ...times, ...inputs, operation: 'present' } };
    const { tryProbeOnCluster } = await server.data(TRY, { r: k8s }, user);
    assert.equal((tryProbeOnCluster as { outcome: string }).outcome, 'Failed');
    const lines = await server.plane.store.read
      .selectFrom('audit')
      .select(['operation', 'object_id'])
      .where('operation', '=', 'tryProbeOnCluster')
      .execute();
    assert.deepEqual(
      lines.map((line) => line.object_id),
      ['accounts'],
    );

    const comparator = { type: 'string', criteria: 'equal', value: '' };
    const cmd = {
      ...named,
      type: 'cmdProbe',
      kubernetesCMDProperties: { ...times, command: 'id', comparator },
    };
    const { errors } = await server.graphql(TRY, { r: cmd }, user);
    assert.match(errors[0]?.message ?? '', /a command is run in the pod of a run/);
  });
});
