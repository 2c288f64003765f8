import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KubeObject, Pod } from '@turnsole/kube/kinds/core';
import type { InjectionTarget } from '../../api/index.ts';
import { parseTargets } from '../injection/settings/parse-targets.ts';
import { byKey, owned, pod } from '../injection/testing/builders.ts';
import { countTargetsToBe, isToBe, withPodsToBe } from './pods-to-be.ts';
import { type ObservedPods, type PodRequest, podQueries, selectPods } from './select-pods.ts';

const template = { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'main' }] } };
const workload = (kind: string, spec: object = {}, metadata: object = {}): KubeObject =>
  ({
    kind,
    metadata: { name: 'web', namespace: 'shop', ...metadata },
    spec: { template, ...spec },
  }) as KubeObject;
const OPTED_IN = { annotations: { 'litmuschaos.io/chaos': 'true' } };

interface Case {
  readonly targets?: string;
  readonly request?: Partial<PodRequest>;
  readonly running?: readonly Pod[];
  readonly observed?: Partial<ObservedPods>;
  readonly workloads: readonly KubeObject[];
}

function select({ targets = 'deployment:shop:[app=web]', running = [], ...rest }: Case): InjectionTarget[] {
  const request: PodRequest = {
    entries: parseTargets(targets).entries,
    targetPods: [],
    chaosNamespace: 'shop',
    nodeLabel: '',
    percentage: 100,
    order: '',
    container: '',
    needsContainer: false,
    ownPod: 'me',
    ...rest.request,
  };
  const observed: ObservedPods = {
    lists: podQueries(request).map(() => running),
    nodes: undefined,
    replicaSets: byKey(owned('web-1', 'Deployment/web')),
    replicationControllers: byKey(),
    ...rest.observed,
  };
  return selectPods(request, withPodsToBe(request, observed, rest.workloads), () => 0);
}

const deployment = workload('Deployment', { replicas: 3 });
const daemon = workload('DaemonSet');
const stateful = workload('StatefulSet', { replicas: 2, ordinals: { start: 4 } });

/** What is asked for, and how many targets to be there are of how many pods, or what is said against it. */
const TABLE: readonly (readonly [string, Case, string | RegExp])[] = [
  ['all pods of a Deployment', { workloads: [deployment] }, 'deployment 3 of 3'],
  ['a share of them', { workloads: [deployment], request: { percentage: 67 } }, 'deployment 2 of 3'],
  ['one pod, as replicas default', { workloads: [workload('Deployment')] }, 'deployment 1 of 1'],
  ['by name', { workloads: [deployment], targets: 'deployment:shop:[web]' }, 'deployment 3 of 3'],
  ['pods of any kind', { workloads: [stateful], targets: 'KIND:shop:[app=web]' }, 'statefulset 2 of 2'],
  ['a DaemonSet, whose nodes count', { workloads: [daemon], targets: 'daemonset:shop:[]' }, 'daemonset'],
  [
    'a pod of a StatefulSet, which has a name already',
    { workloads: [stateful], request: { targetPods: ['web-5'] } },
    'statefulset 1 of 2',
  ],
  ['a bare pod', { workloads: [workload('Pod')], request: { targetPods: ['web'] } }, 'pod'],
  [
    'a workload that agrees to chaos',
    {
      workloads: [workload('Deployment', {}, OPTED_IN)],
      request: { optIn: { key: 'litmuschaos.io/chaos', value: 'true' } },
    },
    'deployment 1 of 1',
  ],
  [
    'one that does not',
    { workloads: [deployment], request: { optIn: { key: 'litmuschaos.io/chaos', value: 'true' } } },
    /annotation litmuschaos\.io\/chaos=true/,
  ],
  ['no pods', { workloads: [workload('Deployment', { replicas: 0 })] }, /no pods found/],
  ['other labels', { workloads: [deployment], targets: 'deployment:shop:[app=db]' }, /no pods found/],
  ['another kind', { workloads: [daemon] }, /found: daemonset web/],
  ['another namespace', { workloads: [deployment], targets: 'deployment:else:[app=web]' }, /no pods found/],
  [
    'a pod whose name is not known',
    { workloads: [deployment], request: { targetPods: ['web-1'] } },
    /not found/,
  ],
  [
    'a container that there is not',
    { workloads: [deployment], request: { needsContainer: true, container: 'side' } },
    /has no container side/,
  ],
  [
    'a label of nodes that no node has',
    { workloads: [deployment], request: { nodeLabel: 'disk=ssd' }, observed: { nodes: new Set() } },
    /no node has the label/,
  ],
  [
    'a label of nodes that some have',
    { workloads: [deployment], request: { nodeLabel: 'disk=ssd' }, observed: { nodes: new Set(['n1']) } },
    'deployment 3 of 3',
  ],
];

for (const [name, given, expected] of TABLE) {
  test(`pods to be: ${name}`, () => {
    if (typeof expected !== 'string') {
      assert.throws(() => select(given), expected);
      return;
    }
    const targets = select(given);
    assert.ok(targets.every(isToBe));
    assert.deepEqual(
      countTargetsToBe(targets, given.workloads).map(({ kind, name: of, hit, of: all }) =>
        hit === undefined ? `${kind} ${of}` : `${kind} ${of} ${hit} of ${all}`,
      ),
      [expected.replace(/^\w+/, '$& web')],
    );
  });
}

test('pods to be: a workload that runs is hit as it is', () => {
  const running = [pod('web-1-x', { owner: 'ReplicaSet/web-1', labels: { app: 'web' } })];
  const targets = select({ workloads: [deployment], running });
  assert.deepEqual(
    targets.map(({ name }) => name),
    ['web-1-x'],
  );
  assert.equal(targets.some(isToBe), false);
});
