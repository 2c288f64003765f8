/** `npm run bench:web`: frames per second of a run with 50,000 marks in Chromium, while it is zoomed, dragged and scrolled, and of the replay of a run of eleven minutes; then how soon the page of `turnsole ui` shows itself, what happens in its cluster, a list of thousands, and how long the sample takes from the red button to its result. `--only lists`, `--only replay` and `--only sample` measure that alone. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import type { Browser, Page } from 'playwright-core';
import { buildPage } from '../build/page.ts';
import { PACKAGE_ROOT } from '../src/process/package-root.ts';
import { renderTimelinePage } from '../src/services/report/timeline-page/render.ts';
import { openPage, startWholeBrowser } from '../test/web/chromium.ts';
import { measureLists } from './web/lists.ts';
import { measureLive } from './web/live.ts';
import { deletingRun, longRun } from './web/long-run.ts';
import { measureSample } from './web/sample.ts';
import { replayScript, sweepScript } from './web/sweep.ts';

/** The axis answers a hand when it draws 50 frames a second, also in the worst of twenty. */
const LONGEST_MS = 20;
/** A frame that comes a moment after the screen's own beat still counts as that one. */
const BEAT_MS = 0.5;

/** A person takes these for at once: the first view, and half of what happens, in milliseconds. */
const [FIRST_VIEW_MS, SHOWN_P50_MS] = [1000, 150];
/** Runs in a list, and how much later its first row may come with the most of them than with the fewest. */
const [LIST_RUNS, MOST_LATER] = [[50, 5000], 1.5] as const;
/** From the first red button to its result, in milliseconds. */
const RESULT_MS = 60_000;
/** Visits of each list. */
const VISITS = 7;
/** Steps that are added to the live run: as many as its table shows without scrolling. */
const LIVE_STEPS = 20;

/** Gives what the main thread of a page has computed so far, in seconds: what other processes do is not in it. */
async function processorClock(page: Page): Promise<() => Promise<number>> {
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  return async () => {
    const { metrics } = await session.send('Performance.getMetrics');
    return metrics.find(({ name }) => name === 'TaskDuration')?.value ?? 0;
  };
}

function rounded(ms: number): number {
  return Math.round(ms * 10) / 10;
}

const { values } = parseArgs({
  options: {
    marks: { type: 'string', default: '50000' },
    seconds: { type: 'string', default: '5' },
    json: { type: 'string' },
    only: { type: 'string' },
  },
});

/** Measures lists, and says so where they are too slow. */
async function lists(browser: Browser) {
  const measured = await measureLists(browser, LIST_RUNS, VISITS);
  console.log(`first row of a list, median of ${VISITS} visits`);
  console.table(measured);
  const times = measured.map(({ firstRowMs }) => firstRowMs);
  const later = Math.max(...times) / Math.min(...times);
  if (later > MOST_LATER) {
    console.error(`too slow: the first row comes ${rounded(later)} times as late with the most runs`);
    process.exitCode = 1;
  }
  return measured;
}

/** Measures frames, and what they cost. */
async function frames(page: Page, gesture: string, script: string) {
  const processorSeconds = await processorClock(page);
  const secondsBefore = await processorSeconds();
  const times: number[] = await page.evaluate(script);
  const perFrame = (1000 * ((await processorSeconds()) - secondsBefore)) / times.length;
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number): number => sorted[Math.floor(share * (sorted.length - 1))] ?? 0;
  const perSecond = (1000 * times.length) / times.reduce((sum, time) => sum + time, 0);
  return {
    ...{ gesture, 'frames/s': Math.round(perSecond) },
    ...{ 'p50 ms': rounded(at(0.5)), 'p95 ms': rounded(at(0.95)), 'most ms': rounded(at(1)) },
    'processor ms per frame': rounded(perFrame),
  };
}

/** Measures a replay in an exported file, and says so where half of its frames take too long. */
async function replay(browser: Browser, folder: string) {
  const file = join(folder, 'replay.html');
  await writeFile(file, renderTimelinePage(deletingRun()));
  const { page } = await openPage(browser);
  await page.goto(`${pathToFileURL(file).href}#at=0`);
  await page.getByRole('button', { name: 'Play', exact: true }).waitFor();
  const measured = await frames(page, 'replay at 20 times', replayScript());
  console.log('replay of a run of eleven minutes');
  console.table([measured]);
  if (measured['p50 ms'] > LONGEST_MS + BEAT_MS) {
    console.error(`too slow: half of the frames of a replay are to take at most ${LONGEST_MS} ms`);
    process.exitCode = 1;
  }
  return measured;
}

