import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KubeObject } from '@turnsole/kube/kinds/core';
import type { ClusterKind } from '../schema/generated/types.ts';
import { chaosAround } from './chaos-around.ts';
import { objectState } from './object-state.ts';

const NOW = Date.parse('2026-11-30T10:00:20Z');
const at = (second: number): string => new Date(NOW - 20_000 + second * 1000).toISOString();

/** A run of checkout, which is in the namespace of its agent; the label of the engine has the name of the experiment. */
const WORKFLOW = {
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'Workflow',
  metadata: { name: 'checkout-1795', namespace: 'litmus', uid: 'w-1', creationTimestamp: at(0) },
  spec: {
    entrypoint: 'main',
    templates: [
      {
        name: 'main',
        inputs: {
          artifacts: [
            {
              name: 'pod-delete',
              path: '/tmp/engine.yaml',
              raw: {
                data: 'apiVersion: litmuschaos.io/v1alpha1\nkind: ChaosEngine\nmetadata: { name: loose, namespace: shop }\n',
              },
            },
          ],
        },
        container: { image: 'x' },
      },
    ],
  },
  status: { phase: 'Running', startedAt: at(0) },
};

/** An engine in chaos, and its result. */
function inChaos(metadata: object): Partial<Record<ClusterKind, readonly object[]>> {
  const engine = {
    metadata: { name: 'loose', namespace: 'shop', creationTimestamp: at(5), ...metadata },
    spec: { experiments: [{ name: 'pod-delete' }] },
    status: { engineStatus: 'initialized', runId: 'r' },
  };
  const step = (second: number, step: string) => ({
    ...{ time: at(second), actor: 'experiment/pod-delete', step, message: '', runId: 'r' },
  });
  const result = {
    metadata: { name: 'loose-pod-delete', namespace: 'shop' },
    spec: { engine: 'loose', experiment: 'pod-delete' },
    status: {
      experimentStatus: { phase: 'Running', verdict: 'Awaited' },
      timing: { chaosSeconds: 30 },
      timeline: [step(6, 'ExperimentStarted'), step(10, 'ChaosStarted')],
    },
  };
  return { ChaosEngine: [engine], ChaosResult: [result] };
}

const ENGINES: readonly (readonly [how: string, metadata: object, state: string])[] = [
  ['by the label of Litmus', { labels: { workflow_run_id: 'w-1', workflow_name: 'checkout' } }, 'chaos'],
  ['by its owner', { ownerReferences: [{ kind: 'Workflow', name: 'checkout-1795', uid: 'w-1' }] }, 'chaos'],
  ['by the name in an artifact', {}, 'chaos'],
  ['not, as it says to be of another run', { labels: { workflow_run_id: 'w-2' } }, 'running'],
  ['not, as it was there before', { creationTimestamp: at(-60) }, 'running'],
];
for (const [how, metadata, state] of ENGINES) {
  test(`a workflow under way is in the state of its engine, which is known ${how}`, () => {
    const objects = inChaos(metadata);
    const around = chaosAround({
      nowMs: NOW,
      list: (kind) => (objects[kind] ?? []) as readonly KubeObject[],
    });
    assert.equal(objectState('Workflow', WORKFLOW as never, around)?.state, state);
  });
}

test('a workflow that failed by a step is no pass, though its engine passed', () => {
  const engine = {
    metadata: { name: 'loose', namespace: 'shop', labels: { workflow_run_id: 'w-1' } },
    spec: { experiments: [{ name: 'pod-delete' }] },
    status: {
      engineStatus: 'completed',
      runId: 'r',
      experiments: [{ name: 'pod-delete', verdict: 'Pass', status: 'Completed' }],
    },
  };
  const probeStatuses = [
    { name: 'web', type: 'httpProbe', mode: 'Continuous', status: { verdict: 'Passed', description: '' } },
  ];
  const result = {
    metadata: { name: 'loose-pod-delete', namespace: 'shop' },
    spec: { engine: 'loose', experiment: 'pod-delete' },
    status: { runId: 'r', experimentStatus: { phase: 'Completed', verdict: 'Pass' }, probeStatuses },
  };
  const objects: Partial<Record<ClusterKind, readonly object[]>> = {
    ChaosEngine: [engine],
    ChaosResult: [result],
  };
  const around = chaosAround({ nowMs: NOW, list: (kind) => (objects[kind] ?? []) as readonly KubeObject[] });
  const node = (id: string, name: string, type: string, phase: string, message = '') => ({
    ...{ id, name, displayName: name, type, phase, message, startedAt: at(0), finishedAt: at(9) },
  });
  const nodes = {
    'checkout-1795': node('checkout-1795', 'checkout-1795', 'Steps', 'Failed'),
    'checkout-1795-1': node('checkout-1795-1', 'chaos', 'Pod', 'Succeeded'),
    'checkout-1795-2': node('checkout-1795-2', 'smoke-test', 'Pod', 'Failed', 'main: Error (exit code 3)'),
  };
  const over = (phase: string) => ({
    ...WORKFLOW,
    status: { phase, startedAt: at(0), finishedAt: at(9), nodes },
  });
  assert.equal(objectState('Workflow', over('Failed') as never, around)?.state, 'failedByStep');
  assert.equal(objectState('Workflow', over('Succeeded') as never, around)?.state, 'passed');
});

for (const [engineState, state] of [
  ['active', 'pending'],
  ['stop', 'stopped'],
] as const) {
  test(`an engine that no operator has taken up, whose engineState is ${engineState}, is ${state}`, () => {
    const engine = { metadata: { name: 'web', namespace: 'shop' }, spec: { engineState, experiments: [] } };
    const around = chaosAround({ nowMs: NOW, list: () => [] });
    assert.equal(objectState('ChaosEngine', engine as never, around)?.state, state);
  });
}
