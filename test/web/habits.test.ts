/** What every page has: the palette, keys, colours of one's choice, tables that are ordered, narrowed and walked; on the real control plane. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { type Scene, SHOP } from '../../src/controlplane/experiment/testing/scene.ts';
import { accessibilityProblems } from './axe.ts';
import { closePages } from './chromium.ts';
import { checkoutRun } from './fixtures/execution.ts';
import { type ProjectPage, skip, startProject } from './project-page.ts';

let scene: Scene;
let open: ProjectPage['open'];

const checks: { readonly name: string; run(): Promise<void> }[] = [];
function check(name: string, run: () => Promise<void>): void {
  checks.push({ name, run });
}

/** Saves an experiment of a name. */
async function save(id: string, name: string): Promise<void> {
  const { metadata, ...rest } = JSON.parse(SHOP) as { metadata: object };
  await scene.save(id, { name, manifest: JSON.stringify({ ...rest, metadata: { ...metadata, name } }) });
}

/** Words of the first cells of a table, from top to bottom. */
async function namesIn(page: Page, table: string): Promise<string[]> {
  return page.getByRole('table', { name: table }).getByRole('rowheader').allTextContents();
}

check('where there is no experiment the sample is run, on the cluster that is connected', async () => {
  const { page, problems } = await open('experiments');
  await page.getByRole('button', { name: 'Run the sample' }).click();
  await page.getByRole('heading', { level: 1, name: 'pods-die · run 1' }).waitFor();
  const orders = await scene.orders();
  assert.match(orders.at(-1)?.manifest ?? '', /sample-application[^]*pod-delete/);
  assert.deepEqual(problems, []);
});

check('a view whose file cannot be loaded at once is loaded all the same', async () => {
  const { page } = await open('overview');
  await page.getByRole('heading', { level: 1 }).waitFor();
  let broken = 0;
  await page.route('**/assets/hubs-view-*.js', async (route) => {
    broken += 1;
    await (broken < 3 ? route.abort('failed') : route.continue());
  });
  await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Hubs' }).click();
  await page.getByRole('heading', { level: 1, name: 'Hubs' }).waitFor();
  assert.equal(broken, 3);
});

check('the palette leads to pages and objects, and runs and stops after a question', async () => {
  await save('e1', 'checkout');
  const event = { experimentID: 'e1', runID: 'run', notifyID: await scene.run('e1') };
  await scene.report({ ...event, text: checkoutRun(false).executionData ?? '' });
  await scene.orders();
  const { page, problems } = await open('overview');
  const field = page.getByRole('combobox', { name: 'Search or run a command' });
  const begin = async (typed: string): Promise<void> => {
    await page.keyboard.press('Control+k');
    await field.fill(typed);
  };
  await page.getByRole('button', { name: 'Go to …' }).waitFor();
  await begin('audit');
  await page.getByRole('option', { name: 'Audit Page', selected: true }).waitFor();
  assert.deepEqual(await accessibilityProblems(page), []);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'Audit' }).waitFor();

  await begin('checkout');
  await page.getByRole('option', { name: 'checkout · 1 Run, Running' }).waitFor();
  const chosen = page.getByRole('listbox').getByRole('option', { selected: true });
  const first = await chosen.textContent();
  await page.keyboard.press('ArrowDown');
  assert.notEqual(await chosen.textContent(), first);
  assert.equal(await field.getAttribute('aria-activedescendant'), await chosen.getAttribute('id'));
  await page.keyboard.press('Escape');
  await field.waitFor({ state: 'detached' });

  // A browser tells in its next frame that a dialog has closed; a key may come before.
  await begin('');
  await page.evaluate(
    `document.querySelector('dialog[open]').close();
    document.dispatchEvent(new KeyboardEvent('keydown', { key: 'k', ctrlKey: true }))`,
  );
  await field.fill('audit');
  await page.getByRole('option', { name: 'Audit Page', selected: true }).waitFor();
  await page.keyboard.press('Escape');
  await field.waitFor({ state: 'detached' });

  await begin('stop checkout');
  await page.getByRole('option', { name: 'Stop checkout · 1' }).click();
  const dialog = page.getByRole('dialog', { name: 'Stop checkout · 1?' });
  await dialog.getByRole('button', { name: 'Abort and revert' }).click();
  await dialog.waitFor({ state: 'detached' });
  assert.ok((await scene.orders()).length > 0, 'the agent is told to stop it');

  await begin('run checkout');
  await page.getByRole('option', { name: 'Run checkout Do' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Run now' }).click();
  await page.getByRole('table', { name: 'Runs' }).getByText('checkout · 2').waitFor();
  await begin('nothing is called that');
  await page.getByText('Nothing matches.').waitFor();
  assert.deepEqual(problems, []);
});

