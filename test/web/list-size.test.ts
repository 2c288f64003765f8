/** What the list of a cluster costs before its first rows are seen: with 0, 50 and 5,000 runs the same requests, and nearly the same bytes. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { createApiServer } from '@turnsole/cluster/apiserver/index';
import { systemClock } from '@turnsole/kube/base/clock';
import { silentLogger } from '@turnsole/kube/base/log';
import type { KubeObject } from '@turnsole/kube/kinds/core';
import { CUSTOM_RESOURCE_DEFINITIONS } from '@turnsole/kube/kinds/resources';
import { startApi } from '@turnsole/kube/testing/api';
import crds from '../../src/api/generated/crds.json' with { type: 'json' };
import { ObservedCluster } from '../../src/controlplane/cluster/observed-cluster.ts';
import { TestServer } from '../../src/controlplane/server/testing/test-server.ts';
import { otherDatabase } from '../../src/controlplane/store/testing/databases.ts';
import { browserMissing, openPage, startBrowser } from './chromium.ts';
import { assertLight, type FirstViewCost, firstViewCost } from './first-view-cost.ts';
import { makeEngines } from './many-runs.ts';
import { buildOnce } from './page-server.ts';

/** Rows of the list at first. */
const FIRST_ROWS = 60;

const database = otherDatabase('sqlite', true);
const skip = database === undefined ? 'no database here' : browserMissing;

test('the first view of the runs of a cluster does not grow with their number; the others come when they are asked for', {
  skip,
}, async () => {
  assert.ok(database !== undefined);
  const [api, built, browser] = await Promise.all([startApi(createApiServer), buildOnce(), startBrowser()]);
  after(async () => {
    await browser.close();
    await Promise.all([built[Symbol.asyncDispose](), api[Symbol.asyncDispose]()]);
  });
  const { client } = api;
  for (const crd of crds as unknown as KubeObject[]) await client.create(CUSTOM_RESOURCE_DEFINITIONS, crd);
  const cluster = new ObservedCluster(client, 'cluster', systemClock, silentLogger);
  after(() => cluster.stop());
  cluster.start();
  const server = await TestServer.start(database, { cluster, settings: { pageFolder: built.folder } });
  const { token } = await server.user('lena', 'admin');
  const address = await server.listen();
  const costs: Record<string, FirstViewCost> = {};
  let before = 0;
  for (const [count, words] of [
    [0, 'No chaos in this cluster'],
    [50, '50 in all'],
    [5000, 'The newest of 5000'],
  ] as const) {
    await makeEngines(client, before, count);
    before = count;
    const cookie = server.cookieOf(token, address);
    costs[`${count} runs`] = await firstViewCost(browser, `${address}/ui/cluster`, cookie, words);
  }
  assertLight(costs);

  const { page } = await openPage(browser);
  await page.context().addCookies([server.cookieOf(token, address)]);
  await page.goto(`${address}/ui/cluster`);
  await page.getByText('The newest of 5000').waitFor();
  const table = page.getByRole('table', { name: 'Runs of the cluster' });
  assert.equal(await table.getAttribute('aria-rowcount'), String(FIRST_ROWS + 1));
  await page.getByLabel('Only with these words').fill('chaos-4242');
  await page.getByRole('link', { name: 'default/chaos-4242', exact: true }).waitFor();
  await page.getByLabel('Only with these words').fill('');
  await page.getByText('The newest of 5000').waitFor();
  await page.getByRole('button', { name: 'Show all' }).click();
  await page.getByText('5000 in all').waitFor();
  assert.match(page.url(), /rows=all/);
});
