/** The run page in a real browser, in each of its states. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { variants } from '../support/variants.ts';
import { answeredPages } from './answered-page.ts';
import { accessibilityProblems } from './axe.ts';
import { browserMissing, inWindow } from './chromium.ts';
import { checkoutRun } from './fixtures/execution.ts';
import { type Answers, refusal } from './page-server.ts';

const skip = browserMissing;
const { open, beside } = answeredPages();

const RUN_PATH = '/project/p/runs/run';
const over: Answers = { getExperimentRun: () => checkoutRun(true) };
const running: Answers = { getExperimentRun: () => checkoutRun(false) };

function heading(page: Page): Promise<void> {
  return page.getByRole('heading', { level: 1, name: 'checkout-survives-pod-loss · run 42' }).waitFor();
}

test('a run that is over says why it failed, under a strict policy and from one host', {
  skip,
}, async () => {
  const { page, problems, requests, server } = await open(over, RUN_PATH);
  await heading(page);
  await page
    .getByText(
      'slo-99 (Continuous), pod-network-latency failed while pod web-6d9f7c5b8-rrdw5, pod web-6d9f7c5b8-tcldh were hit: 3.1 % of requests were errors, at most 1 % may be.',
    )
    .waitFor();
  assert.equal(await page.title(), 'checkout-survives-pod-loss · run 42 · Turnsole');
  assert.equal(await page.getByRole('button', { name: /^Abort/ }).count(), 0);
  assert.deepEqual(problems, []);
  assert.deepEqual(
    requests.filter((url) => !url.startsWith(`${server.address}/`)),
    [],
  );
});

test('exact times of an agent are on the axis and in the sentence; without them the page says whose times they are', {
  skip,
}, async () => {
  const hint = /^Times are those of the agent, to the second, and of steps only/;
  const { page: without } = await open(over, RUN_PATH);
  await without.getByText(hint).waitFor();
  const startMs = 1_767_225_600_000;
  const lane = (group: string, name: string, kind: string, fromMs: number, toMs: number): object => {
    const bar = { kind, fromMs: startMs + fromMs, toMs: startMs + toMs, label: 'said so' };
    return { group, name, bars: [bar], marks: [] };
  };
  const timeline = {
    ...{ title: 'shop/e', startMs, endMs: startMs + 20_000, warnings: [], steps: [] },
    verdicts: [{ experiment: 'pod-delete', verdict: 'Fail', detail: '' }],
    lanes: [
      lane('Targets', 'pod shop/web-1', 'injected', 1_000, 9_000),
      lane('Probes', 'slo (Continuous)', 'failure', 2_250, 9_000),
    ],
  };
  const getExperimentRun = (): object => ({ ...checkoutRun(true), timeline: JSON.stringify(timeline) });
  const { page } = await open({ getExperimentRun }, RUN_PATH);
  await page
    .getByText(/slo \(Continuous\) failed 2\.3 s after the start.*after pod shop\/web-1 was hit/)
    .waitFor();
  assert.equal(await page.getByText(hint).count(), 0);
});

test('a run that never began has the reason as its sentence, under the ID of its start', {
  skip,
}, async () => {
  const problem = 'admission webhook "guard" denied the request: <b>no chaos on Fridays</b>';
  const getExperimentRun = ({ notifyID }: Readonly<Record<string, unknown>>): object => ({
    ...checkoutRun(true),
    ...{ experimentRunID: '', notifyID, phase: 'Error' },
    outcome: {
      ...checkoutRun(true).outcome,
      state: 'refused',
      word: 'Could not run',
      reason: problem,
      isByChaos: false,
      score: null,
    },
    ...{ timeline: null, details: null, executionData: '{"name":"checkout","phase":"Error","nodes":{}}' },
  });
  const { page, problems, server } = await open({ getExperimentRun }, RUN_PATH);
  await page.getByText(`Could not run: ${problem}.`, { exact: true }).waitFor();
  assert.equal(await page.getByRole('button', { name: /^Abort/ }).count(), 0);
  assert.equal(await page.getByRole('link', { name: /^Compare/ }).count(), 0);
  await page
    .getByRole('button', { name: 'Export' })
    .or(page.locator('summary', { hasText: 'Export' }))
    .click();
  const links = await page
    .locator('a[href*="/export/run/"]')
    .evaluateAll((all) => all.map((a) => a.getAttribute('href')));
  assert.ok(links.length > 0);
  for (const link of links)
    assert.match(link ?? '', /\/export\/run\/p\/run\/(html|junit|json|markdown|badge)$/);
  const menu = page.locator('details.export[open]');
  await page.keyboard.press('Escape');
  await menu.waitFor({ state: 'detached' });
  assert.equal(await page.locator('summary:focus').textContent(), 'Export');
  await page.keyboard.press('Enter');
  await menu.waitFor();
  await page.getByRole('heading', { level: 1 }).click();
  await menu.waitFor({ state: 'detached' });
  assert.deepEqual(problems, []);
  assert.ok(server.asked.some(({ query }) => query.includes('notifyID:$runID')));
});

test('what a reader chooses stands in the link, and the link shows it again', { skip }, async () => {
  const { page, server } = await open(over, RUN_PATH);
  await page.getByRole('button', { name: /probes failed pod-network-latency/ }).click();
  await page.getByRole('cell', { name: '3.1 % of requests' }).waitFor();
  await page.getByRole('tab', { name: 'Object' }).click();
  await page.getByText('"experimentPod": "pod-network-latency-pod"').waitFor();
  const { pathname, search } = new URL(page.url());
  assert.equal(`${pathname}${search}`, `/ui${RUN_PATH}?mark=2&step=2&pane=object&v=1`);
  const again = await beside();
  await again.page.goto(`${server.address}${pathname}${search}`);
  await again.page.getByText('"experimentPod": "pod-network-latency-pod"').waitFor();
  await page.getByRole('tab', { name: 'Object', selected: true }).press('ArrowRight');
  await page.locator('[role="tab"]:focus', { hasText: 'Command' }).waitFor();
  await page.goBack();
  await page.getByRole('cell', { name: '3.1 % of requests' }).waitFor();
});

test('list, graph and axis have one selection, and the evidence leads to it', {
  skip,
}, async () => {
  const { page } = await open(over, RUN_PATH);
  await page
    .getByRole('list', { name: 'Evidence' })
    .getByRole('button', { name: /^slo-99/ })
    .click();
  await page.locator('.step-list [aria-pressed="true"]', { hasText: 'pod-network-latency' }).waitFor();
  await page.getByRole('region', { name: 'Step pod-network-latency' }).waitFor();
  await page.getByRole('application', { name: /^Time axis/ }).focus();
  await page.keyboard.press('ArrowUp');
  await page.locator('.timeline-spoken', { hasText: /web-answers/ }).waitFor();
  await page.getByRole('button', { name: 'install-chaos-faults' }).click();
  await page.waitForURL(/[?&]mark=0&step=0/);
  await page.getByRole('button', { name: 'Graph' }).click();
  await page.locator('.react-flow__node.selected', { hasText: 'install-chaos-faults' }).waitFor();
  await page.goBack();
  await page.goBack();
  // The arrow key led to a probe of the step above.
  await page.waitForURL(/[?&]step=1/);
  await page.locator('.step-list [aria-pressed="true"]', { hasText: 'pod-delete' }).waitFor();
});

test('a zoom stands in the link when it rests, a selection at once', { skip }, async () => {
  const { page } = await open(over, RUN_PATH);
  await page.getByRole('button', { name: 'Zoom in (+)' }).click();
  await page.waitForURL(/[?&]t=/);
  await page.getByRole('application', { name: /^Time axis/ }).focus();
  await page.keyboard.press('ArrowRight');
  await page.waitForURL(/[?&]mark=0/);
  await page.keyboard.press('f');
  await page.waitForURL((url) => !url.searchParams.has('t'));
  // The table takes the focus, and gives it back.
  await page.keyboard.press('t');
  await page.locator('[role="table"]:focus').waitFor();
  await page.keyboard.press('t');
  await page.locator('[role="application"]:focus').waitFor();
});

test('the replay is loaded when it is asked for, has its moment in the link, and the link shows it again', {
  skip,
}, async () => {
  const { page, problems, requests } = await open(over, RUN_PATH);
  await heading(page);
  const isLoaded = (): boolean => requests.some((url) => /replay-panel-[^/]*\.js$/.test(url));
  await page.locator('.timeline-name').first().waitFor();
  assert.ok(!isLoaded(), 'its code comes with the first view');
  await page.getByRole('button', { name: 'Replay', exact: true }).click();
  const handle = page.getByRole('slider', { name: 'Moment of the replay' });
  await handle.press('End');
  await page.waitForURL(/[?&]at=\d/);
  assert.ok(isLoaded());
  await page.goBack();
  await page.getByRole('button', { name: 'Replay', exact: true }).waitFor();
  await page.goForward();
  await handle.waitFor();
  await handle.press('PageDown');
  const told = await handle.getAttribute('aria-valuetext');
  assert.match(told ?? '', /^\+\d/);
  const { page: other } = await beside();
  await other.goto(page.url());
  await other.getByRole('slider', { name: 'Moment of the replay' }).waitFor();
  assert.equal(await other.getByRole('slider').getAttribute('aria-valuetext'), told);
  assert.deepEqual(await accessibilityProblems(other), []);
  await other.getByRole('button', { name: 'Close the replay' }).click();
  await other.waitForURL((url) => !url.searchParams.has('at'));
  assert.deepEqual(problems, []);
});

test('a link that is not understood says so and shows the run', { skip }, async () => {
  const { page } = await open(over, `${RUN_PATH}?v=9&pane=secrets`);
  await heading(page);
  await page.getByText('pane=secrets in the link is not understood').waitFor();
  await page.getByText('this link was made by another version of the page (9)').waitFor();
});

test('a run is aborted by one key and one question that names what will be reverted', {
  skip,
}, async () => {
  let isStopped = false;
  const { page, server } = await open(
    {
      getExperimentRun: () =>
        isStopped
          ? {
              ...checkoutRun(true),
              phase: 'Stopped',
              outcome: { ...checkoutRun(true).outcome, state: 'stopped', word: 'Stopped' },
            }
          : checkoutRun(false),
      stopExperimentRuns: () => {
        isStopped = true;
        return true;
      },
    },
    RUN_PATH,
  );
  await page.getByText(/^In force now on pod web-6d9f7c5b8-tcldh; no probe has failed\.$/).waitFor();
  await page.keyboard.press('a');
  const dialog = page.getByRole('dialog', { name: 'Abort this run?' });
  await dialog.getByText('pod web-6d9f7c5b8-tcldh').waitFor();
  // The key opens the question again in the same frame in which Escape has closed it.
  await page.keyboard.press('Escape');
  await page.keyboard.press('a');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await page.getByText('Stopped').first().waitFor();
  const stops = server.asked.filter(({ query }) => query.includes('stopExperimentRuns'));
  assert.deepEqual(
    stops.map(({ variables }) => variables),
    [{ projectID: 'p', experimentID: 'experiment', runID: 'run' }],
  );
});

test('the dialog shows why the server refused to stop a run', { skip }, async () => {
  const answers = {
    ...running,
    stopExperimentRuns: () => {
      throw refusal('forbidden', 'only owners and executors may stop runs');
    },
  };
  const { page } = await open(answers, RUN_PATH);
  await page.getByRole('button', { name: /^Abort/ }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Abort and revert' }).click();
  await page.getByRole('alert').getByText('only owners and executors may stop runs').waitFor();
});

test('the graph has every step, and a step of it is chosen by the keyboard', { skip }, async () => {
  const { page, problems } = await open(over, `${RUN_PATH}?steps=graph`);
  const step = page.getByRole('group', { name: 'pod-delete: Completed' });
  await step.waitFor();
  assert.equal(await page.locator('.react-flow__node').count(), 5);
  await step.focus();
  await page.keyboard.press('Enter');
  await page
    .getByRole('cell', { name: 'web-answers' })
    .or(page.getByRole('rowheader', { name: 'web-answers' }))
    .waitFor();
  // What nobody has moved is there as a whole in a narrower window as well.
  await page.setViewportSize({ width: 900, height: 900 });
  await inWindow(page, '.react-flow__node[aria-label^="cleanup-chaos-resources"]');
  assert.deepEqual(problems, []);
});

test('what is pointed at in list or graph is lit on the axis, and the other way round', {
  skip,
}, async () => {
  const { page } = await open(over, RUN_PATH);
  const lanes = page.locator('.timeline-name[data-lit="true"]');
  const says = (locator: Locator): Promise<string[]> => locator.allTextContents();
  await page.getByRole('button', { name: /probes failed pod-network-latency/ }).hover();
  await lanes.first().waitFor();
  assert.deepEqual(await says(lanes), [
    'pod-network-latency',
    'pod web-6d9f7c5b8-tcldh',
    'slo-99 (Continuous), pod-network-latency',
  ]);
  const name = page.locator('.timeline-name', { hasText: 'web-answers' });
  const [row, stage] = await Promise.all([name.boundingBox(), page.locator('.timeline-stage').boundingBox()]);
  assert.ok(row !== null && stage !== null);
  await page.mouse.move(stage.x + 3, row.y + row.height / 2);
  const steps = page.locator('.step-list [data-lit="true"] bdi');
  await steps.first().waitFor();
  assert.deepEqual(await says(steps), ['pod-delete']);
  assert.equal(await lanes.count(), 0);
  await page.mouse.move(0, 0);
  await steps.first().waitFor({ state: 'detached' });

  await page.getByRole('button', { name: 'Graph' }).click();
  await page.getByRole('group', { name: 'install-chaos-faults: Succeeded' }).focus();
  await lanes.filter({ hasText: 'install-chaos-faults' }).waitFor();
  await page.locator('.timeline-stage').hover({ position: { x: 3, y: 40 } });
  await page.locator('.graph-step[data-lit="true"]', { hasText: 'install-chaos-faults' }).waitFor();
});

test('ten thousand steps are listed and drawn', { skip }, async () => {
  const nodes = Object.fromEntries(
    Array.from({ length: 10_000 }, (_, index) => [
      `n${index}`,
      {
        ...{
          name: `step-${index}`,
          type: 'Pod',
          phase: 'Succeeded',
          startedAt: String(1e9 + index),
          finishedAt: String(1e9 + index + 5),
        },
        children: index % 100 === 99 ? [] : [`n${index + 1}`],
      },
    ]),
  );
  const run = { ...checkoutRun(true), executionData: JSON.stringify({ name: 'w', nodes }) };
  const { page, problems } = await open({ getExperimentRun: () => run }, `${RUN_PATH}?steps=graph`);
  await page.locator('.react-flow__node').first().waitFor();
  const drawn = await page.locator('.react-flow__node').count();
  assert.ok(drawn < 3000, `${drawn} nodes are elements`);
  await page.getByRole('button', { name: 'Steps (10000)', exact: true }).waitFor();

  // What is selected elsewhere is brought into the picture.
  const isSeen = async (step: string): Promise<void> => {
    await page.locator('.react-flow__node.selected', { hasText: step }).waitFor();
    await inWindow(page, '.react-flow__node.selected');
  };
  await page.goto(`${page.url()}&step=7099`);
  await isSeen('step-7099');
  await page.getByRole('application', { name: /^Time axis/ }).focus();
  await page.keyboard.press('ArrowDown');
  await isSeen('step-0');
  await page.getByRole('button', { name: 'List' }).click();
  await page.locator('.step-list [aria-pressed="true"]', { hasText: 'step-0' }).waitFor();
  assert.deepEqual(problems, []);
});

const REFUSED: readonly [name: string, error: Error, shows: RegExp][] = [
  ['no permission', refusal('forbidden', 'viewers of the project only'), /Your role may not see this run/],
  ['an error', refusal('internal', 'something went wrong, id 7'), /something went wrong, id 7 \(internal\)/],
];
for (const [name, error, shows] of REFUSED) {
  test(`the page of a run that cannot be read for ${name} shows the reason`, { skip }, async () => {
    const { page } = await open(
      {
        getExperimentRun: () => {
          throw error;
        },
      },
      RUN_PATH,
    );
    await page.getByText(shows).waitFor();
  });
}

test('a reader who is not signed in is led to the sign-in page', { skip }, async () => {
  const answers = {
    getExperimentRun: () => {
      throw refusal('unauthenticated', 'sign in');
    },
  };
  const { page } = await open(answers, RUN_PATH);
  await page.getByLabel('User name').waitFor();
  assert.equal(new URL(page.url()).pathname, '/ui/sign-in');
});

test('while the server is away the page keeps the run, and says when it was read', {
  skip,
}, async () => {
  const { page, server } = await open(running, RUN_PATH);
  await heading(page);
  await server.app.close();
  await page.getByRole('button', { name: 'Refresh' }).click();
  await page.getByText(/^The server does not answer; this is from/).waitFor();
  await heading(page);
});

const HOSTILE = '<img src=x onerror="document.title=1">\u202e\u0007</script>';

test('hostile names are shown as they are', { skip }, async () => {
  const names = { experiment: HOSTILE, target: HOSTILE, probe: HOSTILE, found: HOSTILE };
  const { page, problems } = await open(
    { getExperimentRun: () => checkoutRun(true, names) },
    `${RUN_PATH}?step=2`,
  );
  await page.getByRole('heading', { level: 1 }).getByText('<img src=x').waitFor();
  for (const pane of ['Logs', 'Settings', 'Ledger', 'Object', 'Command', 'Probes'])
    await page.getByRole('tab', { name: pane, exact: true }).click();
  await page.getByRole('button', { name: 'Graph' }).click();
  await page.locator('.react-flow__node').first().waitFor();
  assert.equal(await page.locator('img').count(), 0);
  const text = (await page.locator('main').textContent()) ?? '';
  assert.ok(!text.includes('\u202e') && !text.includes('\u0007'), text);
  assert.ok(!(await page.title()).includes('\u202e'));
  assert.deepEqual(problems, []);
});

const PANES: readonly [pane: string, text: RegExp][] = [
  ['Settings', /^The engine that this step creates/],
  ['Ledger', /^This agent reports targets and their state only/],
  ['Command', /^npx turnsole remote run wait run --server/],
];
for (const [pane, text] of PANES) {
  test(`the pane ${pane} of a step shows what the run has for it`, { skip }, async () => {
    const engine = 'kind: ChaosEngine\nspec:\n  experiments: []\n';
    const template = { name: 'pod-network-latency', inputs: { artifacts: [{ raw: { data: engine } }] } };
    const experimentManifest = JSON.stringify({ kind: 'Workflow', spec: { templates: [template] } });
    const getExperimentRun = (): object => ({ ...checkoutRun(true), experimentManifest });
    const { page, problems } = await open({ getExperimentRun }, `${RUN_PATH}?step=2`);
    await page.getByRole('tab', { name: pane, exact: true }).click();
    await page.getByText(text).waitFor();
    await page.waitForURL(new RegExp(`[?&]pane=${pane.toLowerCase()}`));
    assert.deepEqual(await accessibilityProblems(page), []);
    assert.deepEqual(problems, []);
  });
}

test('the pane with the ledger shows the entries of the selected target first', {
  skip,
}, async () => {
  const line = (name: string, state: string): object => ({
    ...{ id: name, fault: 'pod-network-latency', target: `pod shop/${name}`, state, message: '' },
    ...{ injectedAt: '2030-01-01T00:00:01Z', revertedAt: null, leaseExpiresAt: null },
  });
  const experiment = {
    ...{ engine: 'pod-network-latency-x1b2c3', namespace: 'litmus', experiment: 'pod-network-latency' },
    ...{
      verdict: 'Fail',
      settings: null,
      probes: [],
      ledger: [line('web-1', 'reverted'), line('web-2', 'injected')],
    },
  };
  const bar = { kind: 'injected', fromMs: 1000, toMs: 2000, label: '' };
  const timeline = {
    ...{ title: 'e', startMs: 0, endMs: 3000, warnings: [], steps: [], verdicts: [] },
    lanes: [{ group: 'Targets', name: 'pod shop/web-2, litmus/e', bars: [bar], marks: [] }],
  };
  const reported = { timeline: JSON.stringify(timeline), details: JSON.stringify([experiment]) };
  const { page } = await open(
    { getExperimentRun: () => ({ ...checkoutRun(true), ...reported }) },
    `${RUN_PATH}?step=2&pane=ledger&mark=0`,
  );
  const rows = page.locator('.detail').getByRole('rowheader');
  await rows.first().waitFor();
  assert.deepEqual(await rows.allTextContents(), ['pod shop/web-2', 'pod shop/web-1']);
  await page.getByRole('row', { name: /web-2/ }).and(page.locator('[aria-current="true"]')).waitFor();
});

for (const colorScheme of variants(['light', 'dark'])) {
  for (const width of variants([1400, 1024, 360])) {
    test(`everybody can use it: ${colorScheme}, ${width} px`, { skip }, async () => {
      const { page, problems } = await open(over, `${RUN_PATH}?step=2`, {
        colorScheme,
        viewport: { width, height: 900 },
      });
      await heading(page);
      for (const how of ['Graph', 'List']) {
        await page.getByRole('button', { name: how, exact: true }).click();
        assert.deepEqual(await accessibilityProblems(page), []);
      }
      const wide: number = await page.evaluate('document.documentElement.scrollWidth');
      assert.ok(wide <= width, `the page is ${wide} px wide`);
      assert.deepEqual(problems, []);
    });
  }
}
