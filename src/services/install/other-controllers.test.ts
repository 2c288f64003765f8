import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ConfigMap, Deployment } from '@turnsole/kube/kinds/core';
import { controllerLease } from '@turnsole/workflows/kinds/controller-names';
import { controllerContainer, foundController, leftOutController, runsTheSame } from './other-controllers.ts';

interface Given {
  readonly name?: string;
  readonly labels?: Record<string, string>;
  readonly image?: string;
  readonly args?: readonly string[];
  readonly replicas?: number;
}

function deployment({
  name = 'workflow-controller',
  labels,
  image,
  args = [],
  replicas = 1,
}: Given): Deployment {
  const container = {
    name: 'c',
    image: image ?? 'quay.io/argoproj/workflow-controller:v4.1.2',
    args: [...args],
  };
  return {
    metadata: { name, namespace: 'argo', ...(labels !== undefined && { labels }) },
    spec: { replicas, selector: {}, template: { spec: { containers: [container] } } },
  };
}

function configuration(data: Record<string, string>): ConfigMap {
  return { metadata: { name: 'workflow-controller-configmap', namespace: 'argo' }, data };
}

const FOUND: readonly [string, Given, Record<string, string>, [string | undefined, string]][] = [
  ["Argo's of the whole cluster", {}, {}, [undefined, '']],
  ["Argo's of one namespace", { args: ['--namespaced'] }, {}, ['argo', '']],
  ['one of another namespace', { args: ['--namespaced', '--managed-namespace', 'shop'] }, {}, ['shop', '']],
  ['one with a switch that is off', { args: ['--namespaced=false'] }, {}, [undefined, '']],
  [
    "Litmus' with its instance id",
    { args: ['--configmap', 'workflow-controller-configmap', '--namespaced'] },
    { instanceID: '9a1b' },
    ['argo', '9a1b'],
  ],
  [
    'one whose settings stand in one key',
    {},
    { config: 'parallelism: 3\ninstanceID: "x-1" # ours\n' },
    [undefined, 'x-1'],
  ],
  [
    'an installed one, by its label',
    {
      name: 'wfc',
      labels: { app: 'workflow-controller' },
      image: 'turnsole/turnsole:1',
      args: ['-instanceid=a'],
    },
    {},
    [undefined, 'a'],
  ],
];

for (const [name, given, data, [watchNamespace, instanceId]] of FOUND) {
  test(`workflow controllers: ${name}`, () => {
    const object = deployment(given);
    const container = controllerContainer(object);
    assert.ok(container !== undefined);
    assert.deepEqual(foundController(object, container, configuration(data)), {
      deployment: `argo/${object.metadata.name}`,
      watchNamespace,
      instanceId,
    });
  });
}

for (const [name, given] of [
  ['one without pods', { replicas: 0 }],
  ['another program', { name: 'server', image: 'quay.io/argoproj/argocli:v4.1.2' }],
] as const) {
  test(`workflow controllers: not ${name}`, () => {
    assert.equal(controllerContainer(deployment(given)), undefined);
  });
}

for (const [found, own, expected] of [
  [[undefined, ''], [undefined, undefined], true],
  [['argo', ''], [undefined, undefined], true],
  [['argo', ''], ['shop', undefined], false],
  [['argo', ''], ['argo', undefined], true],
  [[undefined, 'a'], [undefined, undefined], false],
  [[undefined, ''], [undefined, 'a'], false],
  [[undefined, 'a'], ['shop', 'a'], true],
] as const) {
  test(`workflow controllers: ${JSON.stringify(found)} and ${JSON.stringify(own)} ${expected ? 'run the same' : 'get along'}`, () => {
    const [watchNamespace, instanceId] = found;
    const controller = { deployment: 'argo/x', watchNamespace, instanceId };
    assert.equal(runsTheSame(controller, { watchNamespace: own[0], instanceId: own[1] }), expected);
  });
}

test('workflow controllers: install names those it finds and what can be done; the lease follows from the instance id', () => {
  const found = { deployment: 'argo/workflow-controller', watchNamespace: undefined, instanceId: '' };
  assert.match(
    leftOutController([found]),
    /Deployment argo\/workflow-controller \(workflows of all namespaces, without an instance id\).*--instance-id/,
  );
  assert.deepEqual(['', 'a'].map(controllerLease), ['workflow-controller', 'workflow-controller-a']);
});
