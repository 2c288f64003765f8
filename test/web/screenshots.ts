/**
 * `npm run screenshots -- FOLDER [PART]`: pictures of the page in both themes, wide and narrow, in forced colours and as it is printed: of a project on
 * the control plane, and from a real run of examples/quickstart, from beginning to halt. With PART, only pages of the project whose name has it, or with
 * `cluster` the latter alone. `readme.png` is the one that docs/images keeps as run.png. It ends with 1 if axe finds something in one of them.
 */
import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Page } from 'playwright-core';
import { buildPage } from '../../build/page.ts';
import { PACKAGE_ROOT } from '../../src/process/package-root.ts';
import { TurnsoleProcess } from '../support/turnsole.ts';
import { openPage, startBrowser } from './chromium.ts';
import { takePictures } from './picture.ts';
import { takeProject } from './project-pictures.ts';
import { linkOf, QUICKSTART } from './ui-command.ts';

/** The part that is about the cluster alone. */
const CLUSTER = 'cluster';

/** The part of the run page that says what it is about, in pixels. */
const README = { width: 1000, height: 620 };

async function takeAll(page: Page, folder: string): Promise<string[]> {
  const found: string[] = [];
  const run = page.url();
  await page.setViewportSize(README);
  await page.screenshot({ path: join(folder, 'readme.png') });
  const cluster = run.replace(/project\/.*/, 'cluster');
  const plan = `${run}?pane=plan&v=1`;
  const views = {
    'cluster-run': run,
    'cluster-plan': plan,
    'cluster-replay': `${run}?at=12&v=1`,
    cluster,
    'cluster-all': `${cluster}?kind=all&v=1`,
  };
  for (const [name, url] of Object.entries(views)) {
    await page.goto(url);
    await page.getByText('live', { exact: true }).waitFor();
    found.push(...(await takePictures(page, folder, name)));
  }
  return found;
}

const [given, only] = process.argv.slice(2);
if (given === undefined) throw new Error('say where to: npm run screenshots -- FOLDER');
const folder = resolve(given);
await mkdir(folder, { recursive: true });
const browser = await startBrowser();
try {
  const found = [
    ...(only === CLUSTER ? [] : await takeProject(browser, folder, only ?? '')),
    ...(only === undefined || only === CLUSTER ? await takeCluster(folder) : []),
  ];
  for (const problem of found) process.stderr.write(`${problem}\n`);
  if (found.length > 0) process.exitCode = 1;
} finally {
  await browser.close();
}

async function takeCluster(into: string): Promise<string[]> {
  // Where the command has its page, as in the package.
  await buildPage(PACKAGE_ROOT, join(PACKAGE_ROOT, 'dist', 'web'));
  await using run = new TurnsoleProcess(['run', QUICKSTART, '--ui'], { DISPLAY: undefined });
  const { page } = await openPage(browser);
  await page.goto(await linkOf(run));
  await run.line(/the page stays until Ctrl-C/);
  // On a busy machine users may not be served.
  await page
    .getByText(/^(Passed|Failed by a probe)$/)
    .first()
    .waitFor();
  return [...(await takeAll(page, into)), ...(await takeHalt(page, into))];
}

async function takeHalt(page: Page, into: string): Promise<string[]> {
  await page.getByRole('button', { name: 'Halt all chaos' }).click();
  await page.getByLabel(/^Reason/).fill('the shop has too many errors');
  await page.getByRole('button', { name: 'Halt and revert' }).click();
  await page.getByText(/^Chaos is halted by /).waitFor();
  return takePictures(page, into, 'cluster-halted');
}
