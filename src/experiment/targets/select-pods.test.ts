import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Pod } from '@turnsole/kube/kinds/core';
import fc from 'fast-check';
import type { InjectionTarget } from '../../api/index.ts';
import { parseTargets } from '../injection/settings/parse-targets.ts';
import { byKey, owned, pod, randomOf } from '../injection/testing/builders.ts';
import { ownerOf } from './owner.ts';
import { affectedCount, samplePercentage } from './sample.ts';
import { type ObservedPods, type PodRequest, selectPods } from './select-pods.ts';

const none = { replicaSets: byKey(), replicationControllers: byKey() };

test('the owner of a pod', async (t) => {
  const replicaSets = byKey(
    owned('web-75c8', 'Deployment/web'),
    owned('roll-11', 'Rollout/roll'),
    owned('lone-22', undefined),
  );
  const replicationControllers = byKey(owned('dc-1', 'DeploymentConfig/dc'), owned('rc', undefined));
  const hash = (value: string) => ({ 'pod-template-hash': value });
  const cases: [string, Pod, string | undefined][] = [
    [
      'a Deployment above its ReplicaSet',
      pod('p', { owner: 'ReplicaSet/web-75c8', labels: hash('75c8') }),
      'deployment/web',
    ],
    ['without the hash label', pod('p', { owner: 'ReplicaSet/web-75c8' }), 'deployment/web'],
    ['a Rollout', pod('p', { owner: 'ReplicaSet/roll-11' }), 'rollout/roll'],
    ['a ReplicaSet of its own', pod('p', { owner: 'ReplicaSet/lone-22' }), 'replicaset/lone-22'],
    ['a ReplicaSet that was not seen', pod('p', { owner: 'ReplicaSet/gone-33' }), 'replicaset/gone-33'],
    ['a DeploymentConfig', pod('p', { owner: 'ReplicationController/dc-1' }), 'deploymentconfig/dc'],
    ['a ReplicationController', pod('p', { owner: 'ReplicationController/rc' }), 'replicationcontroller/rc'],
    ['a StatefulSet', pod('p', { owner: 'StatefulSet/db' }), 'statefulset/db'],
    ['a DaemonSet', pod('p', { owner: 'DaemonSet/agent' }), 'daemonset/agent'],
    ['a Job', pod('p', { owner: 'Job/batch' }), 'job/batch'],
    ['a kind of its own', pod('p', { owner: 'Kafka/broker' }), 'kafka/broker'],
    ['nothing', pod('p'), undefined],
  ];
  for (const [name, one, expected] of cases) {
    await t.test(name, () => {
      const owner = ownerOf(one, { replicaSets, replicationControllers });
      assert.equal(owner && `${owner.kind}/${owner.name}`, expected);
    });
  }
});

test('a percentage is at least one and at most all', () => {
  assert.deepEqual(
    [
      [0, 3],
      [50, 3],
      [67, 3],
      [100, 3],
      [250, 3],
      [1, 1],
      [50, 0],
    ].map(([percentage = 0, length = 0]) => affectedCount(length, percentage)),
    [1, 1, 2, 3, 3, 1, 0],
  );
});

test('a sample holds different items, consecutive and going round', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 40 }),
      fc.nat(150),
      fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
      (length, percentage, random) => {
        const items = Array.from({ length }, (_, index) => index);
        const sample = samplePercentage(items, percentage, () => random);
        assert.equal(sample.length, affectedCount(length, percentage));
        assert.equal(new Set(sample).size, sample.length);
        for (const [index, item] of sample.entries()) {
          assert.equal(item, ((sample[0] ?? 0) + index) % length);
        }
      },
    ),
  );
});

interface Case {
  readonly targets?: string;
  readonly request?: Partial<PodRequest>;
  readonly lists: readonly (readonly Pod[])[];
  readonly observed?: Partial<ObservedPods>;
  readonly random?: number;
}

function select({ targets = '', request = {}, lists, observed = {}, random = 0 }: Case): InjectionTarget[] {
  return selectPods(
    {
      entries: parseTargets(targets).entries,
      targetPods: [],
      chaosNamespace: 'chaos',
      nodeLabel: '',
      percentage: 100,
      order: 'random',
      container: '',
      needsContainer: false,
      ownPod: 'me',
      ...request,
    },
    { ...none, lists, nodes: undefined, ...observed },
    randomOf(random),
  );
}

