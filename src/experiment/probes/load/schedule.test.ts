import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { dueAtMs, dueBy, turnsOf } from './schedule.ts';

describe('when requests are due', () => {
  const table: readonly [string, { rate: number; rampMs: number }, number, number][] = [
    ['the first one is due at once', { rate: 100, rampMs: 0 }, 0, 1],
    ['one every 10 ms', { rate: 100, rampMs: 0 }, 9.9, 1],
    ['the second after 10 ms', { rate: 100, rampMs: 0 }, 10, 2],
    ['101 in a second, the last of them at its end', { rate: 100, rampMs: 0 }, 1000, 101],
    ['none before the beginning', { rate: 100, rampMs: 0 }, -1, 0],
    ['one in two seconds', { rate: 0.5, rampMs: 0 }, 1999, 1],
    ['half of them in a ramp', { rate: 100, rampMs: 1000 }, 1000, 51],
    ['a quarter of those in the first half of the ramp', { rate: 100, rampMs: 1000 }, 500, 13],
    ['the whole rate behind the ramp', { rate: 100, rampMs: 1000 }, 2000, 151],
  ];
  for (const [name, pace, elapsedMs, expected] of table)
    it(name, () => assert.equal(dueBy(pace, elapsedMs), expected));

  it('counts exactly those whose moment has come', () => {
    const pace = fc.record({
      rate: fc.double({ min: 0.1, max: 10_000, noNaN: true }),
      rampMs: fc.nat(20_000),
    });
    fc.assert(
      fc.property(pace, fc.double({ min: 0, max: 60_000, noNaN: true }), (given, elapsedMs) => {
        const count = dueBy(given, elapsedMs);
        assert.ok(dueAtMs(given, count - 1) <= elapsedMs, 'the last one is due');
        assert.ok(dueAtMs(given, count) > elapsedMs, 'the next one is not');
      }),
    );
  });
});

describe('the order of requests', () => {
  const table: readonly [readonly number[], string][] = [
    [[1], '0'],
    [[1, 1, 1], '012'],
    [[5, 5], '01'],
    [[2, 1], '010'],
    [[5, 1, 1], '0010200'],
  ];
  for (const [weights, expected] of table)
    it(`${weights}`, () => assert.equal(turnsOf(weights).join(''), expected));
});