check('colours are those of the system or of the reader, kept, and there at the first paint', async () => {
  const { page, problems } = await open('runs', { colorScheme: 'dark' });
  const paper = (): Promise<string> => page.evaluate('getComputedStyle(document.body).backgroundColor');
  const [light, dark] = ['rgb(255, 255, 255)', 'rgb(20, 23, 28)'];
  await page.getByRole('button', { name: 'Menu' }).click();
  assert.equal(await paper(), dark);
  assert.deepEqual(await accessibilityProblems(page), []);
  await page.getByRole('radio', { name: 'Light' }).check();
  assert.equal(await paper(), light);
  // What the document is before any script of the page has run decides what is painted first.
  await page.route('**/assets/index-*.js', (route) => route.abort());
  await page.reload();
  assert.equal(await paper(), light);
  await page.unroute('**/assets/index-*.js');
  await page.reload();
  await page.getByRole('button', { name: 'Menu' }).click();
  await page.getByRole('radio', { name: 'As the system' }).check();
  assert.equal(await paper(), dark);
  assert.deepEqual(
    problems.filter((problem) => !problem.includes('ERR_FAILED')),
    [],
  );
});

check('a list is ordered, narrowed and walked by the keyboard, and its link says how', async () => {
  await save('e2', '<b>bold</b>');
  const { page, problems } = await open('experiments');
  const table = page.getByRole('table', { name: 'Experiments' });
  await table.getByRole('button', { name: 'Experiment' }).click();
  await table
    .getByRole('columnheader', { name: 'Experiment', exact: true })
    .and(page.locator('[aria-sort="ascending"]'))
    .waitFor();
  await page.waitForURL(/order=name/);
  await page.reload();
  await table.getByRole('row', { name: /<b>bold<\/b>/ }).waitFor();
  const up = await namesIn(page, 'Experiments');
  await table.getByRole('button', { name: 'Experiment' }).click();
  await page.waitForURL(/order=-name/);
  await table
    .getByRole('rowheader', { name: up.at(-1) ?? '' })
    .and(page.locator('tbody > tr:first-child th'))
    .waitFor();
  assert.deepEqual(await namesIn(page, 'Experiments'), up.toReversed());

  await page.getByLabel('State', { exact: true }).selectOption('Queued');
  await page.waitForURL(/phase=Queued/);
  await page.keyboard.press('Escape');
  await page.getByRole('heading', { level: 1 }).click();
  await page.keyboard.press('/');
  await page.keyboard.type('no such name');
  await page.getByText(/^\d are hidden by the filters\.$/).waitFor();
  await page.getByRole('button', { name: 'Show all' }).click();

  await table.getByRole('row').nth(1).focus();
  await page.keyboard.press('End');
  const focused = (): Promise<string> => page.evaluate('document.activeElement.cells?.[0].textContent ?? ""');
  assert.equal(await focused(), up[0]);
  await page.keyboard.press('ArrowUp');
  assert.equal(await focused(), up[1]);
  assert.deepEqual(problems, []);
});

check('columns that the reader does not want stay away, and times are exact on hover', async () => {
  const { page } = await open('runs', { timezoneId: 'Asia/Tokyo' });
  const begun = page.getByRole('table', { name: 'Runs' }).locator('time').first();
  assert.match((await begun.getAttribute('title')) ?? '', /^\d+ \w{3} \d{4}, \d\d:\d\d:\d\d (GMT\+9|JST)$/);
  await page.getByRole('button', { name: 'Columns of Runs' }).click();
  await page.getByRole('checkbox', { name: 'Infrastructure' }).uncheck();
  assert.deepEqual(await accessibilityProblems(page), []);
  await page.reload();
  const heads = page.getByRole('table', { name: 'Runs' }).getByRole('columnheader');
  await heads.first().waitFor();
  assert.equal((await heads.allTextContents()).includes('Infrastructure'), false);
});

check('the keys of a view are listed', async () => {
  const { page } = await open('runs');
  await page.getByRole('table', { name: 'Runs' }).waitFor();
  await page.keyboard.press('?');
  const dialog = page.getByRole('dialog', { name: 'Keys' });
  await dialog.getByText('to the filter of the list').waitFor();
  assert.deepEqual(await accessibilityProblems(page), []);
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
});

check('a halt is on every page, says who and why, and follows what another reader does', async () => {
  const [{ page }, { page: other }] = await Promise.all([open('runs'), open('settings/audit')]);
  await Promise.all(
    [page, other].map((one) => one.getByRole('button', { name: 'Halt all chaos' }).waitFor()),
  );
  await page.getByText('live', { exact: true }).waitFor();
  await scene.data(`mutation ($p: ID!) { haltChaos(projectID: $p, reason: "<i>too much</i>") { infraID } }`);
  for (const one of [page, other])
    await one.getByText(/^Chaos is halted by olga.*: <i>too much<\/i>$/).waitFor();
  await page.getByRole('button', { name: 'Resume' }).click();
  for (const one of [page, other]) await one.getByRole('button', { name: 'Halt all chaos' }).waitFor();
});

test('what the views have in common', { skip }, async (t) => {
  const project = await startProject();
  ({ scene, open } = project);
  t.afterEach(() => closePages(project.browser));
  for (const { name, run } of checks) await t.test(name, run);
});
