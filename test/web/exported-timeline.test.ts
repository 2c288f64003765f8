/** An exported timeline in a real browser: drawn where the data says, without requests, errors or scripts from the data. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import type { Browser, Locator, Page } from 'playwright-core';
import { COMPONENT_FILE, componentText, timelineComponent } from '../../build/timeline-component.ts';
import type { RunRecord } from '../../src/services/report/run-record.ts';
import { timelinePage } from '../../src/services/report/timeline-page/model.ts';
import { renderTimelinePage } from '../../src/services/report/timeline-page/render.ts';
import { variants } from '../support/variants.ts';
import { accessibilityProblems } from './axe.ts';
import { browserMissing, closePages, openPage, startBrowser, type WatchedPage } from './chromium.ts';
import { CHECKOUT_RUN, momentOf } from './fixtures/checkout-run.ts';

const skip = browserMissing;
const root = join(import.meta.dirname, '../..');
let browser: Browser;
let folder: string;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'turnsole-page-'));
  if (skip === false) browser = await startBrowser();
});
afterEach(async () => {
  if (skip === false) await closePages(browser);
});
after(async () => {
  if (skip === false) await browser.close();
  await rm(folder, { recursive: true, force: true });
});

/** Exports a run and opens the file. */
async function open(
  record: RunRecord,
  options: Parameters<typeof openPage>[1] = {},
): Promise<WatchedPage & { readonly address: string }> {
  const file = join(folder, `${record.name.length}-${Object.keys(options).length}.html`);
  await writeFile(file, renderTimelinePage(timelinePage(record)));
  const opened = await openPage(browser, options);
  const address = pathToFileURL(file).href;
  await opened.page.goto(address);
  await opened.page.locator('.timeline-name').first().waitFor();
  return { ...opened, address };
}

/** What an element says. */
async function textOf(locator: Locator): Promise<string> {
  return (await locator.textContent()) ?? '';
}

/** Colour of a pixel of the lanes, as `r,g,b`, at a share of the width and in the row of a lane. */
async function colorAt(page: Page, share: number, lane: string): Promise<string> {
  const row = await page.locator('.timeline-name', { hasText: lane }).boundingBox();
  const stage = await page.locator('.timeline-stage').boundingBox();
  assert.ok(row !== null && stage !== null);
  const [x, y] = [Math.round(share * stage.width), Math.round(row.y - stage.y + row.height / 2 - 5)];
  return page.evaluate(
    `document.querySelector('.timeline-stage canvas').getContext('2d').getImageData(${x}, ${y}, 1, 1).data.slice(0, 3).join()`,
  );
}

/** Share of the width at which a moment of a run of 68 s stands: a fiftieth is empty on each side. */
const shareOf = (seconds: number): number => (seconds / 68 + 0.02) / 1.04;

test('the component that the command carries is made from the sources as they are', async () => {
  const made = componentText(await timelineComponent(root));
  assert.ok(readFileSync(join(root, COMPONENT_FILE), 'utf8') === made, 'npm run generate was not run');
});

test('an exported run is drawn at its times, from one file and without other requests', {
  skip,
}, async () => {
  const { page, problems, requests, address } = await open(CHECKOUT_RUN);
  assert.equal(await page.title(), 'shop/checkout-survives-pod-loss: timeline');
  assert.match(
    await textOf(page.locator('#why')),
    /^slo-99 .* failed 40 s after the start, 7 s after pod shop\/web-/,
  );
  assert.deepEqual(requests, [address]);
  // Reading the canvas below is told on the console.
  assert.deepEqual(problems, []);
  const [inForce, failed, nothing] = ['194,65,12', '196,32,46', '0,0,0'];
  assert.equal(await colorAt(page, shareOf(34), 'qm7q4'), inForce);
  assert.equal(await colorAt(page, shareOf(57), 'qm7q4'), inForce);
  assert.equal(await colorAt(page, shareOf(59), 'qm7q4'), nothing);
  assert.equal(await colorAt(page, shareOf(39), 'slo-99'), nothing);
  assert.equal(await colorAt(page, shareOf(57), 'slo-99'), failed);
});

test('the keyboard walks from mark to mark, is answered in words, and opens the table', {
  skip,
}, async () => {
  const { page } = await open(CHECKOUT_RUN);
  await page.getByRole('application', { name: /^Time axis/ }).focus();
  const spoken = page.locator('.timeline-spoken');
  await page.keyboard.press('ArrowRight');
  assert.match(await textOf(spoken), /^web-answers \(Continuous\), passed, \+3\.300 s to \+21\.000 s/);
  for (const key of ['ArrowDown', 'ArrowDown', 'ArrowDown']) await page.keyboard.press(key);
  assert.match(await textOf(spoken), /tcldh, recovered, \+8\.800 s/);
  await page.keyboard.press('ArrowLeft');
  assert.match(await textOf(spoken), /tcldh, injected, \+6\.000 s: pod-delete hit it/);
  await page.keyboard.press('Enter');
  const chosen = page.locator('[data-selected="true"]');
  await chosen.waitFor();
  assert.match(await textOf(chosen), /^\+6\.000 sTargetspod shop\/web-6d9f7c5b8-tcldhinjected/);
  const number = page.locator('.timeline-table .timeline-row', { hasText: 'measured' }).first();
  assert.equal(await textOf(number), '+3.300 sProbesweb-answers (Continuous)measuredresponse time 12 ms');
});

