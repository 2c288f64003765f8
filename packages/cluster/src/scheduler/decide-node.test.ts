import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Node, Pod } from '@turnsole/kube/kinds/core';
import { REPLICA_SETS } from '@turnsole/kube/kinds/resources';
import { node, type PodOptions, pod, replicaSet } from '../controllers/testing/builders.ts';
import { decideNode } from './decide-node.ts';
import { NodePool } from './node-pool.ts';
import { milliOf, podRequests } from './requests.ts';

type Spec = NonNullable<Pod['spec']>;

function pending(spec: Partial<Spec> = {}, options: PodOptions = {}): Pod {
  return pod('new', { ...options, phase: 'Pending', spec });
}

function requesting(requests: Record<string, string>): Partial<Spec> {
  return { containers: [{ name: 'main', image: 'sample', resources: { requests } }] };
}

function place(candidate: Pod, nodes: readonly Node[], placed: readonly Pod[] = []) {
  const pool = new NodePool();
  for (const one of nodes) pool.setNode(one);
  for (const one of placed) pool.setPod(one);
  return decideNode({ pod: candidate, pool, namespaceLabels: () => ({ team: 'a' }), random: () => 0 });
}

const onePlain = [node('n1')];
const unhelpful = (count: number) =>
  `no new claims to deallocate, preemption: 0/${count} nodes are available: ${count} Preemption is not helpful for scheduling.`;
const noVictims = (count: number) =>
  `no new claims to deallocate, preemption: 0/${count} nodes are available: ${count} No preemption victims found for incoming pod.`;

