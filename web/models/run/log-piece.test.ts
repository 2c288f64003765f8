import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addLines, linesWith, readLogPiece } from './log-piece.ts';

for (const [what, text, expected] of [
  [
    'a piece',
    '{"mainLogs":"a\\nb\\n","piece":0,"isLast":false}',
    { text: 'a\nb\n', isLast: false, problem: undefined },
  ],
  ['the last one', '{"mainLogs":"","piece":4,"isLast":true}', { text: '', isLast: true, problem: undefined }],
  [
    'why there is none',
    '{"mainLogs":"Failed","problem":"pods \\"x\\" not found","piece":0,"isLast":false}',
    { text: '', isLast: false, problem: 'pods "x" not found' },
  ],
  [
    'the whole of another agent',
    '{"mainLogs":"a\\n","chaosLogs":{"x":"b\\n"}}',
    { text: 'b\n', isLast: true, problem: undefined },
  ],
  [
    'a sentence',
    'Failed to get argo pod logs',
    { text: 'Failed to get argo pod logs', isLast: true, problem: undefined },
  ],
  [
    'an agent that is away',
    'INFRA ERROR : INFRA NOT CONNECTED',
    { text: '', isLast: true, problem: 'the agent is not connected, and logs are read from its cluster' },
  ],
] as const) {
  test(`a reply about a log is read: ${what}`, () => assert.deepEqual(readLogPiece(text), expected));
}

test('only the last lines of a log are kept, empty lines among them', () => {
  assert.deepEqual(addLines(['a'], 'b\n\nc\n', 3), ['b', '', 'c']);
  assert.deepEqual(addLines(['a'], '', 3), ['a']);
});

test('lines are found by what they hold', () => {
  const lines = ['Error: no', 'fine', 'an ERROR'];
  assert.deepEqual(linesWith(lines, 'error'), ['Error: no', 'an ERROR']);
  assert.equal(linesWith(lines, ''), lines);
});
