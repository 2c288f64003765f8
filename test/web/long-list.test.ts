/** A list of ten thousand rows in a real browser: it is there, scrolled, walked, narrowed and ordered, and only what is near is made. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { browserMissing, inWindow, openPage, startBrowser } from './chromium.ts';
import { type BuiltFolder, buildOnce, type PageServer, servePage } from './page-server.ts';

const skip = browserMissing;
const ROWS = 10_000;
/** Rows that are made at a time: those of a window, and as many again around it. */
const MOST_MADE = 120;

let browser: Browser;
let built: BuiltFolder;
let server: PageServer;

const objects = Array.from({ length: ROWS }, (_, index) => ({
  ...{ id: `ChaosEngine/default/chaos-${index}`, kind: 'ChaosEngine', namespace: 'default' },
  ...{ name: `chaos-${index}`, phase: 'completed', message: null, faults: ['pod-delete'], parent: null },
  ...{ verdict: index % 3 === 0 ? 'Fail' : 'Pass', createdAt: String(1.7e12 - index * 1000) },
  ...{ startedAt: null, finishedAt: null },
  ...{ state: index % 3 === 0 ? 'failedByProbe' : 'passed', since: null, seconds: null },
}));

before(async () => {
  if (skip !== false) return;
  [browser, built] = await Promise.all([startBrowser(), buildOnce()]);
  server = await servePage(
    built.folder,
    { listClusterObjects: () => [] },
    { watchClusterObjects: { complete: true, removed: [], total: ROWS, namespaces: ['default'], objects } },
  );
});
after(async () => {
  await browser?.close();
  await server?.app.close();
  await built?.[Symbol.asyncDispose]();
});

/** Waits until a row is in the window, by its place, and counts the rows that are made. */
async function seen(page: Page, place: number, name: string): Promise<void> {
  const row = `tbody tr[data-index="${place}"]`;
  await page.locator(row, { has: page.getByText(`default/${name}`, { exact: true }) }).waitFor();
  await inWindow(page, row);
  const made = await page.locator('tbody tr[data-index]').count();
  assert.ok(made > 0 && made < MOST_MADE, `${made} rows are made`);
}

/** Waits until a row has the focus. */
async function focused(page: Page, place: number): Promise<void> {
  await page.locator(`tbody tr[data-index="${place}"]:focus`).waitFor();
}

test('ten thousand rows are scrolled, walked, narrowed and ordered, and few are made', {
  skip,
}, async () => {
  const { page, problems } = await openPage(browser);
  await page.goto(`${server.address}/ui/cluster`);
  await page.getByText(`${ROWS} in all`).waitFor();
  await seen(page, 0, 'chaos-0');
  const table = page.getByRole('table', { name: 'Runs of the cluster' });
  assert.equal(await table.getAttribute('aria-rowcount'), String(ROWS + 1));

  await page.evaluate('scrollTo(0, document.documentElement.scrollHeight)');
  await seen(page, ROWS - 1, 'chaos-9999');
  await page.evaluate('scrollTo(0, document.documentElement.scrollHeight / 2)');
  await seen(page, ROWS / 2, 'chaos-5000');

  await page.evaluate('scrollTo(0, 0)');
  await page.locator('tr[data-index="0"]').focus();
  await page.keyboard.press('End');
  await focused(page, ROWS - 1);
  await seen(page, ROWS - 1, 'chaos-9999');
  await page.keyboard.press('ArrowUp');
  await focused(page, ROWS - 2);
  await page.keyboard.press('Home');
  await focused(page, 0);
  for (let rows = 0; rows < 60; rows += 1) await page.keyboard.press('ArrowDown');
  await focused(page, 60);
  await seen(page, 60, 'chaos-60');

  await page.keyboard.press('/');
  await page.keyboard.type('chaos-77');
  await page.getByText(`111 of ${ROWS}`).waitFor();
  await page.waitForURL(/find=chaos-77/);
  await seen(page, 0, 'chaos-77');
  await page.keyboard.type('77');
  await page.getByText(`1 of ${ROWS}`).waitFor();
  await page.keyboard.press('Control+a');
  await page.keyboard.press('Delete');
  await page.getByText(`${ROWS} in all`).waitFor();
  await table.getByRole('button', { name: 'Made' }).click();
  await page.waitForURL(/order=made/);
  await seen(page, 0, 'chaos-9999');
  assert.deepEqual(problems, []);
});
