import assert from 'node:assert/strict';
import { test } from 'node:test';
import { columnsOf, lastWeeks, periodMs } from './period.ts';

const at = (day: string, time = '00:00'): number => Date.parse(`${day}T${time}`);

test('the last weeks end today, and begin in the weekday after it', () =>
  assert.deepEqual(lastWeeks(12, at('2026-11-29', '15:30')), { from: '2026-09-07', to: '2026-11-29' }));

test('a period has its last day, and none is one that ends before it begins', () => {
  assert.deepEqual(periodMs({ from: '2026-11-24', to: '2026-11-24' }), {
    fromMs: at('2026-11-24'),
    toMs: at('2026-11-25'),
  });
  assert.equal(periodMs({ from: '2026-11-25', to: '2026-11-23' }), undefined);
  assert.equal(periodMs({ from: '', to: '2026-11-23' }), undefined);
});

for (const [from, to, count] of [
  ['2026-11-24', '2026-11-24', 1],
  ['2026-11-23', '2026-11-29', 1],
  ['2026-11-22', '2026-11-29', 2],
  ['2026-09-07', '2026-11-29', 12],
  ['2025-11-30', '2026-11-29', 11],
] as const) {
  test(`${from} to ${to} is ${count} columns`, () => {
    const period = periodMs({ from, to });
    assert.ok(period !== undefined);
    const columns = columnsOf(period, [at(from), at(to, '23:59')], (time) => time);
    assert.equal(columns.length, count);
    assert.equal(columns[0]?.items[0], at(from));
    assert.equal(columns.at(-1)?.items.at(-1), at(to, '23:59'));
    assert.equal(columns.flatMap(({ items }) => items).length, 2);
  });
}
