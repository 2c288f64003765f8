import assert from 'node:assert/strict';
import { it } from 'node:test';
import { runSeeds } from './run.ts';

it('a killed API server loses nothing that was acknowledged, and its watches resume', async () => {
  const figures = await runSeeds(1, 10);
  assert.equal(figures.kills, 10);
  assert.ok(figures.acknowledged > 10);
});
