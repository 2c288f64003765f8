/** Plans and trials of probes by the subscriber, under the account and with the roles of an installation. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { KindResolver } from '@turnsole/kube/apply/kind-resolver';
import { isAlreadyExists, unless } from '@turnsole/kube/client/errors';
import type { ClusterConfig } from '@turnsole/kube/client/types';
import { CUSTOM_RESOURCE_DEFINITIONS, SERVICE_ACCOUNTS } from '@turnsole/kube/kinds/resources';
import { PATIENCE_MS } from '@turnsole/kube/testing/until';
import { WORKFLOWS } from '@turnsole/workflows/kinds/resources';
import { stringify } from 'yaml';
import { type ExperimentCluster, shareExperimentCluster } from '../../../test/support/experiment-cluster.ts';
import { TestControlPlane } from '../../components/subscriber/testing/control-plane.ts';
import {
  createInfrastructure,
  definitionOf,
  startSubscriber,
} from '../../components/subscriber/testing/infrastructure.ts';
import { sloProbe } from '../../experiment/probes/testing/builders.ts';
import { planManifest } from '../plan/plan-manifest.ts';
import type { PlanSummary } from '../plan/plan-summary.ts';
import { applyObjects } from './apply-objects.ts';
import { SUBSCRIBER_NAME } from './names.ts';
import { compileInstallSettings } from './settings.ts';
import { subscriberObjects } from './subscriber-objects.ts';

let cluster: ExperimentCluster;
shareExperimentCluster((started) => {
  cluster = started;
});

/** Installs an agent in a namespace of its own; gives the credentials of its account. */
async function installed(namespace: string, scope: string): Promise<ClusterConfig> {
  const { client, config } = cluster;
  await unless(isAlreadyExists, client.create(CUSTOM_RESOURCE_DEFINITIONS, definitionOf(WORKFLOWS)));
  await createInfrastructure(client, namespace);
  const { settings } = compileInstallSettings(
    { namespace, subscriber: true, ...(scope === 'namespace' && { watchNamespace: namespace }) },
    { version: '1.2.3', faults: [] },
  );
  const objects = subscriberObjects(settings).filter(({ kind }) => kind !== 'Deployment');
  const signal = AbortSignal.timeout(PATIENCE_MS);
  await applyObjects(objects, { client, kinds: new KindResolver(client), signal, onApplied: () => {} });
  const path = `/api/v1/namespaces/${namespace}/serviceaccounts/${SUBSCRIBER_NAME}/token`;
  const request = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} };
  const { status } = await client.raw<{ readonly status: { readonly token: string } }>('POST', path, request);
  const { clientCertificate, clientKey, ...rest } = config;
  return { ...rest, token: () => Promise.resolve(status.token) };
}

/** What an agent of that scope answers to a request of our own. */
async function answerOf(
  config: ClusterConfig,
  namespace: string,
  scope: string,
  requestType: string,
  data: object,
  more: Readonly<Record<string, string>> = {},
): Promise<{ readonly answer?: unknown; readonly problem?: string }> {
  const ackPayload = { turnsole: { actionResults: true, ownRequests: true } };
  await using server = await TestControlPlane.start({ ackPayload });
  await using _agent = await startSubscriber(
    ...([config, namespace, server.url, { INFRA_SCOPE: scope, ...more }, [], planManifest] as const),
  );
  await server.until(() => server.isSubscribed);
  const { payload } = server.frames.find(({ type }) => type === 'subscribe') ?? {};
  assert.match(JSON.stringify(payload), /answers: \[.*plan.*\]/);
  server.act({ requestType, requestID: 'asked', externalData: JSON.stringify(data) });
  await server.until(() => server.of('agentReply').length > 0);
  return JSON.parse(String(server.of('agentReply')[0]?.request.reply));
}

function manifestFor(namespace: string, home: string): string {
  const metadata = { name: 'pod-delete', namespace: home };
  const definition = { image: 'x', args: ['-name', 'pod-delete'], env: [] };
  const spec = {
    engineState: 'active',
    appinfo: { appns: namespace, applabel: 'app=web', appkind: 'deployment' },
    chaosServiceAccount: 'chaos-sa',
    experiments: [{ name: 'pod-delete' }],
  };
  const apiVersion = 'litmuschaos.io/v1alpha1';
  return [
    { apiVersion, kind: 'ChaosExperiment', metadata, spec: { definition } },
    { apiVersion, kind: 'ChaosEngine', metadata: { ...metadata, name: 'web' }, spec },
  ]
    .map((object) => stringify(object))
    .join('---\n');
}

