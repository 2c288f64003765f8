import assert from 'node:assert/strict';
import { test } from 'node:test';
import { surviveKills } from './survive.ts';

test('processes that use an image store may be killed at any moment', async () => {
  // A few of the seeds of npm run test:crash:images. What an image store has after a kill, if anything, the moment decides.
  assert.ok((await surviveKills({ seed: 1, seeds: 4 })) >= 0);
});