/** Measures what a newcomer waits for, and says so where it is too long. */
async function sample(browser: Browser) {
  const { readyMs, resultMs } = await measureSample(browser);
  console.log(
    `the page of an empty cluster is there after ${Math.round(readyMs)} ms; its red button has a result after ${Math.round(resultMs)} ms`,
  );
  if (resultMs > RESULT_MS) {
    console.error(`too slow: the result of the sample is to be there within ${RESULT_MS} ms`);
    process.exitCode = 1;
  }
  return { readyMs: Math.round(readyMs), resultMs: Math.round(resultMs) };
}

/** What `--only` measures alone. */
const ALONE: Readonly<Record<string, (browser: Browser, folder: string) => Promise<object>>> = {
  replay: async (browser, folder) => ({ replay: await replay(browser, folder) }),
  lists: async (browser) => ({ lists: await lists(browser) }),
  sample: async (browser) => ({ sample: await sample(browser) }),
};

if (values.only !== undefined) {
  const alone = ALONE[values.only];
  if (alone === undefined) throw new Error(`--only is one of ${Object.keys(ALONE).join(', ')}`);
  const browser = await startWholeBrowser();
  const folder = await mkdtemp(join(tmpdir(), 'turnsole-bench-'));
  try {
    await buildPage(PACKAGE_ROOT, join(PACKAGE_ROOT, 'dist', 'web'));
    const measured = await alone(browser, folder);
    if (values.json !== undefined) await writeFile(values.json, JSON.stringify(measured));
  } finally {
    await browser.close();
    await rm(folder, { recursive: true, force: true });
  }
  process.exit();
}

const folder = await mkdtemp(join(tmpdir(), 'turnsole-bench-'));
const browser = await startWholeBrowser();
try {
  const file = join(folder, 'run.html');
  await writeFile(file, renderTimelinePage(longRun(Number(values.marks))));
  const { page } = await openPage(browser);
  const begun = performance.now();
  await page.goto(pathToFileURL(file).href);
  await page.locator('.timeline-name').first().waitFor();
  const shownMs = Math.round(performance.now() - begun);
  const measured = [];
  for (const gesture of ['zoom', 'drag', 'scroll'] as const)
    measured.push(await frames(page, gesture, sweepScript(gesture, Number(values.seconds) * 1000)));
  const replayed = await replay(browser, folder);
  await buildPage(PACKAGE_ROOT, join(PACKAGE_ROOT, 'dist', 'web'));
  const live = await measureLive(browser, LIVE_STEPS);
  const listed = await lists(browser);
  const sampled = await sample(browser);
  const inOrder = live.shownMs.toSorted((a, b) => a - b);
  const [p50Ms = 0, p95Ms = 0] = [0.5, 0.95].map((share) => inOrder[Math.floor(share * (LIVE_STEPS - 1))]);
  const firstViewMs = Math.round(live.firstViewMs);
  console.log(`${values.marks} marks, shown after ${shownMs} ms`);
  console.table(measured);
  console.log(
    `first view after ${firstViewMs} ms; a step is on the screen after ${rounded(p50Ms)} ms (p50), ${rounded(p95Ms)} ms (p95)`,
  );
  if (values.json !== undefined)
    await writeFile(
      values.json,
      JSON.stringify({
        marks: Number(values.marks),
        shownMs,
        ...{ measured, replay: replayed },
        live: { firstViewMs, p50Ms, p95Ms },
        ...{ lists: listed, sample: sampled },
      }),
    );
  const slow = measured.filter((one) => one['p95 ms'] > LONGEST_MS + BEAT_MS);
  if (slow.length > 0) {
    console.error(
      `too slow: ${slow.map(({ gesture }) => gesture).join(', ')}; one frame of twenty took longer than ${LONGEST_MS} ms`,
    );
    process.exitCode = 1;
  }
  if (firstViewMs > FIRST_VIEW_MS || p50Ms > SHOWN_P50_MS) {
    console.error(
      `too slow: the first view is to come within ${FIRST_VIEW_MS} ms, a step within ${SHOWN_P50_MS} ms (p50)`,
    );
    process.exitCode = 1;
  }
} finally {
  await browser.close();
  await rm(folder, { recursive: true, force: true });
}
