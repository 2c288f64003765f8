import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openCluster } from './cluster.ts';
import { CommandError } from './errors.ts';

test('a stop while the cluster starts is a stop and not a failure to start', async () => {
  const reason = new CommandError('stopped by SIGINT', 130);
  await assert.rejects(openCluster({ withOperator: false }, AbortSignal.abort(reason)), reason);
});
