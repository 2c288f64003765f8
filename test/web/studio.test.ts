/** An experiment is made in a browser, by the page of a real server: what was chosen is stored, and in the list. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { Scene } from '../../src/controlplane/experiment/testing/scene.ts';
import { otherDatabase } from '../../src/controlplane/store/testing/databases.ts';
import { accessibilityProblems } from './axe.ts';
import { browserMissing, openPage, startBrowser } from './chromium.ts';
import { buildOnce } from './page-server.ts';

const database = otherDatabase('sqlite', true);
const skip = database === undefined ? 'no database here' : browserMissing;

test('an experiment is made, saved, and seen in the list', { skip, timeout: 120_000 }, async () => {
  assert.ok(database !== undefined);
  const [built, browser] = await Promise.all([buildOnce(), startBrowser()]);
  after(async () => {
    await browser.close();
    await built[Symbol.asyncDispose]();
  });
  const scene = await Scene.start(database, { settings: { pageFolder: built.folder } });
  const address = await scene.server.listen();
  const { page, problems } = await openPage(browser);
  page.setDefaultTimeout(8000);
  await page.context().addCookies([{ name: 'turnsole_session', value: scene.owner.token, url: address }]);
  await page.goto(`${address}/ui/project/${scene.project}/experiments`);
  await page.getByRole('link', { name: 'Make an experiment' }).click();

  await page.getByLabel('Name').fill('Shop');
  await page.getByText('Needs lower-case letters').waitFor();
  await page.getByLabel('Name').fill('web-loses-pods');
  await page.getByLabel('Infrastructure').selectOption(scene.agent.infraID);
  await page.getByRole('combobox', { name: 'Fault', exact: true }).selectOption('kubernetes/pod-delete');
  await page.getByRole('button', { name: 'Add this fault' }).click();
  const step = page.getByRole('region', { name: 'pod-delete', exact: true });
  await step.getByLabel('Label of its pods').fill('app=web');
  await step.getByText('Settings of pod-delete').click();
  await step.getByLabel('TOTAL_CHAOS_DURATION').fill('45');
  await page.getByRole('combobox', { name: 'Fault', exact: true }).selectOption('kubernetes/pod-delete');
  await page.getByRole('button', { name: 'Add this fault' }).click();
  const second = page.getByRole('region', { name: 'pod-delete-2' });
  await second.getByLabel('together with the step before').check();
  await page.getByRole('region', { name: 'Manifest' }).getByText('value: "45"').waitFor();
  assert.deepEqual(await accessibilityProblems(page), []);
  const folder = process.env.TURNSOLE_SCREENSHOTS;
  for (const colorScheme of folder === undefined ? [] : (['light', 'dark'] as const)) {
    await page.emulateMedia({ colorScheme });
    await page.screenshot({ path: `${folder}/studio-${colorScheme}.png`, fullPage: true });
  }
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByRole('rowheader', { name: 'web-loses-pods' }).waitFor();
  assert.deepEqual(problems, []);

  const query = `query ($p: ID!) { listExperiment(projectID: $p, request: {}) { experiments { name experimentManifest } } }`;
  const { listExperiment } = await scene.data(query);
  assert.match(JSON.stringify(listExperiment), /pod-delete-2/);
  assert.match(JSON.stringify(listExperiment), /app=web/);
});
