/** The page on the real control plane, which looks at a real API server: signing in, a run as it happens, abort, and a restart in the middle. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, test } from 'node:test';
import { createApiServer } from '@turnsole/cluster/apiserver/index';
import { systemClock } from '@turnsole/kube/base/clock';
import { silentLogger } from '@turnsole/kube/base/log';
import type { KubeClient } from '@turnsole/kube/client/types';
import type { KubeObject } from '@turnsole/kube/kinds/core';
import { CUSTOM_RESOURCE_DEFINITIONS } from '@turnsole/kube/kinds/resources';
import { startApi } from '@turnsole/kube/testing/api';
import type { Page } from 'playwright-core';
import crds from '../../src/api/generated/crds.json' with { type: 'json' };
import { CHAOS_ENGINES, CHAOS_RESULTS, type ChaosEngine, type ChaosResult } from '../../src/api/index.ts';
import { ObservedCluster } from '../../src/controlplane/cluster/observed-cluster.ts';
import { TestServer } from '../../src/controlplane/server/testing/test-server.ts';
import { otherDatabase, type TestDatabase } from '../../src/controlplane/store/testing/databases.ts';
import { accessibilityProblems } from './axe.ts';
import { browserMissing, openPage, startBrowser } from './chromium.ts';
import { buildOnce } from './page-server.ts';

const NAMESPACE = 'default';
const PATH = '/ui/cluster/ChaosEngine/default/checkout';
const PASSWORD = 'First-1!pass';

/** A server that looks at an API server of its own, a page folder, and a browser. */
async function start(database: TestDatabase) {
  const [api, built, browser] = await Promise.all([startApi(createApiServer), buildOnce(), startBrowser()]);
  after(async () => {
    await browser.close();
    await Promise.all([built[Symbol.asyncDispose](), api[Symbol.asyncDispose]()]);
  });
  for (const crd of crds as unknown as KubeObject[])
    await api.client.create(CUSTOM_RESOURCE_DEFINITIONS, crd);
  const cluster = new ObservedCluster(api.client, 'cluster', systemClock, silentLogger);
  after(() => cluster.stop());
  cluster.start();
  const secretKey = randomBytes(32);
  const settings = { pageFolder: built.folder };
  const server = await TestServer.start(database, { cluster, settings, secretKey });
  const admin = await server.user('boss', 'admin');
  const user = { username: 'lena', password: PASSWORD, role: 'admin', email: '', name: '' };
  assert.equal((await server.rest('POST', '/create_user', user, admin)).status, 200);
  const address = await server.listen();
  const again = async () => {
    const next = await TestServer.start(database, {
      cluster,
      settings,
      secretKey,
      location: server.location,
    });
    await next.app.listen({ host: '127.0.0.1', port: Number(new URL(address).port) });
  };
  return { client: api.client, server, address, browser, again };
}

async function makeEngine(client: KubeClient): Promise<void> {
  const experiments = [{ name: 'pod-delete' }];
  const spec = { engineState: 'active', chaosServiceAccount: 'litmus', experiments };
  await client.create<ChaosEngine>(CHAOS_ENGINES, { metadata: { name: 'checkout' }, spec } as never, {
    namespace: NAMESPACE,
  });
}

/** A result of which so many seconds have passed since its chaos began. */
function result(message: string): object {
  const now = Date.now();
  const at = (secondsAgo: number): string => new Date(now - secondsAgo * 1000).toISOString();
  const actor = 'experiment/pod-delete';
  return {
    metadata: { name: 'checkout-pod-delete' },
    spec: { engine: 'checkout', experiment: 'pod-delete' },
    status: {
      experimentStatus: { phase: 'Running', verdict: 'Awaited' },
      probeStatuses: [
        { name: 'alive', type: 'httpProbe', mode: 'Continuous', status: { verdict: 'Awaited' } },
      ],
      ledger: {
        'r.r0.a': {
          ...{
            id: 'r.r0.a',
            fault: 'pod-network-latency',
            target: { kind: 'pod', namespace: 'shop', name: 'web-1' },
          },
          ...{ parameters: {}, state: 'injected', injectedAt: at(5) },
        },
      },
      timeline: [
        { time: at(10), actor, step: 'ExperimentStarted', message: 'begins' },
        { time: at(6), actor, step: 'ChaosStarted', message },
      ],
    },
  };
}

