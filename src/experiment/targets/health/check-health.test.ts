import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Pod, StatefulSet } from '@turnsole/kube/kinds/core';
import { PODS, STATEFUL_SETS } from '@turnsole/kube/kinds/resources';
import { fastClock } from '@turnsole/kube/testing/fast-clock';
import {
  type ExperimentCluster,
  shareExperimentCluster,
} from '../../../../test/support/experiment-cluster.ts';
import type { TargetEntry } from '../../injection/settings/parse-targets.ts';
import { awaitHealthy, healthProblem } from './check-health.ts';
import { judgeShrunk, shrunkOf, type WorkloadHealth } from './health-record.ts';

let cluster: ExperimentCluster;
shareExperimentCluster((started) => {
  cluster = started;
});

const byLabel = (kind: string, namespace: string, selector: string): TargetEntry => ({
  kind,
  namespace,
  names: [],
  selector,
});

const byName = (kind: string, namespace: string, name: string): TargetEntry => ({
  kind,
  namespace,
  names: [name],
  selector: undefined,
});

function problemOf(...entries: TargetEntry[]): Promise<string | undefined> {
  const { signal } = new AbortController();
  return healthProblem({ client: cluster.client, signal, entries, auxiliary: '' });
}

/** A stateful set whose pods never become ready, with the labels of the deployment `web`. */
async function brokenSet(namespace: string): Promise<void> {
  const labels = { app: 'web' };
  const containers = [{ name: 'app', image: 'app:1' }];
  await cluster.client.create<StatefulSet>(
    STATEFUL_SETS,
    {
      metadata: { name: 'back' },
      spec: {
        replicas: 1,
        serviceName: 'back',
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers } },
      },
    },
    { namespace },
  );
  await cluster.until<Pod>(PODS, namespace, (pods) =>
    pods.some(({ metadata, status }) => metadata.name === 'back-0' && status?.phase === 'Running'),
  );
  const unready = { phase: 'Running', containerStatuses: [{ name: 'app', ready: false }] };
  await cluster.client.patch(
    PODS,
    'back-0',
    'merge',
    { status: unready },
    { namespace, subresource: 'status' },
  );
}

test('health is that of the pods that can be targets: those of another kind of workload with the same label are not looked at', async () => {
  const namespace = await cluster.namespace();
  await cluster.deployment(namespace, 'web', 1);
  await brokenSet(namespace);
  assert.equal(await problemOf(byLabel('deployment', namespace, 'app=web')), undefined);
  assert.match(
    (await problemOf(byLabel('statefulset', namespace, 'app=web'))) ?? '',
    /container app of pod .*\/back-0 is not ready/,
  );
});

test('a pod of chaos with the label of the application is none of it', async () => {
  const namespace = await cluster.namespace();
  await cluster.deployment(namespace, 'web', 1);
  await cluster.client.create<Pod>(
    PODS,
    {
      metadata: { name: 'helper', labels: { app: 'web', chaosUID: 'u' } },
      spec: { containers: [{ name: 'c', image: 'i' }], nodeName: 'nowhere' },
    },
    { namespace },
  );
  assert.equal(
    await problemOf(byLabel('KIND', namespace, 'app=web'), byLabel('pod', namespace, 'app=web')),
    undefined,
  );
});

test('where no pod is and none will come, that is told at once', async (t) => {
  const namespace = await cluster.namespace();
  await cluster.deployment(namespace, 'zero', 0);
  const cases: [TargetEntry, RegExp][] = [
    [
      byLabel('deployment', namespace, 'app=nothing'),
      /no deployment in namespace .* has pods with label app=nothing/,
    ],
    [byLabel('deployment', namespace, 'app=zero'), /deployment .*\/zero wants 0 pods/],
    [byName('deployment', namespace, 'zero'), /deployment .*\/zero wants 0 pods/],
    [byName('deployment', namespace, 'missing'), /there is no deployment .*\/missing/],
    [byName('pod', namespace, 'missing'), /there is no pod .*\/missing/],
    [
      byLabel('statefulset', namespace, 'app=zero'),
      /no statefulset in namespace .* has pods with label app=zero/,
    ],
  ];
  for (const [entry, expected] of cases) {
    await t.test(String(expected), async () => {
      const clock = fastClock();
      const { signal } = new AbortController();
      const check = {
        client: cluster.client,
        clock,
        signal,
        timeoutMs: 3_600_000,
        entries: [entry],
        auxiliary: '',
      };
      await assert.rejects(awaitHealthy(check), { code: 'STATUS_CHECKS_ERROR', message: expected });
    });
  }
});

test('fewer pods than before: what is missing is waited for, what the workload wants no more is told', async (t) => {
  const health = (ready: number, kind = 'deployment', name = 'web'): WorkloadHealth => ({
    namespace: 'shop',
    owner: { kind, name },
    ready,
  });
  const shrunk = { ...health(1), before: 2 };
  const cases: [string, number | 'unknown', ReturnType<typeof judgeShrunk>][] = [
    ['still wanted', 2, { problem: 'deployment shop/web has 1 ready pod of 2 that it wants' }],
    [
      'scaled down',
      1,
      { remark: 'deployment shop/web has 1 ready pod, 2 before chaos, because it wants no more now' },
    ],
    [
      'not known',
      'unknown',
      { remark: 'deployment shop/web has 1 ready pod, 2 before chaos; how many it wants is not known' },
    ],
  ];
  for (const [name, wanted, expected] of cases) {
    await t.test(name, () => assert.deepEqual(judgeShrunk(shrunk, wanted), expected));
  }
  assert.deepEqual(shrunkOf([health(2)], [health(2)]), []);
  // A replica set that took the place of another one.
  assert.deepEqual(shrunkOf([health(2, 'replicaset', 'a')], [health(2, 'replicaset', 'b')]), []);
  assert.deepEqual(shrunkOf([health(2), health(1, 'statefulset', 'db')], [health(2)]), [
    { ...health(0, 'statefulset', 'db'), before: 1 },
  ]);
});
