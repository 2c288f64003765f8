import assert from 'node:assert/strict';
import { test } from 'node:test';
import { podLogs } from './pod-logs.ts';

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