test('an agent of a cluster plans: targets, shares, and what the account of the engine may not', async () => {
  const home = 'agent-cluster';
  const config = await installed(home, 'cluster');
  const shop = await cluster.namespace();
  await cluster.deployment(shop, 'web', 3);
  await cluster.client.create(SERVICE_ACCOUNTS, { metadata: { name: 'chaos-sa' } }, { namespace: home });
  const { answer, problem } = await answerOf(config, home, 'cluster', 'plan', {
    manifest: manifestFor(shop, home),
  });
  assert.equal(problem, undefined);
  const { findings, experiments, permissionsMissing } = answer as PlanSummary;
  assert.deepEqual(experiments[0]?.workloads, [
    { kind: 'deployment', namespace: shop, name: 'web', hit: 1, of: 3, percent: 33, isThere: true },
  ]);
  assert.deepEqual(experiments[0]?.nodes, { hit: ['node-1'], of: 1 });
  assert.ok(permissionsMissing.some(({ resource, verb }) => resource === 'pods' && verb === 'delete'));
  assert.deepEqual(
    findings.map(({ severity, code }) => [severity, code]),
    // It has no probe, and an agent may not make pods, so that it cannot try the run's.
    [
      ['Problem', 'PERMISSION'],
      ['Warning', null],
      ['Note', null],
    ],
  );
});

test('an agent of a namespace plans there, and says what it may not see', async () => {
  const home = 'agent-namespace';
  const config = await installed(home, 'namespace');
  await cluster.deployment(home, 'web', 3);
  await cluster.client.create(SERVICE_ACCOUNTS, { metadata: { name: 'chaos-sa' } }, { namespace: home });
  const plan = async (target: string): Promise<PlanSummary> => {
    const { answer, problem } = await answerOf(config, home, 'namespace', 'plan', {
      manifest: manifestFor(target, home),
    });
    assert.equal(problem, undefined);
    return answer as PlanSummary;
  };
  const notes = ({ findings }: PlanSummary): string => findings.map(({ text }) => text).join('\n');
  const own = await plan(home);
  assert.equal(own.experiments[0]?.workloads[0]?.hit, 1);
  assert.equal(own.wouldRun, true, notes(own));
  assert.match(notes(own), /could not look at nodes of the cluster: not allowed to list them/);
  const elsewhere = await plan(await cluster.namespace());
  // That the agent may not look there says nothing of the run.
  assert.equal(elsewhere.wouldRun, true, notes(elsewhere));
  assert.match(notes(elsewhere), /could not look at targets of pod-delete: cannot list pods/);
});

test('an agent tries probes with its own rights; commands only where that is allowed', async () => {
  const home = 'agent-probes';
  const config = await installed(home, 'namespace');
  const trial = (entry: object, more: Record<string, string> = {}) =>
    answerOf(
      config,
      home,
      'namespace',
      'try_probe',
      { probe: { name: 'p', mode: 'SOT', runProperties: { probeTimeout: '10s', interval: '1s' }, ...entry } },
      more,
    );
  const pods = (namespace: string): object => ({
    type: 'k8sProbe',
    'k8sProbe/inputs': { group: '', version: 'v1', resource: 'pods', operation: 'present', namespace },
  });
  assert.equal(((await trial(pods(home))).answer as { outcome: string }).outcome, 'Passed');
  assert.match((await trial(pods('default'))).problem ?? '', /the scope of this infrastructure is namespace/);
  const cmd = {
    type: 'cmdProbe',
    'cmdProbe/inputs': {
      command: 'echo "$ACCESS_KEY"',
      comparator: { type: 'string', criteria: 'equal', value: '' },
    },
  };
  assert.match(
    (await trial(cmd)).problem ?? '',
    /ALLOWED_PROBES of the agent names httpProbe, k8sProbe, promProbe$/,
  );
  const slo = sloProbe('http://slo.test');
  const refused = await trial(slo, { ALLOWED_PROBES: '*' });
  assert.match(
    refused.problem ?? '',
    /sloProbe are not tried here; .* names httpProbe, cmdProbe, k8sProbe, promProbe$/,
  );
  const allowed = await trial(cmd, { ALLOWED_PROBES: 'cmdProbe' });
  assert.equal((allowed.answer as { outcome: string }).outcome, 'Passed', JSON.stringify(allowed));
});
