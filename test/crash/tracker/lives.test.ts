/** A few seeds of the long run, every day. */
import { test } from 'node:test';
import { createApiServer } from '@turnsole/cluster/apiserver/index';
import { startApi } from '@turnsole/kube/testing/api';
import { defineKinds } from '../../../src/components/event-tracker/testing/tracked-shop.ts';
import { surviveKills } from './kills.ts';
import { liveThrough } from './lives.ts';

test('no trigger is lost, and none is acted on twice by who heeds its id, wherever a tracker dies', async () => {
  await using api = await startApi(createApiServer);
  await defineKinds(api.client);
  for (let seed = 1; seed <= 12; seed++) await liveThrough(api.client, seed);
});

test('no trigger is lost, and none is acted on twice, when the process of a tracker is killed', async () => {
  await using api = await startApi(createApiServer);
  await defineKinds(api.client);
  await surviveKills(api, 1, 3);
});
