import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { DaemonSet, Node, Pod } from '@turnsole/kube/kinds/core';
import { DAEMON_SETS } from '@turnsole/kube/kinds/resources';
import { at, node, type PodOptions, pod, START_MS } from '../testing/builders.ts';
import { daemonNodeOf, decideDaemonSet, hashOf, newDaemonPod } from './decide-daemon-set.ts';

function set(template: Partial<NonNullable<Pod['spec']>> = {}): DaemonSet {
  return {
    metadata: { name: 'agent', namespace: 'default', uid: 'uid-agent', generation: 1 },
    spec: {
      selector: { matchLabels: { app: 'agent' } },
      template: {
        metadata: { labels: { app: 'agent' } },
        spec: { containers: [{ name: 'main', image: 'sample:1' }], ...template },
      },
    },
  };
}

function hash(owner: DaemonSet): string {
  const { revision } = decideDaemonSet({ set: owner, pods: [], nodes: [], revisions: [], nowMs: START_MS });
  assert.ok(revision);
  return hashOf(revision.update);
}

function on(name: string, options: PodOptions & { readonly hash?: string } = {}): Pod {
  const owner = set();
  return pod(`agent-${name}`, {
    owner: [DAEMON_SETS, owner],
    node: name,
    labels: { app: 'agent', 'controller-revision-hash': options.hash ?? hash(owner) },
    ...options,
  });
}

function decide(owner: DaemonSet, nodes: readonly Node[], pods: readonly Pod[]) {
  return decideDaemonSet({ set: owner, pods, nodes, revisions: [], nowMs: START_MS });
}

describe('where pods run', () => {
  const tainted = node('n2', { taints: [{ key: 'drill', effect: 'NoSchedule' }] });
  const evicting = node('n2', { taints: [{ key: 'drill', effect: 'NoExecute' }] });
  const unreachable = node('n2', {
    taints: [{ key: 'node.kubernetes.io/unreachable', effect: 'NoExecute' }],
  });
  const cordoned = node('n2', {
    unschedulable: true,
    taints: [{ key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' }],
  });
  const n1 = node('n1');
  const table: readonly (readonly [
    string,
    DaemonSet,
    readonly Node[],
    readonly Pod[],
    string[],
    string[],
  ])[] = [
    ['on every node', set(), [n1, node('n2')], [on('n1')], ['n2'], []],
    ['not over a taint', set(), [n1, tainted], [], ['n1'], []],
    ['but a pod that is there may stay', set(), [n1, tainted], [on('n1'), on('n2')], [], []],
    ['unless the taint evicts', set(), [n1, evicting], [on('n1'), on('n2')], [], ['agent-n2']],
    ['on nodes that are in trouble', set(), [unreachable], [], ['n2'], []],
    ['on cordoned nodes', set(), [cordoned], [], ['n2'], []],
    ['where the template allows', set({ nodeSelector: { disk: 'ssd' } }), [n1], [on('n1')], [], ['agent-n1']],
    [
      'only one on each node',
      set(),
      [n1],
      [
        on('n1'),
        { ...on('n1'), metadata: { ...on('n1').metadata, name: 'agent-x', creationTimestamp: at(9) } },
      ],
      [],
      ['agent-x'],
    ],
    ['again when the pod has ended', set(), [n1], [on('n1', { phase: 'Failed' })], [], ['agent-n1']],
    ['not before the last one is gone', set(), [n1], [on('n1', { deleted: at(1) })], [], []],
  ];
  for (const [name, owner, nodes, pods, createOn, doomed] of table) {
    test(name, () => {
      const step = decide(owner, nodes, pods);
      assert.deepEqual(step.createOn, createOn);
      assert.deepEqual(
        step.delete.map(({ metadata }) => metadata.name),
        doomed,
      );
    });
  }

  test('a pod is meant for its node before it is bound', () => {
    const made = newDaemonPod(set(), 'abc', 'n7');
    assert.equal(daemonNodeOf({ ...made, metadata: { ...made.metadata, name: 'x' } }), 'n7');
    assert.equal(made.metadata.labels?.['controller-revision-hash'], 'abc');
  });
});

describe('an update', () => {
  const nodes = ['n1', 'n2', 'n3'].map((name) => node(name));
  const doomed = (pods: readonly Pod[]) =>
    decide(set(), nodes, pods).delete.map(({ metadata }) => metadata.name);

  test('replaces one available pod at a time', () => {
    const old = { hash: 'old' };
    assert.deepEqual(doomed([on('n1', old), on('n2', old), on('n3', old)]), ['agent-n1']);
    assert.deepEqual(doomed([on('n1', { ready: false }), on('n2', old), on('n3', old)]), []);
    assert.deepEqual(doomed([on('n1'), on('n2', old), on('n3', old)]), ['agent-n2']);
  });

  test('replaces what is not available at once', () => {
    const broken = { hash: 'old', ready: false };
    assert.deepEqual(doomed([on('n1', broken), on('n2', broken), on('n3', { hash: 'old' })]), [
      'agent-n1',
      'agent-n2',
    ]);
  });
});

test('the status counts nodes and pods by their state', () => {
  const nodes = [node('n1'), node('n2'), node('n3', { taints: [{ key: 'x', effect: 'NoSchedule' }] })];
  const { status } = decide(set(), nodes, [on('n1'), on('n2', { ready: false, hash: 'old' }), on('n3')]);
  assert.deepEqual(status, {
    currentNumberScheduled: 2,
    numberMisscheduled: 1,
    desiredNumberScheduled: 2,
    numberReady: 1,
    observedGeneration: 1,
    updatedNumberScheduled: 1,
    numberAvailable: 1,
    numberUnavailable: 1,
  });
});
