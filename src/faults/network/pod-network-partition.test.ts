import assert from 'node:assert/strict';
import { test } from 'node:test';
import { silentLogger } from '@turnsole/kube/base/log';
import type { KubeObject } from '@turnsole/kube/kinds/core';
import { NETWORK_POLICIES } from '@turnsole/kube/kinds/resources';
import { fastClock } from '@turnsole/kube/testing/fast-clock';
import { startExperimentCluster } from '../../../test/support/experiment-cluster.ts';
import { runExperiment } from '../../experiment/run/run-experiment.ts';
import { lastingLabels, parsePartition, partitionSpec } from './network-policy.ts';
import { podNetworkPartition } from './pod-network-partition.ts';

const none = { POLICY_TYPES: 'all', POD_SELECTOR: '', NAMESPACE_SELECTOR: '', PORTS: '' };
const web = { app: 'web' };

const SPECS = [
  {
    name: 'nothing said: everything is cut off',
    settings: none,
    addresses: [],
    spec: { policyTypes: ['Ingress', 'Egress'], ingress: [], egress: [] },
  },
  {
    name: 'one direction',
    settings: { ...none, POLICY_TYPES: 'egress' },
    addresses: [],
    spec: { policyTypes: ['Egress'], egress: [] },
  },
  {
    name: 'addresses of one family do not close the other',
    settings: { ...none, POLICY_TYPES: 'egress' },
    addresses: ['10.0.0.7', 'fd00::/8'],
    spec: {
      policyTypes: ['Egress'],
      egress: [
        {
          to: [
            { ipBlock: { cidr: '0.0.0.0/0', except: ['10.0.0.7/32'] } },
            { ipBlock: { cidr: '::/0', except: ['fd00::/8'] } },
          ],
        },
      ],
    },
  },
  {
    name: 'peers and ports that stay open',
    settings: {
      ...none,
      POLICY_TYPES: 'ingress',
      POD_SELECTOR: 'app=db, tier=a',
      NAMESPACE_SELECTOR: 'team=x',
      PORTS: 'tcp: [80,443], udp: [53], sctp: []',
    },
    addresses: [],
    spec: {
      policyTypes: ['Ingress'],
      ingress: [
        {
          from: [
            {
              namespaceSelector: { matchLabels: { team: 'x' } },
              podSelector: { matchLabels: { app: 'db', tier: 'a' } },
            },
          ],
          ports: [
            { protocol: 'TCP', port: 80 },
            { protocol: 'TCP', port: 443 },
            { protocol: 'UDP', port: 53 },
          ],
        },
      ],
    },
  },
  {
    name: 'ports only',
    settings: { ...none, POLICY_TYPES: 'ingress', PORTS: 'tcp: [80]' },
    addresses: [],
    spec: { policyTypes: ['Ingress'], ingress: [{ ports: [{ protocol: 'TCP', port: 80 }] }] },
  },
];
for (const { name, settings, addresses, spec } of SPECS) {
  test(`policy: ${name}`, () => {
    const { rule, problems } = parsePartition(settings);
    assert.deepEqual(problems, []);
    assert.deepEqual(partitionSpec(web, rule, addresses), { podSelector: { matchLabels: web }, ...spec });
  });
}

test('settings that cannot be read are all named', () => {
  const { problems } = parsePartition({
    ...none,
    POD_SELECTOR: 'app',
    NAMESPACE_SELECTOR: '=x',
    PORTS: 'tcp 80',
  });
  assert.equal(problems.length, 3);
  assert.equal(parsePartition({ ...none, PORTS: 'tcp: [80], udp: [99999]' }).problems.length, 1);
});

test('labels that only one pod of a workload has do not count', () => {
  assert.deepEqual(
    lastingLabels({ ...web, 'pod-template-hash': 'x', 'apps.kubernetes.io/pod-index': '0' }),
    web,
  );
});

test('the policy is there while chaos lasts, selects all pods of the workload, and is gone afterwards', async (t) => {
  const cluster = await startExperimentCluster(t);
  const namespace = await cluster.namespace();
  await cluster.deployment(namespace, 'web', 2);
  const engine = await cluster.engine(namespace, 'pod-network-partition');
  const outcome = runExperiment({
    fault: podNetworkPartition,
    env: {
      CHAOSENGINE: 'eng',
      CHAOS_UID: engine.metadata.uid,
      CHAOS_NAMESPACE: namespace,
      TARGETS: `deployment:${namespace}:[app=web]`,
      DESTINATION_IPS: '10.1.2.3',
      TOTAL_CHAOS_DURATION: '30',
      STATUS_CHECK_TIMEOUT: '500',
    },
    client: cluster.client,
    clock: fastClock(),
    random: () => 0,
    signal: new AbortController().signal,
    logger: silentLogger,
  });
  const policies = await cluster.until<KubeObject & { readonly spec?: unknown }>(
    NETWORK_POLICIES,
    namespace,
    (found) => found.length > 0,
  );
  assert.equal(policies.length, 1);
  const { rule } = parsePartition(none);
  assert.deepEqual(policies[0]?.spec, partitionSpec(web, rule, ['10.1.2.3']));
  const { verdict } = await outcome;
  const { status } = await cluster.result(namespace, 'eng-pod-network-partition');
  assert.equal(verdict, 'Pass', JSON.stringify(status?.experimentStatus));
  const { items } = await cluster.client.list(NETWORK_POLICIES, { namespace });
  assert.deepEqual(items, []);
  assert.deepEqual(
    status?.history?.targets?.map(({ chaosStatus }) => chaosStatus),
    ['reverted', 'reverted'],
  );
  assert.ok(
    status?.timeline?.some(({ message }) =>
      message.includes('stores NetworkPolicies and does not enforce them: its pods are only said to run'),
    ),
  );
});
