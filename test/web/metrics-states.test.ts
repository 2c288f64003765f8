/** How often the run page asks for metrics, and what it shows of them in each of their states. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import type { RunMetrics } from '../../src/controlplane/schema/generated/types.ts';
import { answeredPages } from './answered-page.ts';
import { browserMissing } from './chromium.ts';
import { checkoutRun } from './fixtures/execution.ts';
import { type Answers } from './page-server.ts';

const skip = browserMissing;
const { open: openWith } = answeredPages();

/** Makes the pauses between two questions for metrics short; `passed` waits for some of them, `isDone` until none is to come. */
const HURRY = `
  const [set, clear] = [window.setInterval, window.clearInterval];
  const pauses = new Set();
  let [onPause, onDone] = [() => {}, () => {}];
  window.setInterval = (call, ms, ...rest) => {
    if (ms !== 15_000) return set(call, ms, ...rest);
    const id = set(() => { call(); onPause(); }, 200);
    pauses.add(id);
    return id;
  };
  window.clearInterval = (id) => {
    clear(id);
    if (pauses.delete(id) && pauses.size === 0) onDone();
  };
  window.passed = async (count) => {
    for (let left = count; left > 0; left -= 1) await new Promise((resolve) => { onPause = resolve; });
  };
  window.isDone = () => new Promise((resolve) => {
    onDone = resolve;
    if (pauses.size === 0) resolve();
  });`;

/** Waits until a lane is called so, as far as the text says. */
function lane(page: Page, start: string): Promise<void> {
  return page.locator(`.timeline-curve[title^="${start}"]`).waitFor();
}

/** Opens a run on a page that is in a hurry. */
async function open(answers: Answers) {
  const opened = await openWith(answers, '/project/p/runs/run', { script: HURRY });
  const asked = (): number =>
    opened.server.asked.filter(({ query }) => query.includes('getRunMetrics(')).length;
  return { ...opened, asked };
}

const withPrometheus = (isOver: boolean): object => {
  const run = checkoutRun(isOver);
  return { ...run, infra: { ...run.infra, metrics: { address: 'http://prometheus:9090' } } };
};
const begin = Number(checkoutRun(true).createdAt);
const answer = (more: Partial<RunMetrics> = {}): object => ({
  ...{
    problem: null,
    startMs: Number(checkoutRun(true).createdAt),
    stepMs: 1_000,
    isFinal: true,
    metrics: [],
  },
  ...more,
});
const errors = (...values: (number | null)[]) => [
  { name: 'errors', unit: '', problem: null, leftOut: 0, series: [{ labels: [], values }] },
];

test('the page requests metrics again until they are final, but not while it is hidden', {
  skip,
}, async () => {
  let [value, isFinal] = [1, false];
  const { page, asked } = await open({
    getExperimentRun: () => withPrometheus(false),
    getRunMetrics: () => answer({ isFinal, metrics: errors(0, value) }),
  });
  await lane(page, 'errors, 0 to 1');
  value = 2;
  await lane(page, 'errors, 0 to 2');
  const show = (state: 'hidden' | 'visible'): Promise<void> =>
    page.evaluate(`
      Object.defineProperty(document, 'visibilityState', { value: '${state}', configurable: true });
      document.dispatchEvent(new Event('visibilitychange', { bubbles: true }));`);
  await show('hidden');
  // What was on its way arrives.
  await page.evaluate('passed(2)');
  const before = asked();
  value = 3;
  await page.evaluate('passed(5)');
  assert.equal(asked(), before);
  await show('visible');
  await lane(page, 'errors, 0 to 3');
  [value, isFinal] = [4, true];
  await lane(page, 'errors, 0 to 4');
  await page.evaluate('isDone()');
});

test('metrics of a run that is over are asked for once; what is not known is a gap, and the time around the run is shown', {
  skip,
}, async () => {
  const { page, problems, asked } = await open({
    getExperimentRun: () => withPrometheus(true),
    getRunMetrics: () => answer({ startMs: begin - 30_000, stepMs: 15_000, metrics: errors(1, null, 7) }),
  });
  await lane(page, 'errors, 1 to 7');
  await page.evaluate('isDone()');
  assert.equal(asked(), 1);
  await page.getByText('Metrics reach beyond the run').waitFor();
  const first = page.locator('.timeline-ticks span').first();
  const left = (await first.boundingBox())?.x ?? 0;
  await page.getByRole('button', { name: 'Zoom out (−)' }).click();
  await page.waitForURL(/[?&]t=-/);
  assert.ok(
    ((await first.boundingBox())?.x ?? 0) > left,
    'the start of the run has what was before beside it',
  );
  await page.getByRole('button', { name: 'Show the marks as a table (t)' }).click();
  assert.equal(await page.getByRole('row', { name: /Metrics errors measured/ }).count(), 2);
  assert.deepEqual(problems, []);
});

test('without metrics the page shows the reason and the run, and a button requests them again', {
  skip,
}, async () => {
  let isAway = true;
  const { page, asked } = await open({
    getExperimentRun: () => withPrometheus(true),
    getRunMetrics: () =>
      isAway ? answer({ problem: 'the agent of kind is not connected' }) : answer({ metrics: errors(1) }),
  });
  await page.getByText('There are no metrics: the agent of kind is not connected').waitFor();
  await page.getByText(/^slo-99 \(Continuous\), pod-network-latency failed while/).waitFor();
  await page.evaluate('isDone()');
  assert.equal(asked(), 1);
  isAway = false;
  await page.getByRole('button', { name: 'Ask again' }).click();
  await lane(page, 'errors, 1');
  const without = await open({ getExperimentRun: () => checkoutRun(true) });
  await without.page.getByText(/^slo-99 \(Continuous\), pod-network-latency failed while/).waitFor();
  assert.equal(without.asked(), 0);
  assert.equal(await without.page.getByRole('region', { name: 'Metrics' }).count(), 0);
});