const web = (name: string, shape: Parameters<typeof pod>[1] = {}) =>
  pod(name, { owner: 'StatefulSet/web', ...shape });
const [a, b, c] = [web('a'), web('b', { node: 'node-2' }), web('c')];

test('which pods are chosen', async (t) => {
  const chaos = pod('runner', { labels: { chaosUID: '1' } });
  const cases: [string, Case, string[]][] = [
    [
      'by label, owner kind must match',
      { targets: 'statefulset:shop:[app=web]', lists: [[a, pod('x', { owner: 'DaemonSet/d' })]] },
      ['a'],
    ],
    [
      'by name of the workload',
      { targets: 'statefulset:shop:[web]', lists: [[a, pod('x', { owner: 'StatefulSet/other' })]] },
      ['a'],
    ],
    [
      'a share from a random start',
      { targets: 'statefulset:shop:[app=web]', request: { percentage: 67 }, lists: [[a, b, c]], random: 0.7 },
      ['c', 'a'],
    ],
    [
      'zero percent is one',
      { targets: 'statefulset:shop:[app=web]', request: { percentage: 0 }, lists: [[a, b, c]] },
      ['a'],
    ],
    [
      'a whole namespace without chaos',
      {
        targets: 'KIND:shop:[]',
        lists: [[a, chaos, pod('op', { labels: { name: 'chaos-operator' } }), pod('bare')]],
      },
      ['a', 'bare'],
    ],
    ['a label of any kind', { targets: 'KIND:shop:[app=web]', lists: [[a, pod('bare')]] }, ['a', 'bare']],
    [
      'an entry of pods switches the percentage off',
      { targets: 'pod:shop:[b,a]', request: { percentage: 1 }, lists: [[a, b, c]] },
      ['b', 'a'],
    ],
    [
      'pods that end or have ended are left out',
      {
        targets: 'statefulset:shop:[app=web]',
        lists: [[web('x', { deleting: true }), web('y', { phase: 'Succeeded' }), a]],
      },
      ['a'],
    ],
    [
      'never the pod of this experiment',
      {
        targets: 'statefulset:chaos:[app=web]',
        lists: [[web('me', { namespace: 'chaos' }), web('n', { namespace: 'chaos' })]],
      },
      ['n'],
    ],
    [
      'two entries, each pod once',
      {
        targets: 'statefulset:shop:[app=web];statefulset:shop:[web]',
        lists: [
          [a, b],
          [b, c],
        ],
      },
      ['a', 'b', 'c'],
    ],
    [
      'the same name in two namespaces is two pods',
      {
        targets: 'statefulset:shop:[w=1];statefulset:other:[w=1]',
        lists: [[a], [web('a', { namespace: 'other' })]],
      },
      ['a', 'a'],
    ],
    [
      'alphabetical',
      { targets: 'statefulset:shop:[app=web]', request: { order: 'alphabetical' }, lists: [[c, a, b]] },
      ['a', 'b', 'c'],
    ],
    [
      'reverse',
      { targets: 'statefulset:shop:[app=web]', request: { order: 'reverse' }, lists: [[c, a, b]] },
      ['c', 'b', 'a'],
    ],
    [
      'only on these nodes',
      {
        targets: 'statefulset:shop:[app=web]',
        request: { nodeLabel: 'zone=b' },
        lists: [[a, b, c]],
        observed: { nodes: new Set(['node-2']) },
      },
      ['b'],
    ],
    [
      'TARGET_PODS in their order, no percentage',
      {
        targets: 'statefulset:shop:[app=web]',
        request: { targetPods: ['c', 'a'], percentage: 1, order: 'alphabetical' },
        lists: [[a, b, c]],
      },
      ['c', 'a'],
    ],
  ];
  for (const [name, one, expected] of cases) {
    await t.test(name, () =>
      assert.deepEqual(
        select(one).map((target) => target.name),
        expected,
      ),
    );
  }
});

