/** A few outages of the long run, every day. */
import { test } from 'node:test';
import { surviveOutages } from './outages.ts';

test('every last state arrives, in order, whatever dies', async () => {
  await surviveOutages({ seed: 1, events: 400, outages: 12 });
});
