import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Phase } from './actions.ts';
import { ENGINE_EVENTS } from './engine-events.ts';

test('events: reasons and texts are those that dashboards know', () => {
  const { initialized, completed, stopped, restarted } = ENGINE_EVENTS;
  const texts = [initialized('web'), completed(), stopped(), restarted()].map(
    ({ type, reason, message }) => `${type} ${reason}: ${message}`,
  );
  assert.deepEqual(texts, [
    'Normal ChaosEngineInitialized: Identifying app under test & launching web-runner',
    'Normal ChaosEngineCompleted: ChaosEngine completed, will delete or retain the resources according to jobCleanUpPolicy',
    'Normal ChaosEngineStopped: Chaos resources deleted successfully',
    'Normal RestartInProgress: ChaosEngine is restarted',
  ]);
});

test('events: a failure begins with its phase in parentheses', () => {
  const phases: readonly Phase[] = [
    'chaos start',
    'chaos running',
    'chaos stop',
    'chaos completion',
    'chaos restart',
  ];
  for (const phase of phases) {
    assert.deepEqual(ENGINE_EVENTS.failed(phase, 'no pods'), {
      type: 'Warning',
      reason: 'ChaosResourcesOperationFailed',
      message: `(${phase}) no pods`,
    });
  }
});