test('the pointer names the mark, and every lane says what it shows then', {
  skip,
}, async () => {
  const { page } = await open(CHECKOUT_RUN);
  const stage = await page.locator('.timeline-stage').boundingBox();
  const row = await page.locator('.timeline-name', { hasText: 'slo-99' }).boundingBox();
  assert.ok(stage !== null && row !== null);
  await page.mouse.move(stage.x + shareOf(45) * stage.width, row.y + 12);
  await page.locator('.timeline-tip', { hasText: '3.1 % of requests were errors' }).waitFor();
  const said = await textOf(page.locator('.timeline-name', { hasText: 'qm7q4' }).locator('small'));
  assert.equal(said, 'injected');
  const numbers = page.locator('.timeline-curve', { hasText: 'value 0.2 to 3.4' });
  assert.equal(await textOf(numbers.locator('small')), '3.1');
  await page.keyboard.down('Control');
  await page.mouse.wheel(0, -600);
  await page.locator('.timeline-ticks', { hasText: '45 s' }).waitFor();
});

/** The same run, whose pods are counted and belong to a workload that its first probe asks. */
function countedRun(): RunRecord {
  const [first, ...others] = CHECKOUT_RUN.results;
  assert.ok(first !== undefined);
  const owner = { kind: 'deployment', name: 'web' };
  const ready = [
    [5.5, 3],
    [6.4, 2],
    [8.8, 3],
    [12.5, 2],
    [15.2, 3],
  ] as const;
  const workloads = [
    {
      ...{
        kind: 'deployment',
        namespace: 'shop',
        name: 'web',
        readyBefore: 3,
        lowestReady: 2,
        noneReadySeconds: 0,
      },
      ready: ready.map(([seconds, pods]) => ({ time: momentOf(seconds), pods })),
    },
  ];
  const ledger = Object.fromEntries(
    Object.entries(first.status?.ledger ?? {}).map(([id, entry]) => [
      id,
      { ...entry, target: { ...entry.target, owner } },
    ]),
  );
  const probeStatuses = first.status?.probeStatuses?.map((one) => ({
    ...one,
    subject: 'GET http://web:8080/',
  }));
  const status = { ...first.status, ledger, workloads, ...(probeStatuses && { probeStatuses }) };
  return { ...CHECKOUT_RUN, results: [{ ...first, status }, ...others] };
}

/** The dots of the first box, as their states. */
async function dotsOf(page: Page): Promise<string> {
  const dots = await page.locator('.replay-dots').first().locator('i').all();
  return (await Promise.all(dots.map((dot) => dot.getAttribute('data-state')))).join(' ');
}

test('a replay shows the run at each moment, by its buttons, by the keyboard, by the hand and by its link', {
  skip,
}, async () => {
  const { page, problems, address } = await open(countedRun());
  await page.getByRole('button', { name: 'Replay' }).click();
  const handle = page.getByRole('slider', { name: 'Moment of the replay' });
  await handle.focus();
  const told = (): Promise<string | null> => handle.getAttribute('aria-valuetext');
  assert.match((await told()) ?? '', /^\+0\.000 s: run begins: pod-delete/);
  assert.equal(await dotsOf(page), 'well well well');
  for (let step = 0; step < 7; step += 1) await page.keyboard.press('ArrowRight');
  assert.match((await told()) ?? '', /^\+7\.000 s: shop\/web loses a pod; 2 of 3 pods ready\.$/);
  assert.equal(await dotsOf(page), 'unready well well');
  assert.ok(page.url().endsWith('#at=7'));
  await page.keyboard.press('.');
  assert.match((await told()) ?? '', /^\+8\.800 s: /);
  assert.equal(await dotsOf(page), 'well well well');
  await page.getByRole('button', { name: 'Previous event (,)' }).click();
  assert.match((await told()) ?? '', /^\+6\.400 s: /);
  // The hand takes it anywhere in the row of times.
  const row = await page.locator('.timeline-times').boundingBox();
  assert.ok(row !== null);
  await page.mouse.move(row.x + shareOf(20) * row.width, row.y + row.height / 2);
  await page.mouse.down();
  await page.mouse.move(row.x + shareOf(45) * row.width, row.y + row.height / 2);
  await page.mouse.up();
  assert.match((await told()) ?? '', /^\+4[45]\.\d{3} s: .*slo-99 .* fails/);
  await page.locator('.replay-probe[data-found="failure"]', { hasText: 'slo-99' }).waitFor();
  // Another reader opens the link.
  const { page: other } = await openPage(browser);
  await other.goto(`${address}#at=12.6`);
  await other.getByText('pod-delete in force, 6 of 15 s').waitFor();
  assert.equal(await dotsOf(other), 'well unready well');
  await other.getByRole('button', { name: 'Close the replay' }).click();
  assert.ok(!other.url().includes('at='));
  await other.getByRole('button', { name: 'Replay' }).waitFor();
  assert.deepEqual(problems, []);
});

