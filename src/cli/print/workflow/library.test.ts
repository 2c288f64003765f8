import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatLibrary } from './library.ts';

const cron = (name: string, schedule: string) => ({
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'CronWorkflow',
  metadata: { name, creationTimestamp: '2026-01-01T00:00:00Z' },
  spec: { schedules: [schedule], workflowSpec: {} },
});

test('a schedule that cannot be read says why it starts nothing', () => {
  const look = { nowMs: Date.parse('2026-01-01T00:01:00Z'), withNamespace: false };
  const text = formatLibrary([cron('good', '0 4 * * *'), cron('wrong', '61 * * * *')], look).join('\n');
  assert.match(text, /good .*0 4 \* \* \* {2}/);
  assert.match(text, /wrong .*61 \* \* \* \* \(starts nothing: cron schedule 61 \* \* \* \* is malformed: /);
});
