/** From nothing to the picture of a running experiment: `turnsole ui` and `turnsole run --ui` as a user starts them, in a real browser. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { buildPage } from '../../build/page.ts';
import { PACKAGE_ROOT } from '../../src/process/package-root.ts';
import { TurnsoleProcess, temporaryFolder } from '../support/turnsole.ts';
import { detachedCluster } from '../support/up.ts';
import { accessibilityProblems } from './axe.ts';
import { browserMissing, openPage, startBrowser } from './chromium.ts';
import { checkExports } from './exports.ts';
import { MOST_CLICKS, makeByClicks, seeRun } from './make-by-clicks.ts';
import { picture } from './picture.ts';
import { linkOf, QUICKSTART } from './ui-command.ts';

let browser: Browser;
before(async () => {
  if (browserMissing !== false) return;
  // Where the command has its page, as in the package.
  await buildPage(PACKAGE_ROOT, join(PACKAGE_ROOT, 'dist', 'web'));
  browser = await startBrowser();
});
after(() => browser?.close());

/** What a command line prints in a terminal in some folder. */
function pasted(line: string, cwd: string): string {
  return execFileSync('sh', ['-c', line], { cwd, encoding: 'utf8' });
}

/** Waits for the lanes of what was hit: they come with the first injection. */
async function seeItHit(page: Page): Promise<void> {
  await page
    .getByText(/Targets/)
    .first()
    .waitFor();
}

test('turnsole ui: an experiment of another terminal appears, is seen to hit, and is aborted; all chaos is halted and resumed', {
  skip: browserMissing,
}, async () => {
  await using cluster = await detachedCluster();
  const { kubeconfig, folder } = cluster;
  await using ui = new TurnsoleProcess([
    ...['ui', '--no-open', '--kubeconfig', kubeconfig, '--data', join(folder, 'ui')],
  ]);
  const { page, problems } = await openPage(browser);
  await page.goto(await linkOf(ui));
  await page.waitForURL('**/ui/cluster');
  await page.getByText('No chaos in this cluster').waitFor();
  const other = await openPage(browser);
  await other.page.goto(new URL('/ui/', page.url()).href);
  await other.page.getByText(/^A page of turnsole ui has no password: /).waitFor();
  assert.deepEqual(await accessibilityProblems(other.page), []);
  await other.page.getByRole('button', { name: 'Print another link in its terminal' }).click();
  const [, another = ''] = /(http:\S+)$/.exec(await ui.line(/^a link for another browser/)) ?? [];
  await other.page.goto(another);
  await other.page.getByText('No chaos in this cluster').waitFor();
  await other.page.context().close();

  const offered = (await page.locator('.commands code').textContent()) ?? '';
  // The program's words and their folder are asked below, as they are pasted.
  const [, words = ''] = / (run .+)$/.exec(offered) ?? [];
  await using run = new TurnsoleProcess(words.split(' '));
  await page.getByRole('link', { name: 'default/quickstart', exact: true }).click();
  await page.getByRole('heading', { level: 1, name: 'quickstart in default' }).waitFor();
  await seeItHit(page);
  await page.keyboard.press('a');
  await page.getByRole('dialog').getByRole('button', { name: 'Abort and revert' }).click();
  const { code, stdout } = await run.ended;
  assert.equal(code, 1, stdout);
  await page.getByText('Stopped', { exact: true }).first().waitFor();
  assert.deepEqual(await accessibilityProblems(page), []);
  await page.getByRole('tab', { name: 'Command' }).click();
  const commands = await page.locator('.commands code').allTextContents();
  assert.match(pasted(commands.find((line) => line.includes(' timeline ')) ?? '', folder), /ChaosStarted/);
  assert.match(pasted(commands.find((line) => line.includes(' status ')) ?? '', folder), /quickstart/);

  await page.getByRole('button', { name: 'Halt all chaos' }).click();
  await page.getByLabel(/^Reason/).fill('too many errors');
  await page.getByRole('button', { name: 'Halt and revert' }).click();
  await page.getByText(/^Chaos is halted by .*: too many errors$/).waitFor();
  await page.getByRole('button', { name: 'Resume' }).click();
  await page.getByRole('button', { name: 'Halt all chaos' }).waitFor();
  assert.deepEqual(problems, []);
  assert.equal((await ui.stop('SIGINT')).code, 0);
});

