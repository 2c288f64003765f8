import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KubeObject, Pod } from '@turnsole/kube/kinds/core';
import { parseLabelSelector } from '@turnsole/kube/text/label-selector';
import type { BlastRadius, InjectionTarget } from '../../api/index.ts';
import { type Budget, blastRadius, type Hit, type Surroundings } from './blast-radius.ts';

function pod(name: string, node: string, replicaSet: string | undefined, phase = 'Running'): Pod {
  return {
    metadata: {
      name,
      namespace: 'shop',
      labels: { app: 'web' },
      ...(replicaSet === undefined
        ? {}
        : { ownerReferences: [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: replicaSet, uid: 'rs' }] }),
    },
    spec: { nodeName: node, containers: [] },
    status: { phase },
  };
}

const replicaSet: KubeObject = {
  metadata: {
    name: 'web-1',
    namespace: 'shop',
    ownerReferences: [{ apiVersion: 'apps/v1', kind: 'Deployment', name: 'web', uid: 'd' }],
  },
};

const budget = (allowed: number, selector = 'app=web', namespace = 'shop'): Budget => ({
  namespace,
  name: 'keep',
  selector: parseLabelSelector(selector),
  allowed,
});

const around = (more: Partial<Surroundings> = {}): Surroundings => ({
  pods: [
    pod('a', 'n1', 'web-1'),
    pod('b', 'n1', 'web-1'),
    pod('c', 'n2', 'web-1'),
    pod('old', 'n2', 'web-1', 'Failed'),
    pod('bare', 'n2', undefined),
  ],
  budgets: [],
  nodes: ['n1', 'n2', 'n3'],
  replicaSets: new Map([['shop/web-1', replicaSet]]),
  replicationControllers: new Map(),
  notSeen: [],
  ...more,
});

const podTarget = (name: string, container?: string): InjectionTarget => ({
  kind: 'pod',
  namespace: 'shop',
  name,
  ...(container === undefined ? {} : { container }),
});
const node = (name: string): InjectionTarget => ({ kind: 'node', name, node: name });

const shares = ({ workloads }: BlastRadius): string[] =>
  workloads.map(({ kind, name, hit, of, percent }) => `${kind}/${name} ${hit}/${of} ${percent}%`);

test('how much of each workload is hit', async (t) => {
  const cases: [string, readonly InjectionTarget[], string[]][] = [
    [
      'two of three; what has ended does not count',
      [podTarget('a'), podTarget('c')],
      ['deployment/web 2/3 67%'],
    ],
    [
      'two containers of a pod are one pod',
      [podTarget('a', 'x'), podTarget('a', 'y')],
      ['deployment/web 1/3 33%'],
    ],
    ['a pod without a workload', [podTarget('bare')], ['pod/bare 1/1 100%']],
    ['a node: all that runs on it', [node('n2')], ['deployment/web 1/3 33%', 'pod/bare 1/1 100%']],
    [
      'a workload as a whole',
      [{ kind: 'deployment', namespace: 'shop', name: 'web' }],
      ['deployment/web 3/3 100%'],
    ],
    ['a pod that is gone meanwhile', [podTarget('z')], []],
    ['nothing', [], []],
  ];
  for (const [name, targets, expected] of cases) {
    await t.test(name, () => {
      assert.deepEqual(shares(blastRadius({ targets, sequence: 'parallel' }, around())), expected);
    });
  }
});

test('which disruption budgets would be violated', async (t) => {
  const both = [podTarget('a'), podTarget('b')];
  const cases: [string, readonly InjectionTarget[], Hit['sequence'], Budget, string[]][] = [
    ['more at once than may be missing', both, 'parallel', budget(1), ['2 of 1 violated']],
    ['as many as may be missing', both, 'parallel', budget(2), ['2 of 2 holds']],
    ['one after the other', both, 'serial', budget(1), ['1 of 1 holds']],
    ['none may be missing', both, 'serial', budget(0), ['1 of 0 violated']],
    [
      'nodes one after the other: all pods of one',
      [node('n1'), node('n2')],
      'serial',
      budget(1),
      ['2 of 1 violated'],
    ],
    ['another application', both, 'parallel', budget(0, 'app=db'), []],
    ['another namespace', both, 'parallel', budget(0, 'app=web', 'bank'), []],
    ['a budget that selects nothing', both, 'parallel', { ...budget(0), selector: undefined }, []],
  ];
  for (const [name, targets, sequence, one, expected] of cases) {
    await t.test(name, () => {
      const { disruptionBudgets } = blastRadius({ targets, sequence }, around({ budgets: [one] }));
      const found = disruptionBudgets.map(
        ({ hitAtOnce, allowed, violated }) => `${hitAtOnce} of ${allowed} ${violated ? 'violated' : 'holds'}`,
      );
      assert.deepEqual(found, expected);
    });
  }
});

test('which nodes, and how many of all', () => {
  const of = (targets: readonly InjectionTarget[], more: Partial<Surroundings> = {}) =>
    blastRadius({ targets, sequence: 'parallel' }, around(more)).nodes;
  assert.deepEqual(of([podTarget('a'), podTarget('b')]), { hit: ['n1'], of: 3, percent: 33 });
  assert.deepEqual(of([podTarget('a'), podTarget('c')]), { hit: ['n1', 'n2'], of: 3, percent: 67 });
  assert.deepEqual(of([node('n3')]), { hit: ['n3'], of: 3, percent: 33 });
  assert.deepEqual(of([podTarget('a')], { nodes: undefined }), { hit: ['n1'] });
});
