import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LogLine } from '../../../src/services/report/log-line.ts';
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

const line = (text: string, level?: LogLine['level']): LogLine => ({ atMs: undefined, level, text });

test('only the last lines of a log are kept, empty lines among them', () => {
  assert.deepEqual(addLines([line('a')], 'b\n\nc\n', 3), [line('b'), line(''), line('c')]);
  const before = [line('a')];
  assert.equal(addLines(before, '', 3), before);
});

test('lines have their times and levels, and nothing that would change how the rest is read', () => {
  assert.deepEqual(addLines([], '1970-01-01T00:00:01Z {"level":"warn","msg":"a\u202eb"}\n', 3), [
    { atMs: 1000, level: 'warn', text: 'a\\u202eb' },
  ]);
});

test('lines are found by what they hold, and by how much they matter', () => {
  const lines = [line('Error: no', 'error'), line('fine'), line('an ERROR', 'warn'), line('so', 'info')];
  assert.deepEqual(linesWith(lines, 'error'), [lines[0], lines[2]]);
  assert.deepEqual(linesWith(lines, '', 'warn'), [lines[0], lines[2]]);
  assert.deepEqual(linesWith(lines, 'an', 'error'), []);
  assert.equal(linesWith(lines, ''), lines);
});
