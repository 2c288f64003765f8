/** The page of a run in a real browser: drawn where the data says, without requests, errors or scripts from the data. */
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { chromium } from 'playwright-core';
import { timelinePage } from '../../src/services/report/timeline-page/model.ts';
import { renderTimelinePage } from '../../src/services/report/timeline-page/render.ts';

const EXECUTABLES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
const executablePath = EXECUTABLES.find((path) => existsSync(path));
const skip = executablePath === undefined ? 'no Chromium here' : false;
/** No profile services: they would ask the network. */
const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

const START = Date.parse('2030-01-01T00:00:00Z');
const at = (seconds: number): string => new Date(START + seconds * 1000).toISOString();

test('the timeline page in a browser', { skip, timeout: 60_000 }, async (context) => {
  const folder = mkdtempSync(join(tmpdir(), 'turnsole-page-'));
  context.after(() => rmSync(folder, { recursive: true, force: true }));
  const step = (seconds: number, name: string, message: string) => ({
    time: at(seconds),
    actor: 'experiment/loss',
    step: name,
    message,
    runId: 'r1',
  });
  const html = renderTimelinePage(
    timelinePage({
      name: 'checkout',
      namespace: 'shop',
      engine: undefined,
      runId: 'r1',
      results: [
        {
          metadata: { name: 'checkout-loss' },
          spec: { engine: 'checkout', experiment: 'loss' },
          status: {
            timeline: [
              step(0, 'ExperimentStarted', 'begins'),
              step(5, 'ChaosStarted', '<script>document.title = "taken over"</script>'),
              step(15, 'ChaosEnded', 'over'),
              step(20, 'Verdict', 'Pass'),
            ],
          },
        },
      ],
    }),
  );
  const file = join(folder, 'page.html');
  writeFileSync(file, html);
  const browser = await chromium.launch({
    ...(executablePath === undefined ? {} : { executablePath }),
    args: FLAGS,
  });
  context.after(() => browser.close());
  const page = await browser.newPage({ viewport: { width: 1200, height: 800 } });
  const problems: string[] = [];
  const requests: string[] = [];
  page.on('console', (message) => problems.push(message.text()));
  page.on('pageerror', (error) => problems.push(error.message));
  page.on('request', (request) => requests.push(request.url()));
  await page.goto(pathToFileURL(file).href);

  assert.equal(await page.title(), 'shop/checkout: timeline');
  const track = await page.locator('.track:has(.bar.chaos)').boundingBox();
  const bar = await page.locator('.bar.chaos').boundingBox();
  assert.ok(track !== null && bar !== null);
  assert.ok(Math.abs(bar.x - (track.x + track.width / 4)) < 2, `begins at ${bar.x}`);
  assert.ok(Math.abs(bar.width - track.width / 2) < 2, `is ${bar.width} wide`);
  assert.equal(await page.getByRole('img', { name: /\+5\.000s to \+15\.000s/ }).count(), 1);

  await page.getByLabel('Show only steps with').fill('verdict');
  assert.deepEqual(await page.locator('tbody tr:visible td:nth-child(4)').allTextContents(), ['Verdict']);
  assert.deepEqual(problems, []);
  assert.deepEqual(requests, [pathToFileURL(file).href]);
});
