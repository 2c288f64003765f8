import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Workflow, WorkflowStatus } from '@turnsole/workflows/kinds/workflow';
import { formatSummary } from './summary.ts';

const STARTED = '2026-01-01T00:00:00Z';
const NOW = Date.parse(STARTED) + 7_000;

function linesOf(status: WorkflowStatus): readonly string[] {
  const workflow: Workflow = { metadata: { name: 'w' }, spec: {}, status: { startedAt: STARTED, ...status } };
  return formatSummary(workflow, NOW).filter((line) => /Duration|Progress/.test(line));
}

test('the estimated duration of a workflow is shown while it runs', () => {
  assert.deepEqual(linesOf({ phase: 'Running', estimatedDuration: 200, progress: '1/2' }), [
    'Duration:            7s',
    'EstimatedDuration:   3m20s',
    'Progress:            1/2',
  ]);
  assert.deepEqual(linesOf({ phase: 'Running' }), ['Duration:            7s']);
  const finishedAt = '2026-01-01T00:00:05Z';
  assert.deepEqual(linesOf({ phase: 'Succeeded', estimatedDuration: 200, finishedAt }), [
    'Duration:            5s',
  ]);
});
