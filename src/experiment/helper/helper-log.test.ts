import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatHelperLine, formatOverBell, parseHelperLine, parseOverBell } from './helper-log.ts';

const TIME = '2030-01-01T00:00:01.500Z';

test('a step is a line of the timeline, the end of a fault is none', () => {
  const note = { step: 'Injected', object: 'pod/shop/web', message: 'loss hit pod shop/web' };
  const table: readonly [string, string, unknown, number | undefined][] = [
    ['a step', formatHelperLine(note, TIME), { ...note, time: TIME }, undefined],
    ['the end of a fault', formatOverBell(TIME), undefined, Date.parse(TIME)],
    ['an end without a time', formatOverBell('soon'), undefined, undefined],
    ['another bell', JSON.stringify({ time: TIME, bell: 'door' }), undefined, undefined],
    ['what a program says', 'nothing to do', undefined, undefined],
    ['half a line', '{"time":', undefined, undefined],
  ];
  for (const [name, line, step, overMs] of table) {
    assert.deepEqual([parseHelperLine(line), parseOverBell(line)], [step, overMs], name);
  }
});
