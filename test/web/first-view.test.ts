/** How a view comes for the first time: its document names all that it is loaded from, and what could not be loaded is loaded when it is tried again. */
import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { until } from '@turnsole/kube/testing/until';
import type { Browser } from 'playwright-core';
import { browserMissing, closePages, openPage, startBrowser } from './chromium.ts';
import { type BuiltFolder, buildOnce, type PageServer, refusal, servePage } from './page-server.ts';

let built: BuiltFolder;
let server: PageServer;
let browser: Browser;

const skip = browserMissing;

before(async () => {
  if (skip !== false) return;
  built = await buildOnce();
  server = await servePage(built.folder, {
    getExperimentRun: () => {
      throw refusal('not_found', 'there is no such run');
    },
  });
  browser = await startBrowser();
});

afterEach(() => closePages(browser));
after(async () => {
  await browser?.close();
  await server?.app.close();
  await built?.[Symbol.asyncDispose]();
});

for (const path of ['cluster', 'project/p/runs', 'project/p/runs/42', 'project/p/experiments', 'sign-in']) {
  test(`the document of ${path} names everything that the view is loaded from`, { skip }, async () => {
    const { page, requests } = await openPage(browser);
    const answer = await page.goto(`${server.address}/ui/${path}`);
    const document = (await answer?.text()) ?? '';
    await page.locator('h1, h2').first().waitFor();
    const loaded = requests
      .map((url) => new URL(url).pathname)
      .filter((name) => name.startsWith('/ui/assets/'));
    assert.ok(
      loaded.some((name) => name.includes('-view-')),
      'a view is loaded',
    );
    assert.deepEqual(
      loaded.filter((name) => !document.includes(`"${name}"`)),
      [],
    );
  });
}

test('a view whose code could not be loaded says so, and is loaded when that is tried again', {
  skip,
}, async () => {
  const { page } = await openPage(browser);
  await page.goto(`${server.address}/ui/project/p/runs`);
  await page.getByRole('heading', { name: 'Runs', exact: true }).waitFor();
  const code = /\/probes-view-[^/]*\.js$/;
  await page.route(code, (route) => route.abort());
  await page.getByRole('link', { name: 'Probes' }).click();
  const again = page.getByRole('button', { name: 'Try again' });
  await again.waitFor();
  await page.unroute(code);
  await again.click();
  await page.getByRole('heading', { name: 'Probes', exact: true }).waitFor();
});

test('a style sheet that is lost on the way comes by itself, of the document and of a view that is opened later', {
  skip,
}, async () => {
  const { page } = await openPage(browser);
  const lost = new Set<string>();
  await page.route(/\.css$/, (route) => {
    const url = route.request().url();
    if (lost.has(url)) return route.continue();
    lost.add(url);
    return route.abort();
  });
  const isStyled = `document.styleSheets.length > 0 &&
    [...document.querySelectorAll('link[rel=stylesheet]')].every((link) => link.sheet !== null)`;
  await page.goto(`${server.address}/ui/project/p/runs`);
  await page.getByRole('heading', { name: 'Runs', exact: true }).waitFor();
  await until(() => page.evaluate(isStyled), 'a style sheet does not come');
  const first = lost.size;
  assert.ok(first > 0, 'the document has a style sheet');
  await page.getByRole('link', { name: 'Hubs' }).click();
  await page.getByRole('heading', { name: 'Hubs', exact: true }).waitFor();
  await page.getByRole('link', { name: 'Overview' }).click();
  await until(() => page.evaluate(isStyled), 'a style sheet does not come');
  assert.ok(lost.size > first, 'a view has a style sheet of its own');
});

test('a page whose script does not come says so, and comes when it is loaded again', { skip }, async () => {
  const { page } = await openPage(browser);
  const code = /\/assets\/index-[^/]*\.js$/;
  await page.route(code, (route) => route.abort());
  await page.goto(`${server.address}/ui/project/p/runs?find=web&v=1`);
  const text = page.getByText('could not be loaded');
  assert.ok(!(await text.isVisible()), 'nothing is said while it may still come');
  await text.waitFor();
  await page.unroute(code);
  await page.getByRole('link', { name: 'Load it again' }).click();
  await page.getByRole('heading', { name: 'Runs', exact: true }).waitFor();
  assert.match(page.url(), /\/runs\?find=web&v=1$/);
  assert.equal(await text.count(), 0);
});

test('a browser that runs no scripts shows that the command needs none', { skip }, async () => {
  const { page } = await openPage(browser, { javaScriptEnabled: false });
  await page.goto(`${server.address}/ui/`);
  await page.locator('noscript p').waitFor();
  assert.ok(!(await page.getByText('could not be loaded').isVisible()));
});
