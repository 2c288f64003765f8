import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chaosDataOf } from './chaos-data.ts';
import { withEarlier } from './earlier-data.ts';
import type { ChaosData } from './run-event.ts';

const ENGINE = {
  metadata: { name: 'e', uid: 'u-1', labels: { context: 'shop' } },
  spec: {},
  status: {
    engineStatus: 'completed',
    experiments: [
      {
        ...{ name: 'pod-delete', verdict: 'Pass', experimentPod: 'pod-delete-x', runner: 'e-runner' },
        lastUpdateTime: '2026-01-01T00:00:00Z',
      },
    ],
  },
};
const RESULT = {
  metadata: { name: 'e-pod-delete', labels: { chaosUID: 'u-1' } },
  spec: { engine: 'e', experiment: 'pod-delete' },
  status: { experimentStatus: { phase: 'Completed', verdict: 'Pass', probeSuccessPercentage: '100' } },
};

function dataOf(engine: object | undefined, result: object | undefined): ChaosData {
  const found = chaosDataOf({ name: 'e', namespace: 'n', engine: engine as never, result: result as never });
  assert.ok(found !== undefined);
  return found;
}

const whole = dataOf(ENGINE, RESULT);

test('an engine that was cleaned up is known as before, with what its result says now', () => {
  const later = {
    ...RESULT,
    status: { experimentStatus: { ...RESULT.status.experimentStatus, verdict: 'Fail' } },
  };
  const found = withEarlier(dataOf(undefined, later), whole);
  assert.deepEqual(
    { ...found, chaosResult: null },
    { ...whole, experimentVerdict: 'Fail', faultVerdict: 'Fail', chaosResult: null },
  );
  assert.equal(found.chaosResult?.status?.experimentStatus?.verdict, 'Fail');
});

test('a result that was deleted is known as before', () => {
  assert.deepEqual(withEarlier(dataOf(ENGINE, undefined), whole), whole);
});

test('another engine of the same name is another engine', () => {
  const other = dataOf({ ...ENGINE, metadata: { name: 'e', uid: 'u-2' } }, undefined);
  assert.deepEqual(withEarlier(other, whole), other);
  assert.deepEqual(withEarlier(other, undefined), other);
});

test('without the engine and an earlier report, its result still knows its uid, its pods and its time', () => {
  const closed = { runId: 'r', pod: 'pod-delete-x' };
  const timeline = [
    { time: '2026-01-01T00:00:00.000Z', actor: 'experiment/pod-delete', step: 'Verdict', message: '' },
  ];
  const found = dataOf(undefined, { ...RESULT, status: { ...RESULT.status, closed, timeline } });
  const { engineUID, experimentPod, runnerPod, lastUpdatedAt } = found;
  assert.deepEqual(
    { engineUID, experimentPod, runnerPod, lastUpdatedAt },
    { engineUID: 'u-1', experimentPod: 'pod-delete-x', runnerPod: 'e-runner', lastUpdatedAt: '1767225600' },
  );
  // LitmusChaos' experiments write neither.
  const { experimentPod: pod, lastUpdatedAt: time } = dataOf(undefined, RESULT);
  assert.deepEqual([pod, time], ['', '']);
});
