/** "Did we get better?" on a real control plane whose agent is in a real cluster: services over weeks, what was never tried, the link, the paper. */
import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import { createApiServer } from '@turnsole/cluster/apiserver/index';
import { startApi, type TestApi } from '@turnsole/kube/testing/api';
import type { Browser } from 'playwright-core';
import { Scene } from '../../src/controlplane/experiment/testing/scene.ts';
import { otherDatabase } from '../../src/controlplane/store/testing/databases.ts';
import { accessibilityProblems } from './axe.ts';
import { browserMissing, closePages, openPage, startBrowser, type WatchedPage } from './chromium.ts';
import { ranBefore, resultOf } from './fixtures/weeks.ts';
import { type BuiltFolder, buildOnce } from './page-server.ts';
import { picture } from './picture.ts';
import { makeApplication, startAgent } from './real-agent.ts';

const database = otherDatabase('sqlite', true);
const skip = database === undefined ? 'no database here' : browserMissing;
describe('whether services got better', { skip }, () => {
  let browser: Browser;
  let built: BuiltFolder;
  let api: TestApi;
  before(async () => {
    [built, browser, api] = await Promise.all([buildOnce(), startBrowser(), startApi(createApiServer)]);
  });
  afterEach(() => closePages(browser));
  after(async () => {
    await browser?.close();
    await api?.[Symbol.asyncDispose]();
    await built?.[Symbol.asyncDispose]();
  });

  async function begin(): Promise<{ scene: Scene; address: string }> {
    assert.ok(database !== undefined);
    const scene = await Scene.start(database, { settings: { pageFolder: built.folder } });
    return { scene, address: await scene.server.listen() };
  }

  async function open(
    { scene, address }: { scene: Scene; address: string },
    path: string,
  ): Promise<WatchedPage> {
    const watched = await openPage(browser);
    await watched.page.context().addCookies([scene.server.cookieOf(scene.owner.token, address)]);
    await watched.page.goto(`${address}/ui/project/${scene.project}/${path}`);
    return watched;
  }

  test('services stand with what got worse first; the link holds the period; what was never tried is one click from its experiment', {}, async () => {
    const { scene, address } = await begin();
    await makeApplication(api.client, 'shop', 'web', 3);
    await makeApplication(api.client, 'pay', 'till', 2);
    await scene.save('e1');
    await ranBefore(scene, 'e1', 'w1', 60, 100, resultOf('web', 2));
    await ranBefore(scene, 'e1', 'w2', 30, 100, resultOf('web', 3));
    await ranBefore(scene, 'e1', 'w3', 2, 0, resultOf('web', 9));
    await ranBefore(scene, 'e1', 'a1', 20, 100, resultOf('api', 4));
    await ranBefore(scene, 'e1', 'a2', 9, 100, resultOf('api', 2));
    await ranBefore(scene, 'e1', 'nothing', 1, 100, undefined);
    await ranBefore(scene, 'e1', 'older', 200, 0, resultOf('older', 2));
    await using _agent = await startAgent(api, scene.agent, address);
    const { page, problems } = await open({ scene, address }, 'overview');
    await page.getByRole('link', { name: 'Did we get better?' }).click();
    await page
      .getByText('2 services were tried in 5 runs; 1 got worse: shop/web.', { exact: true })
      .waitFor();
    await page.waitForURL(/from=\d{4}-\d\d-\d\d&to=\d{4}-\d\d-\d\d/);
    const link = page.url();
    const rows = page.getByRole('table', { name: 'Services, first what got worse' }).getByRole('row');
    assert.match((await rows.nth(1).textContent()) ?? '', /shop\/web.*9 s, before 3 s50 points worse/s);
    assert.match((await rows.nth(2).textContent()) ?? '', /shop\/api.*2 s, before 4 sas before/s);
    await rows
      .nth(1)
      .getByRole('link', { name: /^Run 3 of shop, .*: Failed by a probe, score 0$/ })
      .waitFor();
    assert.equal(await rows.nth(1).getByRole('listitem').count(), 12);
    await page.getByText(/^1 run has no mark here/).waitFor();

    const never = page.getByRole('region', { name: 'Never tried' });
    await never.getByText('pay/till').waitFor();
    assert.equal(await never.getByText('shop/web').count(), 0);
    await picture(page, 'trends');
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      assert.deepEqual(await accessibilityProblems(page), []);
    }
    await page.setViewportSize({ width: 390, height: 844 });
    assert.equal(
      await page.evaluate('document.documentElement.scrollWidth <= document.documentElement.clientWidth'),
      true,
      'nothing is wider than a telephone',
    );
    await page.setViewportSize({ width: 1400, height: 900 });

    await page.emulateMedia({ media: 'print', colorScheme: 'light' });
    assert.ok(!(await page.getByRole('button', { name: 'Print' }).isVisible()));
    assert.ok(!(await page.getByRole('navigation', { name: 'Pages' }).isVisible()));
    await page.getByText(/^\d+ \w+ \d{4} to \d+ \w+ \d{4}$/).waitFor();
    await page.emulateMedia({ media: 'screen' });

    await page.getByText('As Markdown').click();
    const markdown = (await page.locator('pre').textContent()) ?? '';
    assert.match(
      markdown,
      /\n\| shop\/web \| (· )*✓ .*✗ \| 50 points worse \| 9 s, before 3 s \| Failed by a probe \|\n/,
    );
    assert.match(markdown, /Never tried: pay\/till/);

    await page.getByRole('button', { name: 'One year' }).click();
    await page.getByText(/^3 services were tried in 6 runs/).waitFor();
    await page.goto(link);
    await page.getByText(/^2 services were tried in 5 runs/).waitFor();

    await never.getByRole('link', { name: 'Delete one of its pods: pay/till' }).click();
    const sentence = page.getByRole('region', { name: 'The experiment as a sentence' });
    await sentence.getByLabel('The deployment that is hit').waitFor();
    assert.equal(await sentence.getByLabel('The deployment that is hit').inputValue(), 'till');
    assert.equal(await sentence.getByLabel('Its space in the cluster').inputValue(), 'pay');
    assert.equal(await sentence.getByLabel('Cluster that it runs on').inputValue(), scene.agent.infraID);
    assert.equal(await page.getByLabel('Name', { exact: true }).inputValue(), 'till-pod-delete');
    assert.deepEqual(problems, []);
  });

  test('a project without runs says what to do, and a period that ends before it begins is refused', {}, async () => {
    const { page, problems } = await open(await begin(), 'trends?from=2026-05-02&to=2026-05-01&v=1');
    await page.getByText('The period ends before it begins; the last 12 weeks are shown.').waitFor();
    await page.getByRole('heading', { name: 'No run in this period' }).waitFor();
    await picture(page, 'trends-empty');
    assert.deepEqual(await accessibilityProblems(page), []);
    assert.deepEqual(problems, []);
  });
});