for (const reducedMotion of ['no-preference', 'reduce'] as const) {
  test(`a replay plays to its end, pauses, and begins again: motion ${reducedMotion}`, { skip }, async () => {
    const { page, problems } = await open(countedRun(), { reducedMotion });
    await page.getByRole('button', { name: 'Replay' }).click();
    await page.getByLabel('Speed').selectOption('20 ×');
    await page.getByRole('button', { name: 'Play', exact: true }).click();
    const over = page.getByText('+68.0 s of 1 min 8 s');
    const seen: readonly string[] = await page.evaluate(`new Promise((resolve) => {
      const time = document.querySelector('.replay-time');
      const seen = [];
      const look = new MutationObserver(() => {
        seen.push(time.textContent);
        if (time.textContent.startsWith('+68.0 s')) {
          look.disconnect();
          resolve(seen);
        }
      });
      look.observe(time, { childList: true, characterData: true, subtree: true });
    })`);
    await over.waitFor();
    // 68 s at 20 times take 3.4 s: for readers without motion twice a second.
    if (reducedMotion === 'reduce') assert.ok(seen.length <= 9, `it moved ${seen.length} times`);
    else assert.ok(seen.length > 9, `it moved ${seen.length} times`);
    const play = page.getByRole('button', { name: 'Play', exact: true });
    await play.click();
    const pause = page.getByRole('button', { name: 'Pause', exact: true });
    await pause.click();
    const stopped = await textOf(page.locator('.replay-time'));
    await play.waitFor();
    assert.equal(await textOf(page.locator('.replay-time')), stopped);
    assert.ok(!stopped.startsWith('+68.0'), 'it begins again');
    assert.deepEqual(problems, []);
  });
}

test('steps are filtered by what is typed', { skip }, async () => {
  const { page } = await open(CHECKOUT_RUN);
  await page.getByLabel('Show only steps with').fill('verdict');
  const steps = page.locator('.steps tbody tr:visible td:nth-child(4)');
  assert.deepEqual(await steps.allTextContents(), ['Verdict', 'Verdict']);
});

const HOSTILE =
  '</script><script>document.title = "taken over"</script>\u202e\u0007<img src=x onerror=alert(1)>';

test('what the cluster says is shown as it is, and never run', { skip }, async () => {
  const [first, ...others] = CHECKOUT_RUN.results;
  assert.ok(first !== undefined);
  const timeline = first.status?.timeline?.map((step) => ({ ...step, message: HOSTILE }));
  const ledger = Object.fromEntries(
    Object.entries(first.status?.ledger ?? {}).map(([id, entry]) => [
      id,
      { ...entry, target: { ...entry.target, name: HOSTILE }, message: HOSTILE },
    ]),
  );
  const status = { ...first.status, ledger, ...(timeline === undefined ? {} : { timeline }) };
  const { page, problems, requests } = await open({
    ...CHECKOUT_RUN,
    name: HOSTILE,
    results: [{ ...first, status }, ...others],
  });
  assert.ok((await page.title()).startsWith('shop/</script>'));
  await page.getByRole('button', { name: 'Table' }).first().click();
  await page.locator('.timeline-rows [role="row"]').first().waitFor();
  assert.equal(await page.locator('img').count(), 0);
  assert.deepEqual(problems, []);
  assert.equal(requests.length, 1);
});

for (const colorScheme of variants(['light', 'dark'])) {
  for (const width of variants([1400, 1024, 360])) {
    test(`it can be used by everybody: ${colorScheme}, ${width} px`, { skip }, async () => {
      const { page, problems } = await open(CHECKOUT_RUN, { colorScheme, viewport: { width, height: 900 } });
      assert.deepEqual(await accessibilityProblems(page), []);
      const wide: number = await page.evaluate('document.documentElement.scrollWidth');
      assert.ok(wide <= width, `the page is ${wide} px wide`);
      await page.getByRole('button', { name: 'Show the marks as a table (t)' }).click();
      await page.getByRole('button', { name: 'Keys and signs (?)' }).click();
      assert.deepEqual(await accessibilityProblems(page), []);
      await page.getByRole('button', { name: 'Show the marks as a table (t)' }).click();
      await page.getByRole('button', { name: 'Replay' }).click();
      await page.getByRole('slider').press('PageUp');
      assert.deepEqual(await accessibilityProblems(page), []);
      const wideWithReplay: number = await page.evaluate('document.documentElement.scrollWidth');
      assert.ok(wideWithReplay <= width, `with its replay the page is ${wideWithReplay} px wide`);
      assert.deepEqual(problems, []);
    });
  }
}
