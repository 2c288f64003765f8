import assert from 'node:assert/strict';
import { test } from 'node:test';
import { temporaryFolder } from '../../../test/support/turnsole.ts';
import { CommandError } from '../../services/errors.ts';
import { openCluster } from './open-cluster.ts';

test('a stop while the cluster starts is a stop and not a failure to start', async () => {
  const reason = new CommandError('stopped by SIGINT', 'STOPPED');
  await assert.rejects(
    openCluster({ withOperator: false, withWorkflows: false, warn: assert.fail }, AbortSignal.abort(reason)),
    reason,
  );
});

test('a stop while the components start closes the cluster and what has started already', async () => {
  await using folder = await temporaryFolder();
  const stop = new AbortController();
  const reason = new CommandError('stopped by SIGINT', 'STOPPED');
  const options = { isolation: 'none', dataDir: folder.path, withOperator: true, warn: assert.fail } as const;
  const stopped = openCluster(
    {
      ...options,
      // Asked for when the operator works.
      get withWorkflows() {
        stop.abort(reason);
        return true;
      },
    },
    stop.signal,
  );
  await assert.rejects(stopped, reason);
  // A folder serves one cluster at a time.
  const next = await openCluster({ ...options, withWorkflows: true }, new AbortController().signal);
  await next.close();
});
