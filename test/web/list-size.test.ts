/** What the list of a cluster costs before its first rows are seen: with 0, 50 and 5,000 runs the same requests, and nearly the same bytes. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { createApiServer } from '@turnsole/cluster/apiserver/index';
import { systemClock } from '@turnsole/kube/base/clock';
import { silentLogger } from '@turnsole/kube/base/log';
import type { KubeClient } from '@turnsole/kube/client/types';
import type { KubeObject } from '@turnsole/kube/kinds/core';
import { CUSTOM_RESOURCE_DEFINITIONS } from '@turnsole/kube/kinds/resources';
import { startApi } from '@turnsole/kube/testing/api';
import type { Browser } from 'playwright-core';
import crds from '../../src/api/generated/crds.json' with { type: 'json' };
import { CHAOS_ENGINES, type ChaosEngine } from '../../src/api/index.ts';
import { ObservedCluster } from '../../src/controlplane/cluster/observed-cluster.ts';
import { TestServer } from '../../src/controlplane/server/testing/test-server.ts';
import { otherDatabase } from '../../src/controlplane/store/testing/databases.ts';
import { browserMissing, openPage, startBrowser } from './chromium.ts';
import { buildOnce } from './page-server.ts';

/** A first view is at once there on a slow line as well. */
const [MOST_REQUESTS, MOST_BYTES] = [22, 165_000];
/** Rows of the list at first. */
const FIRST_ROWS = 60;

/** Creates engines from one number to another, some at a time. */
async function makeEngines(client: KubeClient, from: number, to: number): Promise<void> {
  const spec = {
    ...{ engineState: 'stop', chaosServiceAccount: 'litmus' },
    experiments: [{ name: 'pod-delete' }],
  };
  for (let next = from; next < to; next += 50) {
    const names = Array.from({ length: Math.min(50, to - next) }, (_, index) => `chaos-${next + index}`);
    await Promise.all(
      names.map((name) =>
        client.create<ChaosEngine>(CHAOS_ENGINES, { metadata: { name }, spec } as never, {
          namespace: 'default',
        }),
      ),
    );
  }
}

/** Opens the list with an empty cache, and measures until it says this. */
async function firstView(
  browser: Browser,
  server: TestServer,
  address: string,
  token: string,
  words: string,
): Promise<{ requests: number; bytes: number }> {
  const { page, problems } = await openPage(browser);
  await page.context().addCookies([server.cookieOf(token, address)]);
  const session = await page.context().newCDPSession(page);
  await session.send('Network.enable');
  let [requests, bytes] = [0, 0];
  session.on('Network.requestWillBeSent', () => {
    requests += 1;
  });
  session.on('Network.loadingFinished', ({ encodedDataLength }) => {
    bytes += encodedDataLength;
  });
  session.on('Network.webSocketFrameReceived', ({ response }) => {
    bytes += response.payloadData.length;
  });
  await page.goto(`${address}/ui/cluster`);
  await page.getByText(words).waitFor();
  await page.waitForLoadState('networkidle');
  assert.deepEqual(problems, []);
  await page.context().close();
  return { requests, bytes };
}

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
  const measured: { requests: number; bytes: number }[] = [];
  let before = 0;
  for (const [count, words] of [
    [0, 'No chaos in this cluster'],
    [50, '50 in all'],
    [5000, 'The newest of 5000'],
  ] as const) {
    await makeEngines(client, before, count);
    before = count;
    measured.push(await firstView(browser, server, address, token, words));
  }
  for (const { requests, bytes } of measured)
    assert.ok(
      requests <= MOST_REQUESTS && bytes <= MOST_BYTES,
      `${JSON.stringify(measured)} for 0, 50 and 5,000 runs`,
    );

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
