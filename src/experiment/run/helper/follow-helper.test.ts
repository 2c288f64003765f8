import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock } from '@turnsole/kube/base/clock';
import type { KubeClient } from '@turnsole/kube/client/types';
import type { Run } from '../lifecycle/run.ts';
import { stopHelpers } from './follow-helper.ts';

test('a helper that could not be deleted is waited for', async () => {
  const asked: string[] = [];
  // It is alive when it is to be deleted, and gone when it is waited for.
  const client = {
    find: async () => {
      asked.push('find');
      return asked.length > 1 ? undefined : { metadata: { name: 'helper' }, status: { phase: 'Running' } };
    },
    delete: async () => {
      asked.push('delete');
      throw new Error('no API server');
    },
  } as unknown as KubeClient;
  const settings = { namespace: 'chaos', experiment: 'pod-delete' };
  // Nothing else of a run is used to stop helpers.
  const run = { client, clock: systemClock, settings, fault: {} } as unknown as Run;
  await stopHelpers(run, ['helper'], { all: false });
  assert.deepEqual(asked, ['find', 'delete', 'find']);
});
