/** A project on the real control plane: what its agent reports is what its pages show, and an abort is an order for the agent. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { accessibilityProblems } from './axe.ts';
import { openPage } from './chromium.ts';
import { checkoutRun } from './fixtures/execution.ts';
import { skip, startProject } from './project-page.ts';

test('what an agent reports is shown, in lists and on the run page, and aborted by its order', {
  skip,
}, async () => {
  const { browser, scene, address } = await startProject();
  await scene.save('e1');
  const event = { experimentID: 'e1', runID: 'run', notifyID: await scene.run('e1') };
  const answer = await scene.report({ ...event, text: checkoutRun(false).executionData });
  assert.deepEqual(answer.errors, []);
  await scene.orders();

  const { page, problems } = await openPage(browser);
  await page.context().addCookies([scene.server.cookieOf(scene.owner.token, address)]);
  await page.goto(address);
  await page.waitForURL(`${address}/ui/project/${scene.project}/overview`);
  assert.equal(await page.getByLabel('Project').inputValue(), scene.project);
  await page
    .getByRole('navigation', { name: 'Pages' })
    .getByRole('link', { name: 'Infrastructures' })
    .click();
  await page.getByRole('rowheader', { name: 'cluster' }).waitFor();
  await page.getByText('Connected').waitFor();
  await page.getByText('Connect a cluster').click();
  await page.getByText(`npx turnsole connect --server ${address} --project ${scene.project}`).waitFor();
  await page.getByLabel('Name of the cluster').fill('staging');
  await page.getByLabel('Environment').fill('lab');
  assert.deepEqual(await accessibilityProblems(page), []);
  await page.getByRole('button', { name: 'Register', exact: true }).click();
  const download = page.waitForEvent('download');
  await page.getByRole('link', { name: 'Download agent.yaml' }).click();
  assert.match(await readFile(await (await download).path(), 'utf8'), /kind: Deployment/);
  await page.getByRole('row', { name: 'staging' }).getByText('Pending').waitFor();
  await page.getByRole('row', { name: 'staging' }).getByText('lab').waitFor();
  await page.getByRole('link', { name: 'Experiments' }).click();
  await page.getByRole('link', { name: /^Run 1: Running/ }).waitFor();
  assert.deepEqual(await accessibilityProblems(page), []);
  await page.getByRole('link', { name: 'Runs' }).click();
  await page.getByRole('link', { name: 'shop · 1' }).click();

  await page.getByRole('heading', { level: 1, name: 'shop · run 1' }).waitFor();
  await page.getByText('In force now on pod web-6d9f7c5b8-tcldh; no probe has failed.').waitFor();
  await page.keyboard.press('a');
  await page.getByRole('dialog').getByRole('button', { name: 'Abort and revert' }).click();
  await page.getByText('Stopped').first().waitFor();
  const orders = await scene.orders();
  assert.ok(orders.length > 0, 'the agent is told to stop it');
  assert.deepEqual(problems, []);

  await page.getByRole('link', { name: 'Runs' }).click();
  await page.getByLabel('Only names with').fill('nothing has this');
  await page.getByRole('heading', { name: 'No run is like that' }).waitFor();
  await page.getByText('1 is hidden by the filters.').waitFor();
  await page.getByRole('button', { name: 'Show all' }).click();
  await page.getByRole('link', { name: 'shop · 1' }).waitFor();
  await page.getByRole('button', { name: 'Halt all chaos' }).click();
  await page.getByLabel(/^Reason/).fill('too many errors');
  await page.getByRole('button', { name: 'Halt and revert' }).click();
  const halted = page.getByText(/^Chaos is halted by olga.*: too many errors$/);
  await halted.waitFor();
  await page.getByText('cluster: its agent has not told yet').waitFor();
  assert.deepEqual(await accessibilityProblems(page), []);
  await page.getByRole('button', { name: 'Resume' }).click();
  await page.getByRole('button', { name: 'Halt all chaos' }).waitFor();
  await page.getByRole('button', { name: 'Menu' }).click();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByLabel('User name').waitFor();
});
