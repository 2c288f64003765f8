/** A few seeds of the long run, every day. */
import { test } from 'node:test';
import { createApiServer } from '@turnsole/cluster/apiserver/index';
import { startApi } from '@turnsole/kube/testing/api';
import { CRON_WORKFLOWS, WORKFLOWS } from '@turnsole/workflows/kinds/resources';
import { defineKinds } from '../../../src/components/workflow-controller/testing/cron-world.ts';
import { runSeed } from './run-seed.ts';

test('no scheduled time is run twice, whenever controllers die', async (t) => {
  const api = await startApi(createApiServer);
  t.after(() => api[Symbol.asyncDispose]());
  await defineKinds(api.client, WORKFLOWS, CRON_WORKFLOWS);
  for (let seed = 1; seed <= 6; seed += 1)
    await t.test(`seed ${seed}`, () => runSeed(api, seed).then(() => {}));
});
