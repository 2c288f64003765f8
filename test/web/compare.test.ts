/** Two runs side by side, and a run taken along, in a real browser. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import type { ShownRun } from '../../web/views/run/generated/run.ts';
import { variants } from '../support/variants.ts';
import { answeredPages } from './answered-page.ts';
import { accessibilityProblems } from './axe.ts';
import { browserMissing, type openPage } from './chromium.ts';
import { checkoutRun, type RunNames } from './fixtures/execution.ts';
import { type Answers } from './page-server.ts';

const skip = browserMissing;
const { open: openWith } = answeredPages();

/** Run 42 failed by a probe that passed in run 41; run 40 did so too. */
function threeRuns(names?: RunNames): readonly ShownRun[] {
  const run = checkoutRun(true, names);
  const passed = {
    phase: 'Completed' as const,
    outcome: { ...run.outcome, state: 'passed', word: 'Passed' },
    executionData: run.executionData
      .replaceAll('"verdict":"Failed"', '"verdict":"Passed"')
      .replaceAll('"Completed_With_Probe_Failure"', '"Completed"'),
  };
  return [
    run,
    { ...run, ...passed, experimentRunID: 'before', runSequence: 41 },
    { ...run, experimentRunID: 'first', runSequence: 40 },
  ];
}

function answersOf(runs: readonly ShownRun[]): Answers {
  return {
    getExperimentRun: ({ experimentRunID }) => runs.find((one) => one.experimentRunID === experimentRunID),
    listExperimentRun: () => ({ totalNoOfExperimentRuns: runs.length, experimentRuns: runs }),
  };
}

function open(path: string, runs = threeRuns(), options: Parameters<typeof openPage>[1] = {}) {
  return openWith(answersOf(runs), `/project/p${path}`, options);
}

test('a run leads to the one before it; what differs is said, listed, and shown on one axis', {
  skip,
}, async () => {
  const { page, problems } = await open('/runs/run');
  await page.getByRole('link', { name: 'Compare with run 41' }).click();
  await page.waitForURL(/\/compare\?a=before&b=run&v=1$/);
  await page
    .getByText(
      'Run 42: Failed by a probe, run 41: Passed; probe slo-99 (Continuous), pod-network-latency: failed instead of passed;',
    )
    .waitFor();
  const row = page.getByRole('row', { name: /^probe slo-99/ });
  assert.deepEqual(await row.getByRole('cell').allTextContents(), ['passed', 'failed', 'show Ashow B']);
  await row.getByRole('button', { name: 'show B' }).click();
  await page.waitForURL(/[?&]mark=\d+/);
  const link = page.url();
  // The end of whose lane it is may be cut.
  await page
    .getByText(/^B slo-99 \(Continuous\), pod-network/)
    .first()
    .waitFor();

  await page.getByLabel('Run A').selectOption('run 40, Failed by a probe');
  await page.waitForURL(/[?&]a=first/);
  await page.getByText('Both runs: Failed by a probe; nothing else differs.').waitFor();
  await page.goBack();
  assert.equal(page.url(), link);
  assert.deepEqual(problems, []);
});

test('the list of runs leads to each run beside the one before it', { skip }, async () => {
  const { page } = await open('/runs');
  await page
    .getByRole('row', { name: /run|checkout/i })
    .getByRole('link', { name: 'with the run before' })
    .first()
    .click();
  await page.waitForURL(/\/compare\?b=run&v=1$/);
  await page.getByRole('row', { name: /^probe slo-99/ }).waitFor();
});

test('without run A the comparison takes the run before B, and says when there is none', {
  skip,
}, async () => {
  const { page } = await open('/compare?b=run');
  await page.getByRole('row', { name: /^probe slo-99/ }).waitFor();
  const { page: first } = await open('/compare?b=first');
  await first.getByText('There is no run before this one').waitFor();
});

const HOSTILE = '<img src=x onerror="document.title=1">\u202e\u0007</script>';

test('a comparison shows hostile names as text, and they do not reverse the text beside them', {
  skip,
}, async () => {
  const names = { experiment: HOSTILE, target: HOSTILE, probe: HOSTILE, found: HOSTILE };
  const { page, problems } = await open('/compare?a=before&b=run', threeRuns(names));
  await page.getByRole('row', { name: /^probe <img src=x/ }).waitFor();
  assert.equal(await page.locator('img').count(), 0);
  const text = (await page.locator('main').textContent()) ?? '';
  assert.ok(!text.includes('\u202e') && !text.includes('\u0007'), text);
  assert.equal(await page.title(), 'Two runs · Turnsole');
  assert.deepEqual(problems, []);
});

test('the axis is saved as a picture, hostile names and all', { skip }, async () => {
  const names = { experiment: HOSTILE, target: HOSTILE, probe: HOSTILE, found: HOSTILE };
  const { page, problems } = await open('/runs/run', threeRuns(names));
  await page.getByText('Export', { exact: true }).click();
  assert.equal(
    await page.getByRole('link', { name: 'JUnit' }).getAttribute('href'),
    '/export/run/p/run/junit',
  );
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'PNG' }).click();
  const file = await download;
  assert.match(file.suggestedFilename(), /^[\w.-]+\.png$/);
  const bytes = await readFile(await file.path());
  assert.equal(bytes.subarray(1, 4).toString(), 'PNG');
  assert.equal(bytes.readUInt32BE(16), 2800, 'twice as many pixels as it is wide');
  assert.ok(bytes.length > 20_000, `${bytes.length} bytes`);
  assert.deepEqual(problems, []);
});

for (const colorScheme of variants(['light', 'dark'])) {
  for (const width of variants([1400, 360])) {
    test(`everybody can compare: ${colorScheme}, ${width} px`, { skip }, async () => {
      const { page } = await open('/compare?a=before&b=run', undefined, {
        colorScheme,
        viewport: { width, height: 900 },
      });
      await page.getByRole('row', { name: /^probe slo-99/ }).waitFor();
      assert.deepEqual(await accessibilityProblems(page), []);
      const wide: number = await page.evaluate('document.documentElement.scrollWidth');
      assert.ok(wide <= width, `the page is ${wide} px wide`);
    });
  }
}
