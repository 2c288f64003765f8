/** Metrics of a run: set by an owner, asked of a real Prometheus by a real agent, drawn on the time axis. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { deflateRawSync } from 'node:zlib';
import { createApiServer } from '@turnsole/cluster/apiserver/index';
import { startApi, type TestApi } from '@turnsole/kube/testing/api';
import type { Browser, Page } from 'playwright-core';
import { Scene } from '../../src/controlplane/experiment/testing/scene.ts';
import { executionText } from '../../src/controlplane/run/testing/execution.ts';
import { ACCOUNTS } from '../../src/controlplane/store/store.ts';
import { otherDatabase } from '../../src/controlplane/store/testing/databases.ts';
import { prometheusMissing, startPrometheus } from '../probes/support/prometheus.ts';
import { accessibilityProblems } from './axe.ts';
import { browserMissing, openPage, startBrowser } from './chromium.ts';
import { type BuiltFolder, buildOnce } from './page-server.ts';
import { startAgent } from './real-agent.ts';

const database = otherDatabase('sqlite', true);
const skip = database === undefined ? 'no database here' : browserMissing || prometheusMissing;

const ERRORS = 'errors{namespace="shop",code="500"}';

/** The names of the lanes of metrics, with what stands beside them. */
async function lanes(page: Page): Promise<(string | null)[]> {
  const names = await page.locator('.timeline-curve').all();
  return Promise.all(names.map((name) => name.getAttribute('title')));
}

/** Waits until a lane is called so, as far as the text says. */
function lane(page: Page, start: string): Promise<void> {
  return page.locator(`.timeline-curve[title^="${start}"]`).waitFor();
}

describe('metrics', { skip }, () => {
  let browser: Browser;
  let built: BuiltFolder;
  let api: TestApi;
  before(async () => {
    [built, browser, api] = await Promise.all([buildOnce(), startBrowser(), startApi(createApiServer)]);
  });
  after(async () => {
    await browser?.close();
    await api?.[Symbol.asyncDispose]();
    await built?.[Symbol.asyncDispose]();
  });

  /** A run that goes on and has hit a pod; its agent has no word of it but what is told here. */
  async function runOf(scene: Scene): Promise<void> {
    const { server, agent } = scene;
    await scene.save('e1');
    const startedAt = `${Math.floor(Date.now() / 1000) - 20}`;
    const text = JSON.stringify({ ...JSON.parse(executionText([])), startedAt });
    await scene.report({ experimentID: 'e1', runID: 'uid', text });
    const id = 'r.r1.a';
    const target = { kind: 'pod', namespace: 'shop', name: 'web-1' };
    const injectedAt = new Date(Date.now() - 5_000).toISOString();
    const entry = { id, fault: 'pod-delete', state: 'done', instant: true, injectedAt, target };
    const object = {
      ...{ metadata: { name: 'e', namespace: 'litmus' }, spec: { engine: 'e', experiment: 'pod-delete' } },
      status: { ledger: { [id]: entry } },
    };
    const record = {
      kind: 'ChaosResult',
      namespace: 'litmus',
      name: 'e',
      object,
      known: 0,
      steps: [],
      leftOut: 0,
    };
    const packed = deflateRawSync(JSON.stringify(record)).toString('base64');
    const r = { infraID: agent, experimentRunID: 'uid', record: packed };
    await server.data('mutation ($r: RunRecordRequest!) { runRecord(request: $r) }', { r });
  }

  test('an owner sets a Prometheus; the run page draws its series and names the query that fails', {}, async () => {
    assert.ok(database !== undefined);
    const scene = await Scene.start(database, { settings: { pageFolder: built.folder } });
    const address = await scene.server.listen();
    await using prometheus = await startPrometheus(
      new Map([
        [ERRORS, 3],
        ['errors{namespace="shop",code="503"}', 5],
        ['errors{namespace="other",code="500"}', 9],
      ]),
    );
    await runOf(scene);
    await using _agent = await startAgent(api, scene.agent, address);
    const { page, problems } = await openPage(browser);
    await page.context().addCookies([scene.server.cookieOf(scene.owner.token, address)]);
    const list = `${address}/ui/project/${scene.project}/infrastructures`;
    await page.goto(list);
    await page.getByRole('button', { name: 'Metrics of cluster: none' }).click();
    const form = page.getByRole('region', { name: 'Metrics of cluster' });
    await form.getByLabel('Address of the Prometheus').fill(`${prometheus.endpoint}/`);
    await form.getByLabel('Query 1 is called').fill('errors');
    await form.getByLabel('Unit of query 1').fill('1/s');
    await form.getByLabel('PromQL of query 1').fill('errors{namespace=~"{{namespaces}}"}');
    await form.getByRole('button', { name: 'One more query' }).click();
    await form.getByLabel('Query 2 is called').fill('broken');
    await form.getByLabel('PromQL of query 2').fill('sum(');
    assert.deepEqual(await accessibilityProblems(page), []);
    await form.getByRole('button', { name: 'Set metrics' }).click();
    await form.getByText(/Failed: queries\[0\]\.query: \{\{namespaces\}\} is no placeholder/).waitFor();
    await form.getByLabel('PromQL of query 1').fill('errors{namespace=~"{{namespace}}"}');
    await form.getByRole('button', { name: 'Set metrics' }).click();
    await form.waitFor({ state: 'detached' });

    await page.goto(`${address}/ui/project/${scene.project}/runs/uid`);
    await lane(page, 'errors code=500, 3 1/s');
    await lane(page, 'errors code=503, 5 1/s');
    assert.equal((await lanes(page)).length, 2, 'what another namespace has is no lane');
    await page.getByText('Metrics (2)').waitFor();
    await page.getByText(/^broken: status 400, bad_data: .*parse error/).waitFor();
    assert.deepEqual(await accessibilityProblems(page), []);
    // It goes on, and is asked for again.
    prometheus.metrics.set(ERRORS, 50);
    await lane(page, 'errors code=500, 3 to 50 1/s');
    await page.getByRole('button', { name: 'Show the marks as a table (t)' }).click();
    await page
      .getByRole('row', { name: /Metrics errors code=500 measured 3 1\/s/ })
      .first()
      .waitFor();

    await scene.server.plane.store.transaction(ACCOUNTS, ({ db }) =>
      db.updateTable('members').set({ role: 'Viewer' }).where('user_id', '=', scene.owner.id).execute(),
    );
    await page.goto(list);
    await page.getByRole('button', { name: 'Metrics of cluster: of a Prometheus' }).click();
    await form.getByText('An Owner of the project may change it.').waitFor();
    await form.getByText('errors{namespace=~"{{namespace}}"}').waitFor();
    assert.equal(await form.getByRole('button').count(), 0);
    assert.deepEqual(await accessibilityProblems(page), []);
    assert.deepEqual(problems, []);
  });
});
