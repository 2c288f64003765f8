/** Takes a run along in every form that its page offers, as a reader does, and looks at what came. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { pathToFileURL } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { openPage } from './chromium.ts';

/** What an exported run has to say. */
interface Wanted {
  /** What names the run in title and report. */
  readonly name: RegExp;
  /** How some of its cases ended, by their names. */
  readonly cases: Readonly<Record<string, 'passed' | 'failure' | 'error'>>;
  /** Whether every case has passed. */
  readonly isPassed: boolean;
}

/** Downloads a run by each link of the page's menu, and reads it as those do for whom it is. */
export async function checkExports(browser: Browser, page: Page, wanted: Wanted): Promise<void> {
  const menu = page.locator('details.export');
  if ((await menu.getAttribute('open')) === null) await menu.getByText('Export', { exact: true }).click();
  await checkDocument(browser, await saved(page, 'HTML', 'link'), wanted);
  await checkJUnit(browser, await readFile(await saved(page, 'JUnit', 'link'), 'utf8'), wanted);
  checkReport(JSON.parse(await readFile(await saved(page, 'JSON', 'link'), 'utf8')), wanted);
  await checkPicture(browser, await readFile(await saved(page, 'PNG', 'button')));
}

/** @returns where the file lies */
async function saved(page: Page, name: string, role: 'link' | 'button'): Promise<string> {
  const download = page.waitForEvent('download');
  await page.locator('details.export').getByRole(role, { name, exact: true }).click();
  const file = await download;
  const ending = { HTML: 'html', JUnit: 'xml', JSON: 'json', PNG: 'png' }[name];
  assert.match(file.suggestedFilename(), new RegExp(`^[\\w.-]+\\.${ending}$`));
  return file.path();
}

/** The file stands alone: a browser without a network shows it, and it asks for nothing. */
async function checkDocument(browser: Browser, file: string, { name }: Wanted): Promise<void> {
  const { page, problems, requests } = await openPage(browser, { offline: true });
  const address = `${pathToFileURL(file).href}.html`;
  // A download has a name without an ending, which a browser would show as text.
  await page.route(address, async (route) =>
    route.fulfill({ contentType: 'text/html; charset=utf-8', body: await readFile(file) }),
  );
  await page.goto(address);
  await page.locator('.timeline-name').first().waitFor();
  assert.match(await page.title(), name);
  assert.ok((await page.locator('.steps tbody tr').count()) > 3, 'every step stands in it');
  assert.deepEqual(requests, [address]);
  assert.deepEqual(problems, []);
  await page.context().close();
}

/** An XML parser reads it, its counts are those of its cases, and they have the verdict. */
async function checkJUnit(browser: Browser, text: string, { cases, isPassed }: Wanted): Promise<void> {
  const { page } = await openPage(browser);
  const read = (await page.evaluate(
    `(() => {
      const read = new DOMParser().parseFromString(${JSON.stringify(text)}, 'application/xml');
      const { tests, failures, errors } = read.documentElement.attributes;
      return {
        broken: read.querySelectorAll('parsererror').length,
        root: read.documentElement.nodeName,
        said: [tests, failures, errors].map((one) => Number(one?.value)),
        ended: [...read.querySelectorAll('testcase')].map((one) => [
          one.getAttribute('name'),
          one.querySelector('failure, error, skipped')?.nodeName ?? 'passed',
        ]),
      };
    })()`,
  )) as { broken: number; root: string; said: number[]; ended: [name: string, end: string][] };
  await page.context().close();
  const count = (end: string): number => read.ended.filter(([, one]) => one === end).length;
  assert.deepEqual([read.broken, read.root], [0, 'testsuites'], text);
  assert.deepEqual(read.said, [read.ended.length, count('failure'), count('error')], text);
  assert.equal(count('failure') + count('error') === 0, isPassed, text);
  for (const [name, end] of Object.entries(cases))
    assert.deepEqual(
      read.ended.find(([one]) => one === name),
      [name, end],
      text,
    );
}

/** The report has what was hit, and no verdict that the run has not. */
function checkReport(report: unknown, { isPassed }: Wanted): void {
  const { engines } = report as {
    engines: { experiments: { verdict: string; targets: unknown[] }[]; timeline: unknown[] }[];
  };
  const experiments = engines.flatMap((engine) => engine.experiments);
  assert.equal(engines.length, 1);
  assert.equal(experiments.length > 0 && experiments.every(({ verdict }) => verdict === 'Pass'), isPassed);
  assert.ok(engines.every(({ timeline }) => timeline.length > 3));
}

/** A browser takes it for a picture, which is wide enough for every name and not one colour. */
async function checkPicture(browser: Browser, bytes: Buffer): Promise<void> {
  const { page } = await openPage(browser);
  const { width, height, colours } = (await page.evaluate(
    `(async () => {
      const image = new Image();
      image.src = 'data:image/png;base64,${bytes.toString('base64')}';
      await image.decode();
      const canvas = document.createElement('canvas');
      [canvas.width, canvas.height] = [image.width, image.height];
      const context = canvas.getContext('2d');
      context.drawImage(image, 0, 0);
      const points = new Uint32Array(context.getImageData(0, 0, image.width, image.height).data.buffer);
      return { width: image.width, height: image.height, colours: new Set(points).size };
    })()`,
  )) as { width: number; height: number; colours: number };
  await page.context().close();
  assert.equal(width, 2800, 'twice as many pixels as it is wide');
  assert.ok(height > 400 && height < 13_000, `${height} pixels high`);
  assert.ok(colours > 8, `${colours} colours`);
}
