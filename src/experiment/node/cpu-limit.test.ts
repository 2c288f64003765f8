import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseCpuLimit } from './cpu-limit.ts';

test('the CPU limit of a cgroup', () => {
  const rows: [string, number | undefined][] = [
    ['50000 100000\n', 0.5],
    ['250000 100000', 2.5],
    ['max 100000', undefined],
    ['-1 100000', undefined],
    ['', undefined],
    [' ', undefined],
  ];
  for (const [text, expected] of rows) assert.equal(parseCpuLimit(text), expected, text);
});