async function signIn(page: Page): Promise<void> {
  await page.getByLabel('User name').fill('lena');
  await page.getByLabel('Password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByLabel('New password').fill('Second-2!pass');
  await page.getByRole('button', { name: 'Change password and continue' }).click();
}

const database = otherDatabase('sqlite', true);
const skip = database === undefined ? 'no database here' : browserMissing;

test('a run is seen as it happens, through a restart of the server, and aborted; the list follows', {
  skip,
}, async () => {
  assert.ok(database !== undefined);
  const { client, address, server, again, browser } = await start(database);
  const { page, problems, requests } = await openPage(browser);
  await page.goto(`${address}${PATH}`);
  await signIn(page);
  await page.waitForURL('**/ui/project/*/runs/ChaosEngine%2Fdefault%2Fcheckout');
  // As in the project of `turnsole ui`, which has the cluster from the beginning.
  await server.agent(/\/project\/([^/]+)/.exec(page.url())?.[1] ?? '');
  problems.length = 0;
  await page.reload();

  await makeEngine(client);
  await page.getByRole('heading', { level: 1, name: 'checkout in default' }).waitFor();
  await page.getByText('live', { exact: true }).waitFor();
  await page.getByText('No step is recorded yet.').waitFor();
  await client.create<ChaosResult>(CHAOS_RESULTS, result('chaos begins') as never, { namespace: NAMESPACE });
  const inForce = page.getByText('In force now on pod shop/web-1; no probe has failed.');
  await inForce.waitFor();
  assert.deepEqual(await accessibilityProblems(page), []);
  assert.deepEqual(problems, []);

  await server.stop();
  await page.getByText(/^away since/).waitFor();
  assert.ok(await inForce.isVisible(), 'what is there stays');
  await again();
  await page.getByText('live', { exact: true }).waitFor();

  await page.keyboard.press('a');
  const dialog = page.getByRole('dialog', { name: 'Abort this run?' });
  await dialog.getByText('pod shop/web-1').waitFor();
  await dialog.getByRole('button', { name: 'Abort and revert' }).click();
  await dialog.waitFor({ state: 'detached' });
  const engine = await client.get<ChaosEngine>(CHAOS_ENGINES, 'checkout', { namespace: NAMESPACE });
  assert.equal(engine.spec?.engineState, 'stop');

  // Everybody who watches sees what becomes of it, target by target, and what the ledger says.
  const abort = page.getByRole('region', { name: 'Abort' });
  await abort.getByText('Reverting: 0 of 1 reverted.').waitFor();
  assert.equal(await page.getByRole('button', { name: /^Abort and revert/ }).count(), 0);
  await abort.getByRole('button', { name: 'pod shop/web-1' }).click();
  await page.getByRole('tab', { name: 'Ledger' }).click();
  const line = page.getByRole('row', { name: /^pod shop\/web-1 pod-network-latency injected/ });
  assert.equal(await line.getAttribute('aria-current'), 'true');
  const { page: other } = await openPage(browser);
  await other.context().addCookies(await page.context().cookies());
  await other.goto(page.url());
  await other.getByText('Reverting: 0 of 1 reverted.').waitFor();
  const reverted = { state: 'reverted', revertedAt: new Date().toISOString() };
  const patch = { status: { ledger: { 'r.r0.a': reverted } } };
  await client.patch(CHAOS_RESULTS, 'checkout-pod-delete', 'merge', patch, { namespace: NAMESPACE });
  for (const view of [page, other]) {
    await view.getByText('All 1 are reverted; the run is ending.').waitFor();
    await view.getByRole('row', { name: /^pod shop\/web-1 pod-network-latency reverted/ }).waitFor();
  }
  await other.close();
  assert.deepEqual(await accessibilityProblems(page), []);
  await page.getByRole('tab', { name: 'Command' }).click();
  await page
    .getByText('turnsole timeline checkout -n default --kubeconfig /kc -o html -f run.html')
    .waitFor();
  await page.getByRole('tab', { name: 'Settings' }).click();
  await page.getByText('The engine sets nothing').waitFor();

  await page.getByRole('link', { name: 'Cluster' }).click();
  const row = page.getByRole('link', { name: 'default/checkout' });
  await row.waitFor();
  assert.deepEqual(await accessibilityProblems(page), []);
  await client.delete(CHAOS_ENGINES, 'checkout', { namespace: NAMESPACE });
  // The result is what is left of the run.
  await page.getByRole('link', { name: 'default/checkout-pod-delete' }).waitFor();
  await page.getByLabel('Only with these words').fill('nothing like it');
  await page.getByRole('heading', { name: 'No object is like that' }).waitFor();
  assert.match(page.url(), /find=nothing/);
  await page.getByRole('button', { name: 'Show all' }).click();
  await page.getByRole('link', { name: 'default/checkout-pod-delete' }).waitFor();
  await client.delete(CHAOS_RESULTS, 'checkout-pod-delete', { namespace: NAMESPACE });
  await page.getByText('No chaos in this cluster').waitFor();
  await page.getByRole('button', { name: 'Halt all chaos' }).click();
  await page.getByLabel(/^Reason/).fill('too many errors');
  await page.getByRole('button', { name: 'Halt and revert' }).click();
  await page.getByText(/^Chaos is halted by .*: too many errors$/).waitFor();
  assert.deepEqual(await accessibilityProblems(page), []);
  await page.getByRole('button', { name: 'Resume' }).click();
  await page.getByRole('button', { name: 'Halt all chaos' }).waitFor();
  await page.goto(`${address}/ui/`);
  await page.waitForURL(`${address}/ui/cluster`);
  const isElsewhere = (url: string): boolean => !url.startsWith(`${address}/`);
  assert.deepEqual(requests.filter(isElsewhere), []);
});