test('a target says everything a fault needs', () => {
  const [target] = select({
    targets: 'statefulset:shop:[app=web]',
    request: { needsContainer: true },
    lists: [[a]],
  });
  assert.deepEqual(target, {
    kind: 'pod',
    name: 'a',
    namespace: 'shop',
    uid: 'uid-shop-a',
    node: 'node-1',
    container: 'app',
    owner: { kind: 'statefulset', name: 'web', uid: 'uid-StatefulSet-web' },
  });
});

test('a selection without targets is an error that names what was looked for, and where', async (t) => {
  const labels = 'statefulset:shop:[app=web]';
  const cases: [string, Case, RegExp][] = [
    [
      'nothing asked for',
      { lists: [] },
      /neither TARGETS nor TARGET_PODS is set; give the ChaosEngine an appinfo/,
    ],
    [
      'no pod at all',
      { targets: labels, lists: [[]] },
      /no pods found for statefulset:shop:\[app=web\]; no pod there matches; check namespace/,
    ],
    [
      'pods of other workloads',
      { targets: labels, lists: [[pod('x', { owner: 'DaemonSet/d' })]] },
      /belong to other workloads \(found: daemonset d\)/,
    ],
    [
      'only pods that end',
      { targets: labels, lists: [[web('x', { deleting: true })]] },
      /1 pods match but have ended, are being deleted or belong to chaos/,
    ],
    [
      'an unknown workload',
      { targets: 'statefulset:shop:[db]', lists: [[a]] },
      /no pods found for statefulset db in namespace shop; .*found: statefulset web/,
    ],
    ['an unknown pod', { targets: 'pod:shop:[zzz]', lists: [[a]] }, /pod zzz not found in namespace shop/],
    [
      'an unknown TARGET_POD',
      { targets: labels, request: { targetPods: ['a', 'zzz'] }, lists: [[a]] },
      /cannot select TARGET_PODS: zzz not found in namespace shop/,
    ],
    [
      'TARGET_PODS without TARGETS',
      { request: { targetPods: ['zzz'] }, lists: [[a]] },
      /zzz not found in namespace chaos/,
    ],
    [
      'a pod of chaos by name',
      { targets: 'pod:shop:[r]', lists: [[pod('r', { labels: { chaosUID: '1' } })]] },
      /pod shop\/r cannot be a target: it belongs to a run of chaos/,
    ],
    [
      'a pod of the installation by name',
      { targets: 'pod:shop:[r]', lists: [[pod('r', { labels: { 'app.kubernetes.io/part-of': 'litmus' } })]] },
      /pod shop\/r cannot be a target: it belongs to the installation of chaos/,
    ],
    [
      'no node with the label',
      { targets: labels, request: { nodeLabel: 'zone=b' }, lists: [[a]], observed: { nodes: new Set() } },
      /no node has the label zone=b of NODE_LABEL; label a node, or correct NODE_LABEL$/,
    ],
    [
      'no pod on those nodes',
      {
        targets: labels,
        request: { nodeLabel: 'zone=b' },
        lists: [[a]],
        observed: { nodes: new Set(['node-9']) },
      },
      /none of the 1 matching pods runs on a node with label zone=b \(node-9\)/,
    ],
    [
      'a container that is not there',
      { targets: labels, request: { needsContainer: true, container: 'db' }, lists: [[a]] },
      /pod shop\/a has no container db; set TARGET_CONTAINER to one of app/,
    ],
  ];
  for (const [name, one, message] of cases) {
    await t.test(name, () => assert.throws(() => select(one), { code: 'TARGET_SELECTION_ERROR', message }));
  }
});

test('in later rounds a named pod is followed by the newest pod of its workload', () => {
  const request = { targetPods: ['a'] };
  const previous = select({ targets: 'statefulset:shop:[app=web]', request, lists: [[a, b]] });
  const again = (lists: Pod[][]) =>
    select({ targets: 'statefulset:shop:[app=web]', request: { ...request, previous }, lists }).map(
      ({ name }) => name,
    );
  const old = web('old', { created: '2030-01-01T00:00:00Z' });
  const fresh = web('fresh', { created: '2030-01-01T00:01:00Z' });
  const stranger = pod('stranger', { owner: 'DaemonSet/d', created: '2030-01-01T00:02:00Z' });
  assert.deepEqual(again([[a, old]]), ['a']);
  assert.deepEqual(again([[old, fresh, stranger]]), ['fresh']);
  assert.throws(
    () => again([[stranger]]),
    /cannot select TARGET_PODS for another round: a and every replacement are gone/,
  );
});