test('turnsole ui --local: on an empty cluster the sample runs; an experiment with a check is made by clicks, run again from its page, and stopped', {
  skip: browserMissing,
}, async () => {
  await using folder = await temporaryFolder();
  await using ui = new TurnsoleProcess(['ui', '--local', '--no-open', '--data', join(folder.path, 'ui')]);
  const { page, problems } = await openPage(browser);
  await page.goto(await linkOf(ui));
  await page.getByText('No chaos in this cluster').waitFor();
  await page.locator('.commands code').waitFor();
  await picture(page, 'real-empty');
  await page.getByRole('link', { name: 'Make an experiment' }).click();
  await page.getByRole('button', { name: 'Run the sample' }).click();
  await seeRun(page, 'pods-die', 1);
  // On a busy machine a check may find a slow answer, and the run fails as it should.
  const again = page.getByRole('button', { name: /^Run again/ });
  await again.waitFor({ timeout: 180_000 });
  await page
    .getByText(/ pods? (was|were) deleted/)
    .first()
    .waitFor();
  await picture(page, 'real-sample');

  await page.getByRole('link', { name: 'Experiments', exact: true }).click();
  const clicks = await makeByClicks(page);
  assert.ok(clicks < MOST_CLICKS, `${clicks} clicks, and the one that led to them`);
  await again.click({ timeout: 180_000 });
  const dialog = page.getByRole('dialog');
  await dialog.getByText('1 of 3 pods of deployment default/web (33 %)').waitFor();
  await dialog.getByRole('button', { name: 'Run again', exact: true }).click();
  await seeRun(page, 'web-pod-delete', 2);
  await seeItHit(page);
  const list = await page.context().newPage();
  await list.goto(new URL('/ui/cluster', page.url()).href);
  const rows = list.getByRole('row', { name: /^litmus\/web-pod-delete-/ });
  await rows
    .getByText(/^Chaos in force/)
    .first()
    .waitFor();
  await list.close();
  await page.keyboard.press('a');
  await page.getByRole('dialog').getByRole('button', { name: 'Abort and revert' }).click();
  await page.getByText('Stopped', { exact: true }).first().waitFor();
  await page
    .getByRole('button', { name: /cleanup-chaos-resources/ })
    .getByRole('img', { name: /^(Not begun|Succeeded)$/ })
    .waitFor();
  await page.getByRole('tab', { name: 'Command' }).click();
  await page.locator('.commands code').first().waitFor();
  await picture(page, 'real-stopped');

  await page.getByRole('link', { name: 'Cluster', exact: true }).click();
  await page
    .getByRole('link', { name: /^litmus\/web-pod-delete-/ })
    .nth(1)
    .waitFor();
  assert.deepEqual(await accessibilityProblems(page), []);
  assert.deepEqual(problems, []);
  assert.equal((await ui.stop('SIGINT')).code, 0);
});

test('turnsole run --ui: one command from nothing to the picture of its run; it ends by Ctrl-C with the verdict', {
  skip: browserMissing,
}, async () => {
  await using run = new TurnsoleProcess(['run', QUICKSTART, '--ui'], { DISPLAY: undefined });
  const { page, problems } = await openPage(browser);
  await page.goto(await linkOf(run));
  // The address that such a run had, which leads to its own.
  await page.waitForURL('**/ui/project/*/runs/ChaosEngine%2Fdefault%2Fquickstart');
  await page.getByRole('heading', { level: 1, name: 'quickstart in default' }).waitFor();
  await seeItHit(page);
  await run.line(/the page stays until Ctrl-C/);
  // The users of the application notice a machine with too much other work, and the run says so: page and command agree in any case.
  const isPassed = / Pass /.test(await run.line(/^default\/quickstart +pod-delete +(Pass|Fail) /));
  await page
    .getByText(isPassed ? 'Passed' : 'Failed by a probe', { exact: true })
    .first()
    .waitFor();
  const runner = page.getByRole('option', { name: 'quickstart-runner' });
  await page.getByLabel('Pod', { exact: true }).selectOption((await runner.textContent()) ?? '');
  await page.getByText(/^\d+ lines; the log is complete\.$/).waitFor();
  assert.match(page.url(), /pod=quickstart-runner/);
  await page.getByRole('tab', { name: 'Plan', exact: true }).click();
  const plan = page.getByRole('region', { name: 'What a run would do' });
  await plan.getByText(/ of 3 pods of deployment default\/web /).waitFor();
  await checkExports(browser, page, {
    ...{ name: /quickstart/, isPassed, cases: { 'pod-delete': isPassed ? 'passed' : 'failure' } },
  });
  assert.deepEqual(await accessibilityProblems(page), []);
  assert.deepEqual(problems, []);
  assert.equal((await run.stop('SIGINT')).code, isPassed ? 0 : 1);
});

test('turnsole run --ui: a run that is stopped does not wait for a second Ctrl-C', {
  skip: browserMissing,
}, async () => {
  await using run = new TurnsoleProcess(['run', QUICKSTART, '--ui'], { DISPLAY: undefined });
  await run.line(/run begins/);
  assert.equal((await run.stop('SIGINT')).code, 130);
});
