import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type LogLine, readLogLine } from './log-line.ts';

const AT = '2026-01-01T00:00:01.5Z';
const ROWS: readonly (readonly [name: string, line: string, expected: Partial<LogLine>])[] = [
  [
    'a component of ours, with the time of the server',
    `${AT} {"level":"warn","time":"2026-01-01T00:00:01Z","component":"runner","engine":"shop/web","job":"j-1","msg":"a Job failed"}`,
    { atMs: Date.parse(AT), level: 'warn', text: 'a Job failed job=j-1' },
  ],
  [
    'pino with numbers',
    '{"level":50,"time":1000,"pid":1,"hostname":"h","msg":"no"}',
    { atMs: 1000, level: 'error', text: 'no' },
  ],
  [
    'an error is its message, without its stack',
    '{"level":"error","err":{"type":"Error","message":"gone","stack":"Error: gone\\n at x"},"msg":"it failed"}',
    { level: 'error', text: 'it failed err=gone' },
  ],
  [
    'logfmt, as LitmusChaos writes it',
    'time="2026-01-01T00:00:02Z" level=info msg="[Info]: say \\"go\\"" pod=web-1',
    { atMs: Date.parse('2026-01-01T00:00:02Z'), level: 'info', text: '[Info]: say "go" pod=web-1' },
  ],
  ['klog', 'E0102 15:04:05.000000       1 file.go:12] no route', { level: 'error' }],
  ['a word of a level', '[2026] ERROR: no route', { level: 'error', text: '[2026] ERROR: no route' }],
  ['a word far behind is none of the line', `${'x'.repeat(50)} ERROR`, { level: undefined }],
  ['any text', 'GET / 200', { atMs: undefined, level: undefined, text: 'GET / 200' }],
  ['JSON that is no log', '{"a":1}', { level: undefined, text: '{"a":1}' }],
  ['half of a JSON line', '{"level":"error","msg":"x', { text: '{"level":"error","msg":"x' }],
  ['an empty line with a time', `${AT} `, { atMs: Date.parse(AT), text: '' }],
  ['a name of every object is no level', '{"level":"constructor","msg":"x"}', { level: undefined }],
];

for (const [name, line, expected] of ROWS) {
  test(`a line of a log: ${name}`, () => {
    const read = readLogLine(line);
    for (const [key, value] of Object.entries(expected)) assert.equal(read[key as keyof LogLine], value, key);
  });
}
