/** A few seeds of the long run, every day. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { surviveKills } from './survive.ts';

test('a server that is killed under load loses nothing that it has acknowledged, and no run is stuck', async () => {
  assert.ok((await surviveKills({ seed: 1, lives: 3 })) > 0);
});
