import assert from 'node:assert/strict';
import { test } from 'node:test';
import { workflowConditions } from './conditions.ts';

test('own conditions follow from phase and pods, those of others stay', () => {
  const present = [{ type: 'Theirs', status: 'True' }] as const;
  const typesOf = (phase: 'Running' | 'Succeeded', pods: number): string[] =>
    workflowConditions(present, { phase, pods }).map(({ type, status }) => `${type}=${status}`);
  assert.deepEqual(typesOf('Running', 1), ['PodRunning=True', 'Completed=False', 'Theirs=True']);
  assert.deepEqual(typesOf('Succeeded', 1), ['PodRunning=False', 'Completed=True', 'Theirs=True']);
  assert.deepEqual(typesOf('Running', 0), ['Completed=False', 'Theirs=True']);
});
