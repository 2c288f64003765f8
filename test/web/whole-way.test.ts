/**
 * The whole way of somebody new, in a real browser, on a real control plane whose agent is in the embedded cluster: sign in, connect, make,
 * plan, run, watch, abort, compare, take along.
 */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { createClient, loadKubeconfig } from '@turnsole/kube/client/index';
import type { Browser, Page } from 'playwright-core';
import { CHAOS_ENGINES, type ChaosEngine } from '../../src/api/index.ts';
import { ClusterRegistry } from '../../src/cli/up/registry.ts';
import { TestServer } from '../../src/controlplane/server/testing/test-server.ts';
import { otherDatabase } from '../../src/controlplane/store/testing/databases.ts';
import { temporaryFolder, turnsole } from '../support/turnsole.ts';
import { applyText } from '../support/up.ts';
import { accessibilityProblems } from './axe.ts';
import { browserMissing, openPage, startBrowser, type WatchedPage } from './chromium.ts';
import { checkExports } from './exports.ts';
import { MOST_CLICKS, makeByClicks, seeRun } from './make-by-clicks.ts';
import { buildOnce } from './page-server.ts';
import { picture } from './picture.ts';
import { QUICKSTART } from './ui-command.ts';

const database = otherDatabase('sqlite', true);
const skip = database === undefined ? 'no database here' : browserMissing;
const PASSWORD = 'First-1!pass';

/** Signs in with a password that somebody else has set. */
async function signIn(page: Page): Promise<void> {
  await page.getByLabel('User name').fill('nora');
  await page.getByLabel('Password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByLabel('New password').fill('Second-2!pass');
  await page.getByRole('button', { name: 'Change password and continue' }).click();
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
}

/** Another browser of the same reader. */
async function beside(browser: Browser, page: Page): Promise<WatchedPage> {
  const other = await openPage(browser);
  await other.page.context().addCookies(await page.context().cookies());
  await other.page.goto(page.url());
  return other;
}

async function goTo(page: Page, list: string): Promise<void> {
  await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: list }).click();
}

/** Makes an experiment for the sample's pods: chaos of six seconds. */
async function make(page: Page, name: string): Promise<void> {
  await goTo(page, 'Experiments');
  await page.getByRole('link', { name: 'Create an experiment' }).click();
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill(name);
  await page.getByRole('combobox', { name: 'Fault', exact: true }).selectOption('kubernetes/pod-delete');
  await page.getByRole('button', { name: 'Add this fault' }).click();
  await page.getByRole('link', { name: 'Next: Where' }).click();
  await page.getByLabel('Infrastructure').selectOption({ label: 'local' });
  await page.getByLabel('Namespace').fill('default');
  await page.getByLabel('Which deployment').selectOption('web');
  await page.getByRole('link', { name: 'Next: Settings' }).click();
  await chaosOf(page, '6');
}

/** Says how long the chaos is to last. */
async function chaosOf(page: Page, seconds: string): Promise<void> {
  await page.getByLabel('TOTAL_CHAOS_DURATION').fill(seconds);
  await page.getByLabel('CHAOS_INTERVAL').fill('3');
}

/** Waits until the agent has planned what stands in the form. */
async function seePlan(page: Page, rounds: RegExp): Promise<void> {
  const plan = page.getByRole('region', { name: 'What a run would do' });
  await plan.getByText(rounds).waitFor();
  await plan.getByText('1 of 3 pods of deployment default/web (33 %)').waitFor();
  // It has no probe.
  await plan
    .getByText('It would hit one target in its first round; some of it is to be thought about.')
    .waitFor();
}

