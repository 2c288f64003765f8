import assert from 'node:assert/strict';
import { test } from 'node:test';
import { spanOf } from './span.ts';

const START = 1_700_000_000_000;
const S = 1_000;
const DAY = 86_400 * S;

/** Seconds from the start of the run. */
function shown(
  endS: number | undefined,
  nowS: number,
): [from: number, to: number, step: number, final: boolean] {
  const endMs = endS === undefined ? undefined : START + endS * S;
  const { fromMs, toMs, stepMs, isFinal } = spanOf({ startMs: START, endMs }, START + nowS * S);
  return [(fromMs - START) / S, (toMs - START) / S, stepMs / S, isFinal];
}

for (const [name, endS, nowS, expected] of [
  ['a run that was a minute', 60, 10_000, [-30, 90, 1, true]],
  ['a tenth of a long one', 1_000, 10_000, [-101, 1_099, 3, true]],
  ['one that has just ended', 60, 70, [-30, 70, 1, false]],
  ['one whose margin is just over', 60, 90, [-30, 90, 1, true]],
  ['one that runs', undefined, 60, [-30, 60, 1, false]],
  ['one that has just begun', undefined, 0, [-30, 0, 1, false]],
  ['a clock that is behind that of the agent', undefined, -20, [-30, 0, 1, false]],
  ['an end before the start', -5, 100, [-30, 30, 1, true]],
] as const) {
  test(`the time of metrics: ${name}`, () => {
    assert.deepEqual(shown(endS, nowS), expected);
  });
}

test('however long a run was, a series has at most 500 moments, and more than 240', () => {
  for (let lengthMs = 500 * S; lengthMs < 400 * DAY; lengthMs = Math.round(lengthMs * 1.07 + 13)) {
    const { fromMs, toMs, stepMs } = spanOf({ startMs: START, endMs: START + lengthMs }, START + 1_000 * DAY);
    const moments = (toMs - fromMs) / stepMs + 1;
    assert.ok(Number.isInteger(moments) && moments <= 500 && moments > 240, `${lengthMs}: ${moments}`);
    assert.equal(fromMs % stepMs, 0);
    assert.ok(fromMs <= START && toMs >= START + lengthMs);
  }
});

test('a run that goes on is asked for at the same moments again', () => {
  const at = (nowS: number) => spanOf({ startMs: START, endMs: undefined }, START + nowS * S);
  assert.equal(at(200).fromMs, at(215).fromMs);
  assert.equal(at(200).stepMs, at(215).stepMs);
});