describe('a pod that fits nowhere gets the reason', () => {
  const zone = (name: string) => node(name, { labels: { zone: name } });
  const table: readonly (readonly [string, Pod, readonly Node[], readonly Pod[], string])[] = [
    ['no nodes', pending(), [], [], 'no nodes available to schedule pods'],
    [
      'a taint',
      pending(),
      [node('n1', { taints: [{ key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' }] })],
      [],
      `0/1 nodes are available: 1 node(s) had untolerated taint(s). ${unhelpful(1)}`,
    ],
    [
      'cordoned',
      pending(),
      [node('n1', { unschedulable: true })],
      [],
      `0/1 nodes are available: 1 node(s) were unschedulable. ${unhelpful(1)}`,
    ],
    [
      'node selector',
      pending({ nodeSelector: { disk: 'ssd' } }),
      onePlain,
      [],
      `0/1 nodes are available: 1 node(s) didn't match Pod's node affinity/selector. ${unhelpful(1)}`,
    ],
    [
      'resources',
      pending(requesting({ cpu: '3', memory: '4Gi' })),
      onePlain,
      [],
      `0/1 nodes are available: 1 Insufficient cpu, 1 Insufficient memory. ${unhelpful(1)}`,
    ],
    [
      'what other pods have taken',
      pending(requesting({ cpu: '1500m' })),
      onePlain,
      [pod('a', { node: 'n1', spec: requesting({ cpu: '600m' }) })],
      `0/1 nodes are available: 1 Insufficient cpu. ${noVictims(1)}`,
    ],
    [
      'too many pods',
      pending(),
      [node('n1', { allocatable: { pods: '1' } })],
      [pod('a', { node: 'n1' })],
      `0/1 nodes are available: 1 Too many pods. ${noVictims(1)}`,
    ],
    [
      'a host port',
      pending({ containers: [{ name: 'm', image: 'i', ports: [{ containerPort: 80, hostPort: 8080 }] }] }),
      onePlain,
      [
        pod('a', {
          node: 'n1',
          spec: { containers: [{ name: 'm', image: 'i', ports: [{ containerPort: 1, hostPort: 8080 }] }] },
        }),
      ],
      `0/1 nodes are available: 1 node(s) didn't have free ports for the requested pod ports. ${noVictims(1)}`,
    ],
    [
      'different reasons',
      pending(requesting({ cpu: '3' })),
      [node('n1', { unschedulable: true }), node('n2'), node('n3')],
      [],
      '0/3 nodes are available: 1 node(s) were unschedulable, 2 Insufficient cpu. no new claims to deallocate, preemption: 0/3 nodes are available: 3 Preemption is not helpful for scheduling.',
    ],
    [
      'anti-affinity',
      pending({
        affinity: {
          podAntiAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: [
              { labelSelector: { matchLabels: { app: 'web' } }, topologyKey: 'kubernetes.io/hostname' },
            ],
          },
        },
      }),
      onePlain,
      [pod('a', { node: 'n1', labels: { app: 'web' } })],
      `0/1 nodes are available: 1 node(s) didn't match pod anti-affinity rules. ${noVictims(1)}`,
    ],
    [
      'anti-affinity of a pod that is there',
      pending({}, { labels: { app: 'web' } }),
      onePlain,
      [
        pod('a', {
          node: 'n1',
          spec: {
            affinity: {
              podAntiAffinity: {
                requiredDuringSchedulingIgnoredDuringExecution: [
                  { labelSelector: { matchLabels: { app: 'web' } }, topologyKey: 'kubernetes.io/hostname' },
                ],
              },
            },
          },
        }),
      ],
      `0/1 nodes are available: 1 node(s) didn't satisfy existing pods anti-affinity rules. ${noVictims(1)}`,
    ],
    [
      'affinity to no pod',
      pending({
        affinity: {
          podAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: [
              { labelSelector: { matchLabels: { app: 'db' } }, topologyKey: 'zone' },
            ],
          },
        },
      }),
      [zone('z1')],
      [],
      `0/1 nodes are available: 1 node(s) didn't match pod affinity rules. ${noVictims(1)}`,
    ],
    [
      'topology spread',
      pending(
        {
          topologySpreadConstraints: [
            {
              maxSkew: 1,
              topologyKey: 'zone',
              whenUnsatisfiable: 'DoNotSchedule',
              labelSelector: { matchLabels: { app: 'web' } },
            },
          ],
        },
        { labels: { app: 'web' } },
      ),
      [zone('z1'), node('z2', { labels: { zone: 'z2' }, unschedulable: true })],
      [pod('a', { node: 'z1', labels: { app: 'web' } })],
      "0/2 nodes are available: 1 node(s) didn't match pod topology spread constraints, 1 node(s) were unschedulable. no new claims to deallocate, preemption: 0/2 nodes are available: 1 No preemption victims found for incoming pod, 1 Preemption is not helpful for scheduling.",
    ],
  ];
  for (const [name, candidate, nodes, placed, message] of table) {
    test(name, () => {
      const placement = place(candidate, nodes, placed);
      assert.equal('message' in placement ? placement.message : placement.node, message);
    });
  }
});

describe('where a pod goes', () => {
  const owner = replicaSet('web', 3);
  const table: readonly (readonly [string, Pod, readonly Node[], readonly Pod[], string])[] = [
    ['to the only node', pending(), onePlain, [], 'n1'],
    [
      'away from its siblings',
      pending({}, { owner: [REPLICA_SETS, owner] }),
      [node('n1'), node('n2')],
      [pod('a', { node: 'n1', owner: [REPLICA_SETS, owner] })],
      'n2',
    ],
    [
      'where most is free',
      pending(),
      [node('n1'), node('n2')],
      [pod('a', { node: 'n1', spec: requesting({ cpu: '1' }) })],
      'n2',
    ],
    [
      'over a taint it tolerates',
      pending({ tolerations: [{ key: 'drill', operator: 'Exists' }] }),
      [node('n1', { taints: [{ key: 'drill', value: 'yes', effect: 'NoExecute' }] })],
      [],
      'n1',
    ],
    [
      'where it would rather be',
      pending({
        affinity: {
          nodeAffinity: {
            preferredDuringSchedulingIgnoredDuringExecution: [
              { weight: 50, preference: { matchExpressions: [{ key: 'disk', operator: 'Exists' }] } },
            ],
          },
        },
      }),
      [node('n1'), node('n2', { labels: { disk: 'ssd' } })],
      [],
      'n2',
    ],
    [
      'beside the pod it needs',
      pending({
        affinity: {
          podAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: [
              { labelSelector: { matchLabels: { app: 'db' } }, topologyKey: 'kubernetes.io/hostname' },
            ],
          },
        },
      }),
      [node('n1'), node('n2')],
      [pod('a', { node: 'n2', labels: { app: 'db' } })],
      'n2',
    ],
    [
      'anywhere as the first of a group that wants to be together',
      pending(
        {
          affinity: {
            podAffinity: {
              requiredDuringSchedulingIgnoredDuringExecution: [
                { labelSelector: { matchLabels: { app: 'web' } }, topologyKey: 'kubernetes.io/hostname' },
              ],
            },
          },
        },
        { labels: { app: 'web' } },
      ),
      onePlain,
      [],
      'n1',
    ],
    [
      'not where a finished pod was counted',
      pending(requesting({ cpu: '2' })),
      onePlain,
      [pod('a', { node: 'n1', phase: 'Succeeded', spec: requesting({ cpu: '2' }) })],
      'n1',
    ],
  ];
  for (const [name, candidate, nodes, placed, expected] of table) {
    test(name, () => {
      const placement = place(candidate, nodes, placed);
      assert.equal('node' in placement ? placement.node : placement.message, expected);
    });
  }
});

test('a decision counts before the server knows of it, and can be taken back', () => {
  const pool = new NodePool();
  pool.setNode(node('n1', { allocatable: { pods: '1' } }));
  const first = pending();
  pool.assume(first, 'n1');
  pool.setPod(first);
  const second = pod('second', { phase: 'Pending' });
  const decide = () => decideNode({ pod: second, pool, namespaceLabels: () => undefined, random: () => 0 });
  assert.ok('message' in decide(), 'an old state without a node does not free it');
  pool.forget(first);
  assert.deepEqual(decide(), { node: 'n1' });
});

test('requests: init containers run one after the other, sidecars beside what comes later', () => {
  const container = (name: string, cpu: string, restartPolicy?: 'Always') => ({
    name,
    image: 'i',
    resources: { requests: { cpu } },
    ...(restartPolicy === undefined ? {} : { restartPolicy }),
  });
  const spec = {
    initContainers: [container('a', '3'), container('s', '1', 'Always'), container('b', '2500m')],
    containers: [container('m', '1'), container('n', '500m')],
  };
  assert.equal(podRequests(spec).get('cpu'), 3500);
  assert.equal(milliOf('1500m'), 1500);
  assert.equal(milliOf('1Ki'), 1_024_000);
  assert.equal(milliOf('nonsense'), 0);
});