describe('from signing in to an exported run', { skip }, () => {
  test('a user signs in, connects a cluster, makes, plans and runs experiments, aborts, compares and exports runs; another watches', async () => {
    assert.ok(database !== undefined);
    await using folder = await temporaryFolder();
    const home = folder.path;
    await using built = await buildOnce();
    const browser = await startBrowser();
    after(() => browser.close());
    const server = await TestServer.start(database, { settings: { pageFolder: built.folder } });
    const address = await server.listen();
    const admin = await server.user('boss', 'admin');
    const nora = { username: 'nora', password: PASSWORD, role: 'user', email: '', name: '' };
    assert.equal((await server.rest('POST', '/create_user', nora, admin)).status, 200);

    const { page, problems } = await openPage(browser);
    await page.goto(address);
    await signIn(page);
    // Who was not signed in was refused, which browsers tell.
    problems.length = 0;

    // The command is the one that the page shows, by the reader's own session.
    await goTo(page, 'Infrastructures');
    await page.getByText('Connect a cluster').click();
    const shown = (await page.getByText(/^npx turnsole connect /).textContent()) ?? '';
    const [session] = (await page.context().cookies()).filter(({ name }) =>
      name.startsWith('turnsole_session_'),
    );
    const env = {
      ...{ HOME: home, XDG_CONFIG_HOME: join(home, 'config'), XDG_STATE_HOME: join(home, 'state') },
      ...{ TURNSOLE_SERVER: '', TURNSOLE_PROJECT: '', TURNSOLE_TOKEN: session?.value ?? '' },
    };
    try {
      const [, , ...words] = shown.split(' ');
      const connected = await turnsole([...words, '--local'], env);
      assert.equal(connected.code, 0, `${connected.stdout}\n${connected.stderr}`);
      await page
        .getByRole('row', { name: /^local / })
        .getByText('Connected')
        .waitFor();
      const { kubeconfig } = (await new ClusterRegistry(env).find('default')) ?? {};
      const client = createClient(await loadKubeconfig({ path: kubeconfig ?? '' }));
      try {
        await applyText(client, await readFile(join(QUICKSTART, '1-app.yaml'), 'utf8'));

        await goTo(page, 'Experiments');
        const clicks = await makeByClicks(page);
        assert.ok(clicks <= MOST_CLICKS, `${clicks} clicks from nothing to a run with a check`);
        await page.getByText(/^web survived: /).waitFor();

        await make(page, 'web-loses-pods');
        await seePlan(page, /^2 rounds in 6 s/);
        await page.getByRole('button', { name: 'Save and run now' }).click();
        await seeRun(page, 'web-loses-pods', 1);
        await page.getByText('Nothing was checked', { exact: true }).first().waitFor();
        // On a busy machine the second round may not come in time.
        await page
          .getByText(/^(Two pods were|One pod was) deleted.*; nothing judged what users saw\.$/)
          .waitFor();
        // Its pods are deleted at its end; what they said is not.
        const log = page.getByRole('region', { name: /^Log of / });
        const said = page.getByRole('option', { name: /^pod-delete-.* \(kept\)$/ });
        await page
          .getByLabel('Pod', { exact: true })
          .selectOption((await said.first().getAttribute('value')) ?? '');
        await log.getByText(/^experiment ended/).waitFor();
        await page
          .getByText(/^The pod is gone; \d+ lines? of its log (is|are) kept with the run\.$/)
          .waitFor();
        await picture(page, 'real-run');
        assert.deepEqual(await accessibilityProblems(page), []);

        // The same with chaos that nobody waits for.
        await goTo(page, 'Experiments');
        await page.getByRole('link', { name: 'Change web-loses-pods' }).click();
        await page
          .getByRole('navigation', { name: 'Parts of the experiment' })
          .getByRole('link', { name: 'Settings' })
          .click();
        await chaosOf(page, '300');
        await seePlan(page, /rounds in (300 s|5 min)/);
        await page.getByRole('button', { name: 'Save and run now' }).click();
        await seeRun(page, 'web-loses-pods', 2);
        await using other = await beside(browser, page).then((watched) => ({
          ...watched,
          [Symbol.asyncDispose]: () => watched.page.context().close(),
        }));
        for (const one of [page, other.page])
          await one.getByRole('button', { name: /^Targets \(\d+\)$/ }).waitFor();
        await page.keyboard.press('a');
        const dialog = page.getByRole('dialog', { name: 'Abort this run?' });
        await dialog.getByRole('button', { name: 'Abort and revert' }).click();
        for (const one of [page, other.page]) {
          await one.getByText('Stopped', { exact: true }).first().waitFor();
          await one.getByText(/^The run was stopped/).waitFor();
        }
        const engines = await client.list<ChaosEngine>(CHAOS_ENGINES);
        assert.ok(engines.items.every(({ spec }) => spec?.engineState === 'stop'));
        assert.deepEqual(other.problems, []);

        await checkExports(browser, page, {
          ...{ name: /web-loses-pods/, isPassed: false },
          cases: { 'install-chaos-faults': 'passed', 'pod-delete': 'error' },
        });
        await page.getByRole('link', { name: 'Compare with run 1' }).click();
        await page.getByText(/^Run 2: Stopped, run 1: Nothing was checked; /).waitFor();
        await picture(page, 'real-compare');
        const different = page.getByRole('table', { name: 'Differences' });
        for (const [name, one, other] of [
          ['the run', 'Nothing was checked', 'Stopped'],
          ['step pod-delete', 'succeeded', 'stopped'],
        ]) {
          const row = different.getByRole('row', { name: `${name} ${one} ${other}` });
          await row.waitFor();
        }
        assert.equal(await different.getByRole('row', { name: 'install-chaos-faults' }).count(), 0);
        await page.getByRole('link', { name: /web-loses-pods · run 1$/ }).click();
        await page.getByText('Nothing was checked', { exact: true }).first().waitFor();
        await checkExports(browser, page, {
          ...{ name: /web-loses-pods/, isPassed: true },
          cases: { 'install-chaos-faults': 'passed', 'pod-delete': 'passed' },
        });
        assert.deepEqual(problems, []);
      } finally {
        client.close();
      }
    } finally {
      const down = await turnsole(['down'], env);
      assert.equal(down.code, 0, down.stderr);
    }
  });
});
