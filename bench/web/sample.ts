/** How long a newcomer waits for an answer: from the red button on the page of an empty cluster to the result of the sample. */
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { TurnsoleProcess, temporaryFolder } from '../../test/support/turnsole.ts';
import { openPage } from '../../test/web/chromium.ts';
import { linkOf } from '../../test/web/ui-command.ts';

/** A run whose fault is in force for 15 s may end as it likes on a busy machine; this bounds the wait alone. */
const LONGEST_MS = 180_000;

/** Measured times, in milliseconds. */
interface SampleTimes {
  /** From the start of `turnsole ui --local` to a page with a button. */
  readonly readyMs: number;
  /** From the click on it to the page that has the result. */
  readonly resultMs: number;
}

/** Runs the sample on an empty cluster by clicks, once. The page has to be built. */
export async function measureSample(browser: Browser): Promise<SampleTimes> {
  await using folder = await temporaryFolder();
  const started = performance.now();
  await using ui = new TurnsoleProcess(['ui', '--local', '--no-open', '--data', join(folder.path, 'ui')]);
  const { page } = await openPage(browser);
  await page.goto(await linkOf(ui));
  await page.getByRole('link', { name: 'Make an experiment' }).click();
  const button = page.getByRole('button', { name: 'Run the sample' });
  await button.waitFor();
  const clicked = performance.now();
  await button.click();
  await page.getByRole('button', { name: /^Run again/ }).waitFor({ timeout: LONGEST_MS });
  const resultMs = performance.now() - clicked;
  await page.context().close();
  await ui.stop('SIGINT');
  return { readyMs: clicked - started, resultMs };
}
