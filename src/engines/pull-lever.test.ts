import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NAMESPACE, startStandIn } from '../../test/support/stand-in-cluster.ts';
import { pullLever } from './pull-lever.ts';

test('a lever that is pulled again keeps its time, and its reason unless a new one is given', async (context) => {
  const { client } = await startStandIn(context, { operator: false });
  const pull = async (by: string, reason: string, nowMs: number): Promise<(string | undefined)[]> => {
    const { by: whose, reason: why, since } = await pullLever(client, NAMESPACE, { by, reason, nowMs });
    return [whose, why, since];
  };
  assert.deepEqual(await pull('olga', 'an incident', 0), ['olga', 'an incident', '1970-01-01T00:00:00.000Z']);
  assert.deepEqual(await pull('paul', '', 1), ['olga', 'an incident', '1970-01-01T00:00:00.000Z']);
  assert.deepEqual(await pull('paul', 'a release', 2), ['paul', 'a release', '1970-01-01T00:00:00.000Z']);
});
