import assert from 'node:assert/strict';
import { test } from 'node:test';
import { linesAfter, timeOfLastLine } from './log-times.ts';

const AT = '2026-01-01T00:00:0';
const LINES = [`${AT}1.5Z one`, `${AT}1.51Z two`, `${AT}2Z three`, 'a line that was cut'];
const TEXT = `${LINES.join('\n')}\n`;

test('the time of the last line is that of the last one that has any', () => {
  assert.equal(timeOfLastLine(TEXT), `${AT}2Z`);
  assert.equal(timeOfLastLine('no time\n'), undefined);
  assert.equal(timeOfLastLine(''), undefined);
});

for (const [name, time, expected] of [
  ['the fraction of a second counts, whatever its length', `${AT}1.5Z`, LINES.slice(1)],
  ['a time without a fraction is the begin of its second', `${AT}1Z`, LINES],
  ['lines without a time go with those before them', `${AT}1.51Z`, LINES.slice(2)],
  ['nothing is later', `${AT}2Z`, []],
] as const) {
  test(`lines after a time: ${name}`, () => {
    assert.deepEqual(linesAfter(TEXT, time).split('\n').slice(0, -1), expected);
  });
}
