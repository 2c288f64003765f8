/** What stays after a run, and what goes with its engine, by policy and by owner. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CoreEvent, KubeObject } from '@turnsole/kube/kinds/core';
import {
  CONFIG_MAPS,
  CUSTOM_RESOURCE_DEFINITIONS,
  EVENTS,
  JOBS,
  PODS,
  type Resource,
  SERVICES,
} from '@turnsole/kube/kinds/resources';
import { waitForList } from '@turnsole/kube/runtime/index';
import { PATIENCE_MS } from '@turnsole/kube/testing/until';
import {
  engineOf,
  NAMESPACE,
  type StandInCluster,
  startStandIn,
} from '../../../test/support/stand-in-cluster.ts';
import { CHAOS_ENGINES, type ChaosEngine } from '../../api/index.ts';
import { startOperator } from './start-operator.ts';

const kinds = async (cluster: StandInCluster): Promise<string[]> => [
  ...(await cluster.pods()).map(({ metadata }) => `Pod ${metadata.name.replace(/-\w{6}-\w+$/, '')}`),
  ...(await cluster.jobs()).map(({ metadata }) => `Job ${metadata.name.replace(/-\w{6}$/, '')}`),
];

for (const policy of ['retain', '', undefined] as const) {
  test(`clean-up policy ${JSON.stringify(policy)}: runner, Job and its pod stay until the engine is deleted`, async (context) => {
    const cluster = await startStandIn(context);
    await cluster.experiment('pod-delete');
    const spec = policy === undefined ? {} : { jobCleanUpPolicy: policy };
    await cluster.apply(engineOf('web', ['pod-delete'], spec));
    await cluster.ended('web', 'completed');
    const events = await cluster.events('web', 'ExperimentJobCleanUp', 'ChaosEngineCompleted');
    assert.ok(events.some((text) => /ExperimentJobCleanUp: .* will be retained$/.test(text)));
    assert.deepEqual((await kinds(cluster)).sort(), ['Job pod-delete', 'Pod pod-delete', 'Pod web-runner']);
    await cluster.client.delete(CHAOS_ENGINES, 'web', { namespace: NAMESPACE });
    await cluster.gone('web');
    assert.deepEqual(await kinds(cluster), []);
    assert.equal(
      (await cluster.result('web-pod-delete')).status?.experimentStatus?.verdict,
      'Pass',
      'results stay',
    );
  });
}

test('owners: an engine takes everything of its run along, also where no operator runs any more', async (context) => {
  const cluster = await startStandIn(context, { operator: false });
  const { client } = cluster;
  await cluster.experiment('pod-delete', {
    configMaps: [{ name: 'made', mountPath: '/x', data: { a: 'b' } }],
  });
  const operator = await startOperator({ client });
  await cluster.apply(engineOf('web', ['pod-delete'], { monitoring: true }));
  await cluster.ended('web', 'completed');
  await operator.stop();

  await client.delete(CHAOS_ENGINES, 'web', { namespace: NAMESPACE });
  await cluster.patch('web', { metadata: { finalizers: null } });
  await cluster.gone('web');
  const ofRun: readonly (readonly [Resource, (name: string) => boolean])[] = [
    [PODS, () => true],
    [JOBS, () => true],
    [SERVICES, (name) => name === 'web-monitor'],
    [CONFIG_MAPS, (name) => name === 'made'],
  ];
  for (const [resource, isOfRun] of ofRun) {
    const isGone = (all: readonly KubeObject[]): boolean =>
      !all.some(({ metadata }) => isOfRun(metadata.name));
    await waitForList<KubeObject>(client, resource, isGone, { namespace: NAMESPACE, timeoutMs: PATIENCE_MS });
  }
});

test('unknown fields: what newer or older clients wrote stays through a run', async (context) => {
  const cluster = await startStandIn(context);
  await cluster.experiment('pod-delete');
  const engine = engineOf('web', ['pod-delete']);
  const later = { spec: { ...engine.spec, ofLater: { a: [1] } }, status: { ofLater: 'x' } };
  // The types know no such fields; the API takes them.
  await cluster.apply({ ...engine, ...later } as unknown as ChaosEngine);
  const ended: unknown = await cluster.ended('web', 'completed');
  const { spec, status } = ended as typeof later;
  assert.deepEqual([spec.ofLater, status.ofLater], [{ a: [1] }, 'x']);
});

test('unused: what an engine says and nothing reads is an Event, once per run, and a line of the timeline', async (context) => {
  const cluster = await startStandIn(context);
  await cluster.experiment('pod-delete', { env: [{ name: 'SOCKET_PATH', value: '/run/x' }] });
  const env = ['LIVENESS_CHECK', 'SOCKET_PATH', 'FORCE'].map((name) => ({ name, value: 'true' }));
  const probe = [{ name: 'p' }];
  // The types know no probe there; the API takes it.
  const components = { env, checks: [], probe } as object;
  const experiments = [{ name: 'pod-delete', spec: { components } }];
  await cluster.apply(engineOf('web', ['pod-delete'], { experiments }));
  const ended = await cluster.ended('web', 'completed');
  const at = 'spec.experiments[0].spec';
  const expected = [
    `${at}.components.checks: unknown field, ignored`,
    `${at}.components.probe: means nothing here; it belongs at ${at}.probe`,
    `${at}.components.env[0]: LIVENESS_CHECK is no setting of pod-delete, and its ChaosExperiment does not declare it: it changes nothing`,
  ].join('; ');
  const lines = ended.status?.timeline?.filter(({ step }) => step === 'SettingsNotUsed') ?? [];
  assert.deepEqual(
    lines.map(({ message, actor }) => [actor, message]),
    [['operator', expected]],
  );
  const { items } = await cluster.client.list<CoreEvent>(EVENTS, { namespace: NAMESPACE });
  const events = items.filter(({ reason }) => reason === 'SettingsNotUsed');
  assert.deepEqual(
    events.map(({ type, message, count }) => [type, message, count]),
    [['Warning', expected, 1]],
  );
});

test("definitions: as lax as upstream's, with `subresources: {}`, they make no difference", async (context) => {
  const cluster = await startStandIn(context, { operator: false });
  const { client } = cluster;
  for (const plural of ['chaosengines', 'chaosexperiments', 'chaosresults']) {
    const version = {
      name: 'v1alpha1',
      served: true,
      storage: true,
      subresources: {},
      schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
    };
    const patch = { spec: { versions: [version] } };
    await client.patch(CUSTOM_RESOURCE_DEFINITIONS, `${plural}.litmuschaos.io`, 'merge', patch);
  }
  const operator = await startOperator({ client });
  context.after(() => operator.stop());
  await cluster.experiment('pod-delete');
  await cluster.apply(engineOf('web', ['pod-delete'], { monitoring: true }));
  const { status } = await cluster.ended('web', 'completed');
  assert.deepEqual(
    status?.experiments?.map(({ verdict }) => verdict),
    ['Pass'],
  );
  // What our own definition refuses, this one lets through to the operator.
  const bad = { experiments: [{ name: 5 }], selectors: 'none' };
  await cluster.apply({ ...engineOf('bad', []), spec: bad } as unknown as ChaosEngine);
  const stopped = await cluster.engine('bad', (engine) => engine.status?.engineStatus === 'stopped');
  const message = stopped.status?.conditions?.[0]?.message ?? '';
  assert.match(message, /spec\.selectors: must be of type object, and is of type string/);
  assert.match(message, /spec\.experiments\[0\]\.name: must be of type string, and is of type integer/);
});
