import assert from 'node:assert/strict';
import { test } from 'node:test';
import { averageScore, scoreCategories } from './experiment-answers.ts';

const scored = (completed_runs: number, score_sum: number) => ({ completed_runs, score_sum });

test('a mean has two decimals, also where the sum has lost some', () => {
  assert.equal(averageScore(scored(0, 0)), 0);
  assert.equal(averageScore(scored(3, 200)), 66.67);
  assert.equal(averageScore(scored(1, 0.1 + 0.2 - 0.3)), 0);
});

test('experiments stand in the range of their mean, and those that never ended in none', () => {
  const means = [0, 39.99, 40, 79.994, 79.996, 80, 100].map((mean) => scored(2, mean * 2));
  assert.deepEqual(scoreCategories([...means, scored(0, 0)]), [
    { id: 0, count: 2 },
    { id: 40, count: 2 },
    { id: 80, count: 3 },
  ]);
});
