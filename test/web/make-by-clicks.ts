import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { accessibilityProblems } from './axe.ts';
import { picture } from './picture.ts';

/** From the list of experiments to a run with a check, for a Deployment that is there. */
export const MOST_CLICKS = 8;

/**
 * Makes an experiment with a check for the sample's Deployment from nothing, by clicks only, until it runs. A choice among options counts as two: one
 * opens them, one takes one. Gives the number of clicks.
 */
export async function makeByClicks(page: Page): Promise<number> {
  let clicks = 0;
  const click = async (role: 'button' | 'link', name: string): Promise<void> => {
    await page.getByRole(role, { name, exact: true }).click();
    clicks += 1;
  };
  await click('link', 'Create an experiment');
  await click('button', 'Delete pods');
  await page.getByLabel('The deployment that is hit').selectOption('web');
  clicks += 2;
  const proposed = 'http://web.default.svc.cluster.local:8080/';
  await page.locator(`input[value="${proposed}"]`).waitFor();
  await click('button', 'Add this check');
  const sentence = page.getByRole('region', { name: 'The experiment as a sentence' });
  await sentence.getByText(`${proposed} answers 200 within 1 s`).waitFor();
  await sentence.getByText(/^tried, \d/).waitFor();
  await picture(page, 'real-sentence');
  assert.deepEqual(await accessibilityProblems(page), []);
  await page.getByText('It would hit one target in its first round; nothing speaks against it.').waitFor();
  await click('button', 'Save and run now');
  await seeRun(page, 'web-pod-delete', 1);
  return clicks;
}

/** Waits for the page of a run, to which its begin leads. */
export async function seeRun(page: Page, name: string, number: number): Promise<void> {
  await page.getByRole('heading', { level: 1, name: `${name} · run ${number}` }).waitFor();
  await page.getByText('live', { exact: true }).waitFor();
}
