import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NAMESPACE, startStandIn } from '../../../test/support/stand-in-cluster.ts';
import { CommandError } from '../errors.ts';
import { pulledLevers, pullLever, releaseLever } from './lever.ts';

test('a lever is pulled in a namespace, and in one that is not there the words say what to do', async (context) => {
  const { client } = await startStandIn(context, { operator: false });
  await pullLever(client, NAMESPACE, 'a reason', 0);
  assert.deepEqual(
    (await pulledLevers(client, NAMESPACE)).map(({ reason }) => reason),
    ['a reason'],
  );
  assert.equal(await releaseLever(client, NAMESPACE), true);
  await assert.rejects(pullLever(client, 'missing', '', 0), (error: unknown) => {
    assert.ok(error instanceof CommandError);
    assert.deepEqual(
      [error.exitCode, error.message],
      [
        2,
        'there is no namespace missing on this cluster, so chaos cannot be halted in it; check -n, or halt everywhere with --all',
      ],
    );
    return true;
  });
});
