import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deleteOrder, stopOrder } from './agent-orders.ts';
import { decideStop } from './decide-stop.ts';
import { runRow } from './testing/rows.ts';

test('a run that is over is not stopped', () => {
  assert.equal(decideStop(runRow({ completed: 1, phase: 'Completed' }), false), undefined);
});

const CASES: readonly [
  name: string,
  runID: string | null,
  wasWithdrawn: boolean,
  final: 0 | 1,
  inCluster: boolean,
][] = [
  ['whose order was withdrawn', null, true, 1, false],
  ['whose agent has not told of it', null, false, 0, false],
  ['that goes on', 'uid', false, 0, true],
];

for (const [name, run_id, wasWithdrawn, final, inCluster] of CASES) {
  test(`a run ${name} is stopped`, () => {
    assert.deepEqual(decideStop(runRow({ run_id }), wasWithdrawn), {
      columns: { phase: 'Stopped', completed: 1, ended_by: 'user', final },
      inCluster,
    });
  });
}

test('agents stop workflows by their id, and engines without one by deleting the object', () => {
  const run = runRow({ run_id: 'uid' });
  const byID = { manifest: '', namespace: '', externalData: 'uid' };
  assert.deepEqual(stopOrder(run, 'cronexperiment'), { requestType: 'workflow_run_stop', ...byID });
  assert.deepEqual(deleteOrder(run, 'experiment'), { requestType: 'workflow_run_delete', ...byID });
  for (const type of ['chaosengine', 'chaosschedule'] as const) {
    const { manifest, ...order } = stopOrder(run, type);
    assert.deepEqual(order, { requestType: 'delete', namespace: 'litmus', externalData: null });
    assert.deepEqual(JSON.parse(manifest), {
      apiVersion: 'litmuschaos.io/v1alpha1',
      kind: 'ChaosEngine',
      metadata: { name: 'shop-1', namespace: 'litmus' },
    });
    assert.deepEqual(deleteOrder(run, type), stopOrder(run, type));
  }
});
