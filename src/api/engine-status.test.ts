import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runIsOver } from './engine-status.ts';
import { ENGINE_STATUSES } from './schema/vocabulary.ts';

test('a run is over when its engine is completed or stopped', () => {
  const states = [...ENGINE_STATUSES, '', undefined, null];
  assert.deepEqual(states.filter(runIsOver), ['completed', 'stopped']);
});
