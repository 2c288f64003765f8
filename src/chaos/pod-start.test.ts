import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Pod, PodStatus } from '@turnsole/kube/kinds/core';
import { classifyRefusal, howFar, podStartProblem } from './pod-start.ts';

function pod(status: PodStatus): Pod {
  return { metadata: { name: 'web-runner' }, status };
}

function waiting(reason: string, message?: string): PodStatus {
  const state = { waiting: message === undefined ? { reason } : { reason, message } };
  return {
    phase: 'Pending',
    containerStatuses: [{ name: 'c', image: 'i:1', imageID: '', ready: false, restartCount: 0, state }],
  };
}

const PODS: readonly [name: string, status: PodStatus, reason: string | undefined, message?: RegExp][] = [
  ['nothing said yet', { phase: 'Pending' }, undefined],
  ['being created', waiting('ContainerCreating'), undefined],
  [
    'pull failed',
    waiting('ErrImagePull', 'no such image'),
    'ImagePullFailed',
    /ErrImagePull: no such image$/,
  ],
  ['pull backs off', waiting('ImagePullBackOff'), 'ImagePullFailed', /web-runner \(image i:1\)/],
  ['bad name', waiting('InvalidImageName'), 'ImageNameInvalid'],
  [
    'config map missing',
    waiting('CreateContainerConfigError', 'x not found'),
    'ContainerCannotStart',
    /x not found/,
  ],
  ['crash loop is not a start problem', waiting('CrashLoopBackOff'), undefined],
  [
    'no node',
    {
      phase: 'Pending',
      conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message: '0/1 nodes' }],
    },
    'Unschedulable',
    /finds no node: 0\/1 nodes$/,
  ],
  [
    'gated',
    { conditions: [{ type: 'PodScheduled', status: 'False', reason: 'SchedulingGated' }] },
    undefined,
  ],
];

for (const [name, status, reason, message] of PODS) {
  test(`pod start: ${name}`, () => {
    const problem = podStartProblem(pod(status));
    assert.equal(problem?.reason, reason);
    if (message !== undefined) assert.match(problem?.message ?? '', message);
  });
}

test('a late pod is described by what keeps it, else by its phase and node', () => {
  const onNode = (status?: PodStatus): Pod => ({
    metadata: { name: 'helper' },
    spec: { nodeName: 'n1', containers: [] },
    status,
  });
  const cases: readonly [pod: Pod, sentence: string][] = [
    [pod({ phase: 'Pending' }), 'it has no node yet'],
    [onNode(), 'it is Pending on node n1'],
    [onNode({ phase: 'Running' }), 'it is Running on node n1'],
    [
      onNode(waiting('ErrImagePull', 'no such image')),
      'container c of pod helper (image i:1) is waiting with ErrImagePull: no such image',
    ],
  ];
  for (const [late, sentence] of cases) assert.equal(howFar(late), sentence);
});

const REFUSALS: readonly [code: number, message: string, reason: string | undefined][] = [
  [
    403,
    'pods "a-runner" is forbidden: error looking up service account shop/nobody: serviceaccount "nobody" not found',
    'ServiceAccountNotFound',
  ],
  [
    403,
    'pods "a" is forbidden: exceeded quota: q, requested: pods=1, used: pods=1, limited: pods=1',
    'QuotaExceeded',
  ],
  [400, 'admission webhook "deny.example" denied the request: no', 'AdmissionRefused'],
  [
    500,
    'Internal error occurred: failed calling webhook "x": admission webhook unreachable',
    'AdmissionRefused',
  ],
  [403, 'pods is forbidden: User "u" cannot create resource "pods"', 'Forbidden'],
  [422, 'Pod "a" is invalid: spec.containers[0].image: Required value', 'SpecInvalid'],
  [400, 'json: cannot unmarshal number', 'SpecInvalid'],
  [503, 'the server is shutting down', undefined],
  [409, 'already exists', undefined],
];

for (const [code, message, reason] of REFUSALS) {
  test(`refusal ${code} ${message.slice(0, 50)}`, () => {
    assert.equal(classifyRefusal({ code, reason: '', message }), reason);
  });
}
