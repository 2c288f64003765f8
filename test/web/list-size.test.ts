/**
 * What first views cost before they are seen, the list of a cluster and a run of a server: with few runs and with 5,000 the same requests, and nearly
 * the same bytes.
 */
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
import type { Scene } from '../../src/controlplane/experiment/testing/scene.ts';
import { TestServer } from '../../src/controlplane/server/testing/test-server.ts';
import { projectScope } from '../../src/controlplane/store/store.ts';
import { otherDatabase } from '../../src/controlplane/store/testing/databases.ts';
import { browserMissing, openPage, startBrowser } from './chromium.ts';
import { checkoutRun } from './fixtures/execution.ts';
import { buildOnce } from './page-server.ts';
import { startProject } from './project-page.ts';

/** A first view is at once there on a slow line as well. */
const [MOST_REQUESTS, MOST_BYTES] = [22, 165_000];
/** Runs that are stored at once. */
const PIECE = 500;
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

/** What a first view has cost. */
interface Cost {
  readonly requests: number;
  readonly bytes: number;
}

/** Opens an address with an empty cache, and measures until it says this. */
async function firstView(
  browser: Browser,
  server: TestServer,
  address: string,
  token: string,
  words: string | RegExp,
): Promise<Cost> {
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
  await page.goto(address);
  await page.getByText(words).first().waitFor();
  await page.waitForLoadState('networkidle');
  assert.deepEqual(problems, []);
  await page.context().close();
  return { requests, bytes };
}

function assertLight(measured: readonly Cost[], of: string): void {
  for (const { requests, bytes } of measured)
    assert.ok(
      requests <= MOST_REQUESTS && bytes <= MOST_BYTES,
      `${JSON.stringify(measured)} for ${of}, at most ${MOST_REQUESTS} requests and ${MOST_BYTES} bytes`,
    );
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
  const measured: Cost[] = [];
  let before = 0;
  for (const [count, words] of [
    [0, 'No chaos in this cluster'],
    [50, '50 in all'],
    [5000, 'The newest of 5000'],
  ] as const) {
    await makeEngines(client, before, count);
    before = count;
    measured.push(await firstView(browser, server, `${address}/ui/cluster`, token, words));
  }
  assertLight(measured, '0, 50 and 5,000 runs');

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

test('the first view of a run does not grow with the number of runs of its experiment', {
  skip,
}, async () => {
  const { scene, browser, address } = await startProject();
  const { server, project, owner } = scene;
  const path = `${address}/ui/project/${project}/runs`;
  const measured = [await firstView(browser, server, path, owner.token, 'Nothing was run yet')];
  await scene.save('e1');
  const report = { experimentID: 'e1', runID: 'run-1', notifyID: await scene.run('e1'), completed: true };
  await scene.report({ ...report, text: checkoutRun(true).executionData ?? '' });
  for (const [from, to] of [
    [2, 1],
    [2, 50],
    [51, 5000],
  ] as const) {
    await addRuns(scene, from, to);
    measured.push(await firstView(browser, server, `${path}/run-1`, owner.token, /^The steps/));
  }
  assertLight(measured, 'no run, and a run of 1, 50 and 5,000');
});

/** Copies the run of a scene, from one number to another. */
async function addRuns({ server, project }: Scene, from: number, to: number): Promise<void> {
  const { store } = server.plane;
  const first = await store.read.selectFrom('runs').selectAll().executeTakeFirstOrThrow();
  for (let next = from; next <= to; next += PIECE) {
    const rows = Array.from({ length: Math.min(PIECE, to - next + 1) }, (_, index) => {
      const id = `run-${next + index}`;
      return { ...first, key: id, run_id: id, notify_id: id, name: id, sequence: next + index };
    });
    await store.transaction(projectScope(project), ({ db }) => db.insertInto('runs').values(rows).execute());
  }
}
