import assert from 'node:assert/strict';
import { test } from 'node:test';
import { podLogs, podRequests } from './pod-logs.ts';

const CASES: readonly [what: string, answer: string, expected: readonly { pod: string; text: string }[]][] = [
  ['a step', '{"mainLogs":"a\\nb\\n"}', [{ pod: '', text: 'a\nb\n' }]],
  [
    'a step that made an engine',
    '{"mainLogs":"a","chaosLogs":{"pod-delete-x":"b"}}',
    [
      { pod: '', text: 'a' },
      { pod: 'pod-delete-x', text: 'b' },
    ],
  ],
  [
    'a sentence',
    'INFRA ERROR : INFRA NOT CONNECTED',
    [{ pod: '', text: 'INFRA ERROR : INFRA NOT CONNECTED' }],
  ],
  ['a number', '1', [{ pod: '', text: '1' }]],
];

for (const [what, answer, expected] of CASES) {
  test(`the logs of ${what}`, () => assert.deepEqual(podLogs(answer), expected));
}

const chaosData = { experimentPod: 'e-x-1', runnerPod: 'e-runner', namespace: 'shop' };
const CHAOS = { expPod: 'e-x-1', runnerPod: 'e-runner', chaosNamespace: 'shop' };

test('steps of a workflow are asked for by their pods, with those of their engines', () => {
  const nodes = {
    'flow-1': { type: 'Steps' },
    'flow-1-2': { type: 'Pod', name: 'install' },
    'flow-1-3': { type: 'ChaosEngine', name: 'chaos', chaosData },
  };
  assert.deepEqual(podRequests(JSON.stringify({ namespace: 'litmus', nodes })), [
    {
      ...{ name: 'install', isStep: true },
      request: { podName: 'flow-1-2', podNamespace: 'litmus', podType: 'Pod' },
    },
    {
      ...{ name: 'chaos', isStep: true },
      request: { podName: 'flow-1-3', podNamespace: 'litmus', podType: 'ChaosEngine', ...CHAOS },
    },
  ]);
});

test('an engine without a workflow has the pods of its chaos, and none of a step', () => {
  const nodes = { e: { type: 'Steps' }, 'e-engine': { type: 'ChaosEngine', name: 'e', chaosData } };
  assert.deepEqual(podRequests(JSON.stringify({ experimentType: 'chaosengine', namespace: 'shop', nodes })), [
    {
      ...{ name: 'e', isStep: false },
      request: { podName: '', podNamespace: 'shop', podType: 'ChaosEngine', ...CHAOS },
    },
  ]);
});

for (const text of ['', '[]', '{"nodes":{"a":null}}']) {
  test(`of ${JSON.stringify(text)} no log can be asked for`, () => assert.deepEqual(podRequests(text), []));
}
