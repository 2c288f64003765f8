import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { DurationError, parseDuration } from './duration.ts';

test('durations are read as Go reads them', () => {
  const table: readonly [string, number][] = [
    ['', 0],
    ['  ', 0],
    ['0', 0],
    ['+0', 0],
    ['0s', 0],
    ['5s', 5000],
    ['100ms', 100],
    ['1m30s', 90_000],
    ['1h0.5m', 3_630_000],
    ['0.5s', 500],
    ['.5s', 500],
    ['1.s', 1000],
    ['-1s', -1000],
    ['1500us', 1.5],
    ['1500µs', 1.5],
    ['1500μs', 1.5],
    ['2000000ns', 2],
  ];
  for (const [text, expected] of table) assert.equal(parseDuration(text), expected, JSON.stringify(text));
});

test('what is no duration is refused with a hint', () => {
  for (const text of ['5', '-3', '1.5']) {
    assert.throws(() => parseDuration(text), new RegExp(`unit is missing; write ${text}s`));
  }
  for (const text of ['5 s', ' 5s', '5S', 's', '5sec', '1m 30s', '1d', '.s', '5s-1s', 'abc']) {
    assert.throws(() => parseDuration(text), DurationError, JSON.stringify(text));
  }
});

test('the parts of a duration add up', () => {
  const whole = fc.integer({ min: 0, max: 10_000 });
  fc.assert(
    fc.property(whole, whole, whole, whole, (hours, minutes, seconds, ms) => {
      const expected = hours * 3_600_000 + minutes * 60_000 + seconds * 1000 + ms;
      assert.equal(parseDuration(`${hours}h${minutes}m${seconds}s${ms}ms`), expected);
    }),
  );
});
