import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CommandError } from '../services/errors.ts';
import { openCluster } from './cluster.ts';

test('a stop while the cluster starts is a stop and not a failure to start', async () => {
  const reason = new CommandError('stopped by SIGINT', 'STOPPED');
  await assert.rejects(
    openCluster({ withOperator: false, withWorkflows: false }, AbortSignal.abort(reason)),
    reason,
  );
});
