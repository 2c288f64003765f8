/** `npm run test:crash:cron -- --seeds 1000`: CronWorkflows whose controllers die; see run-seed.ts. */

import { createApiServer } from '@turnsole/cluster/apiserver/index';
import { startApi } from '@turnsole/kube/testing/api';
import { CRON_WORKFLOWS, WORKFLOWS } from '@turnsole/workflows/kinds/resources';
import { defineKinds } from '../../../src/components/workflow-controller/testing/cron-world.ts';
import { readSeedRange, runSeeds } from '../../support/seeds.ts';
import { runSeed } from './run-seed.ts';

const EVERYDAY_SEEDS = 100;

const api = await startApi(createApiServer);
await defineKinds(api.client, WORKFLOWS, CRON_WORKFLOWS);
const range = readSeedRange(process.argv.slice(2), EVERYDAY_SEEDS);
process.exitCode = await runSeeds(range, 'test:crash:cron', (seed) => runSeed(api, seed));
await api[Symbol.asyncDispose]();
