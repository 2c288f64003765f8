import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ENGINE_STATUSES } from '../api/schema/vocabulary.ts';
import { runIsOver } from './engine-end.ts';

test('a run is over when its engine is completed or stopped', () => {
  const states = [...ENGINE_STATUSES, '', undefined, null];
  assert.deepEqual(states.filter(runIsOver), ['completed', 'stopped']);
});
