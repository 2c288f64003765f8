import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readAnswers } from './read-answer.ts';

const UNREADABLE = { problem: "the agent's answer could not be read", series: [], leftOut: 0 };

test('what an agent answers is bounded, and each query has its own', () => {
  const series = (n: number) => ({ labels: { pod: `web-${n}` }, values: [1, null, 'x', 2.5, 9] });
  const answer = {
    queries: [{ series: Array.from({ length: 9 }, (_, n) => series(n)), leftOut: 3 }, { problem: 'no' }],
  };
  const [first, second, third] = readAnswers(answer, 3, 4);
  assert.equal(first?.series.length, 8);
  assert.equal(first.leftOut, 3);
  assert.deepEqual(first.series[1], {
    labels: [{ name: 'pod', value: 'web-1' }],
    values: [1, null, null, 2.5],
  });
  assert.deepEqual(second, { problem: 'no', series: [], leftOut: 0 });
  assert.deepEqual(third, UNREADABLE);
});

for (const [name, answer] of [
  ['nothing', {}],
  ['no list', { queries: 'x' }],
  ['a list of nothing', { queries: [null] }],
  ['no series', { queries: [{ series: { length: 1 } }] }],
] as const) {
  test(`an answer that cannot be read: ${name}`, () => {
    assert.deepEqual(readAnswers(answer, 1, 4), [UNREADABLE]);
  });
}

test('series without values or labels are gaps', () => {
  assert.deepEqual(readAnswers({ queries: [{ series: [{}, 1] }] }, 1, 2), [
    { problem: null, series: [{ labels: [], values: [null, null] }], leftOut: 0 },
  ]);
});