test('whatever is there, targets are different living pods of the workload, as many as asked for, never chaos itself', () => {
  const arbitraryPod = fc.record({
    name: fc.stringMatching(/^[a-z]{1,3}$/),
    namespace: fc.constantFrom('shop', 'other'),
    owner: fc.constantFrom('StatefulSet/web', 'DaemonSet/agent', undefined),
    phase: fc.constantFrom('Running', 'Pending', 'Succeeded', 'Failed'),
    deleting: fc.boolean(),
    chaos: fc.boolean(),
  });
  const pods = fc.uniqueArray(arbitraryPod, {
    maxLength: 30,
    selector: ({ namespace, name }) => `${namespace}/${name}`,
  });
  fc.assert(
    fc.property(
      pods,
      fc.nat(120),
      fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
      (shapes, percentage, random) => {
        const lists = [
          shapes.map(({ name, owner, chaos, ...shape }) =>
            pod(name, {
              ...shape,
              ...(owner === undefined ? {} : { owner }),
              labels: chaos ? { chaosUID: 'x' } : {},
            }),
          ),
        ];
        const candidates = shapes.filter(
          ({ owner, phase, deleting, chaos }) =>
            owner === 'StatefulSet/web' &&
            !deleting &&
            !chaos &&
            (phase === 'Running' || phase === 'Pending'),
        );
        const choose = () =>
          select({ targets: 'statefulset:shop:[app=web]', request: { percentage }, lists, random });
        if (candidates.length === 0) {
          assert.throws(choose, { code: 'TARGET_SELECTION_ERROR' });
          return;
        }
        const keys = choose().map(({ namespace, name }) => `${namespace}/${name}`);
        assert.equal(keys.length, affectedCount(candidates.length, percentage));
        assert.equal(new Set(keys).size, keys.length);
        for (const key of keys)
          assert.ok(candidates.some(({ namespace, name }) => `${namespace}/${name}` === key));
      },
    ),
  );
});

test('a sidecar is a container of its pod, after those of the application; what runs before them is none', () => {
  const plain = web('meshed', { containers: ['app', 'log'] });
  const meshed: Pod = {
    ...plain,
    spec: {
      containers: [],
      ...plain.spec,
      initContainers: [{ name: 'prepare' }, { name: 'proxy', restartPolicy: 'Always' }],
    },
  };
  const containers = (container: string, severalContainers = true) =>
    select({
      targets: 'statefulset:shop:[app=web]',
      request: { needsContainer: true, severalContainers, container },
      lists: [[meshed]],
    }).map((target) => target.container);
  assert.deepEqual(containers('', false), ['app']);
  assert.deepEqual(containers('proxy', false), ['proxy']);
  assert.deepEqual(containers('all'), ['app', 'log', 'proxy']);
  assert.throws(
    () => containers('prepare'),
    /has no container prepare; set TARGET_CONTAINER to one of app, log, proxy/,
  );
});

test('faults that may hit several containers take a list or all, others take names as they are', () => {
  const two = web('two', { containers: ['app', 'side', 'log'] });
  const containers = (container: string, severalContainers = true) =>
    select({
      targets: 'statefulset:shop:[app=web]',
      request: { needsContainer: true, severalContainers, container },
      lists: [[two]],
    }).map((target) => target.container);
  assert.deepEqual(containers(''), ['app']);
  assert.deepEqual(containers('side'), ['side']);
  assert.deepEqual(containers('log, app,log'), ['log', 'app']);
  for (const word of ['all', 'ALL', ' All ']) assert.deepEqual(containers(word), ['app', 'side', 'log']);
  assert.throws(
    () => containers('app,db'),
    /has no container db; set TARGET_CONTAINER to one of app, side, log/,
  );
  assert.throws(() => containers('all', false), /has no container all/);
});
