/** The page of an experiment, on the real control plane: what it is, how it has done, what can be done with it, and what leads to it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  cronOf,
  engineYaml,
  faultTemplate,
  standaloneOf,
  workflowOf,
} from '../../src/controlplane/experiment/testing/manifests.ts';
import { type Scene, SHOP } from '../../src/controlplane/experiment/testing/scene.ts';
import { variants } from '../support/variants.ts';
import { accessibilityProblems } from './axe.ts';
import { closePages } from './chromium.ts';
import { checkoutRun } from './fixtures/execution.ts';
import { type ProjectPage, skip, startProject } from './project-page.ts';

const HOSTILE = '<img src=x onerror=alert(1)>';
let scene: Scene;
let open: ProjectPage['open'];

/** What is tried, in this order: all of it on one server. */
const checks: { readonly name: string; run(): Promise<void> }[] = [];
function check(name: string, run: () => Promise<void>): void {
  checks.push({ name, run });
}

/** Begins a run of `e1` and ends it. */
const PASSED: Readonly<Record<string, string>> = { '"Fail"': '"Pass"', '"Failed"': '"Passed"' };

async function runOnce(runID: string, phase: string): Promise<void> {
  const { executionData } = checkoutRun(true);
  // The server goes by what came of each engine.
  const ended = (executionData ?? '{}').replaceAll('Completed_With_Probe_Failure', phase);
  const isPassed = phase === 'Completed';
  const text = isPassed ? ended.replaceAll(/"(Fail|Failed)"/g, (word) => PASSED[word] ?? word) : ended;
  const report = JSON.parse(text) as object;
  await scene.report({
    ...{ experimentID: 'e1', runID, notifyID: await scene.run('e1'), completed: true },
    text: JSON.stringify({ ...report, phase }),
  });
}

check('an experiment that has not run says so, and is run from there', async () => {
  const { page, problems } = await open('experiments/e1');
  await page.getByRole('heading', { level: 1, name: 'shop' }).waitFor();
  await page.getByText('runs only when it is asked for').waitFor();
  assert.equal(await page.title(), 'shop · Turnsole');
  const notice = page.locator('.notice');
  await notice.getByRole('heading', { name: 'It has not run yet' }).waitFor();
  await notice.getByRole('button', { name: 'Run now: shop' }).click();
  const dialog = page.getByRole('dialog');
  // The agent of this test plans nothing; that the plan was asked for is what is seen.
  await dialog.getByRole('region', { name: 'What a run would do' }).waitFor();
  await dialog.getByRole('button', { name: 'Run now' }).click();
  // Who begins a run wants to see it.
  await page.waitForURL(/\/runs\//);
  await page.getByRole('link', { name: 'shop', exact: true }).first().click();
  const runs = page.getByRole('table', { name: 'Runs' });
  await runs.getByRole('row', { name: /^shop · 1 Queued/ }).waitFor();
  await page.getByRole('button', { name: 'Stop all runs of shop' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Stop' }).click();
  await runs.getByRole('row', { name: /^shop · 1 (Stopped|Terminated)/ }).waitFor();
  await page.getByRole('button', { name: 'Stop all runs of shop' }).waitFor({ state: 'detached' });
  assert.deepEqual(problems, []);
});

check('runs appear as they end, each with its sentence, and the last two are compared', async () => {
  const { page, problems } = await open('experiments/e1');
  await page.getByText('live', { exact: true }).waitFor();
  await runOnce('run-2', 'Completed');
  await runOnce('run-3', 'Completed_With_Probe_Failure');
  const history = page.getByRole('region', { name: 'Score of its last runs' });
  const second = history.getByRole('link', { name: /^Run 2: Passed, score / });
  await second.waitFor();
  await history.getByRole('link', { name: /^Run 3: Failed/ }).waitFor();
  const marks = await history.locator('.score-mark svg').all();
  const sizes = await Promise.all(marks.map((mark) => mark.boundingBox()));
  assert.deepEqual(
    sizes.map((size) => size?.width),
    [12, 12, 12],
  );
  const said = history.locator('.hint');
  await said.getByText(/^Run 3: /).waitFor();
  await second.focus();
  await said.getByText(/^Run 2: /).waitFor();
  const rows = history.getByRole('table', { name: 'Score of its last runs' }).getByRole('row');
  assert.match((await rows.allInnerTexts()).join('|'), /^Run.*\|1.*\|2\s+Passed.*\|3\s+Failed/s);
  await page.getByRole('link', { name: 'Compare the last two runs' }).click();
  await page.waitForURL(/\/compare\?a=run-2&b=run-3/);
  assert.deepEqual(problems, []);
});

check('the YAML of the latest revision has an address, and so has the order of the runs', async () => {
  const { page, problems } = await open('experiments/e1');
  await page.getByRole('button', { name: 'YAML' }).click();
  await page.waitForURL(/yaml=shown/);
  await page.getByRole('region', { name: 'YAML' }).getByText('kind: Workflow').first().waitFor();
  await page.reload();
  await page.getByRole('region', { name: 'YAML' }).getByText('kind: Workflow').first().waitFor();
  await page.getByRole('table', { name: 'Runs' }).getByRole('button', { name: 'Begun' }).click();
  await page.waitForURL(/order=begun/);
  await page.locator('.data-table tbody > tr:first-child').getByText('shop · 1').waitFor();
  assert.deepEqual(problems, []);
});

check('a schedule is said in words, begun, and suspended', async () => {
  const { object } = cronOf(workflowOf(faultTemplate(engineYaml())));
  const spec = { ...(object.spec as object), schedule: '30 10 * * 1-5', timezone: 'Europe/Berlin' };
  await scene.save('e2', { name: 'by-the-clock', manifest: named('by-the-clock', { ...object, spec }) });
  const { page, problems } = await open('experiments/e2');
  await page.getByText('Monday to Friday at 10:30, Europe/Berlin').waitFor();
  await page.getByText('It has not been started.').waitFor();
  await page.getByRole('button', { name: 'Begin the schedule: by-the-clock' }).first().click();
  await page.getByRole('dialog').getByRole('button', { name: 'Begin the schedule' }).click();
  const times = page.getByRole('region', { name: 'Next times' });
  await times.getByRole('listitem').nth(4).waitFor();
  assert.equal(await page.getByRole('button', { name: /^Begin the schedule/ }).count(), 0);
  await page.getByRole('button', { name: 'Suspend the schedule of by-the-clock' }).click();
  await page.getByText('It is suspended.').waitFor();
  await page.getByRole('button', { name: 'Resume the schedule of by-the-clock' }).click();
  await times.waitFor();
  assert.deepEqual(problems, []);
});

check('a ChaosSchedule says when it comes, and its next times', async () => {
  const { object } = standaloneOf('ChaosSchedule');
  const spec = object.spec as object;
  const repeat = { timeZone: 'UTC', properties: { minChaosInterval: { minute: { everyNthMinute: 10 } } } };
  const manifest = named('by-itself', { ...object, spec: { ...spec, schedule: { repeat } } });
  await scene.save('e3', { name: 'by-itself', manifest });
  await scene.run('e3');
  const { page, problems } = await open('experiments/e3');
  await page.getByText('every 10 minutes, UTC').waitFor();
  const times = page.getByRole('region', { name: 'Next times' });
  await times.getByRole('listitem').nth(4).waitFor();
  assert.match((await times.getByRole('listitem').first().textContent()) ?? '', /:[0-5]0/);
  assert.deepEqual(problems, []);
});

check('a run before which the experiment was changed says so, and shows what', async () => {
  const changed = SHOP.replace('\\"15\\"', '\\"45\\"');
  assert.notEqual(changed, SHOP);
  await scene.save('e1', { manifest: changed });
  const { page, problems } = await open('experiments/e1');
  await page.getByRole('table', { name: 'Runs', exact: true }).waitFor();
  await page.getByText('live', { exact: true }).waitFor();
  const mark = page.getByRole('button', { name: /^changed before run/ });
  assert.equal(await mark.count(), 0);
  await runOnce('run-4', 'Completed');
  await mark.click();
  await page.waitForURL(/before=run-3&after=run-4/);
  const diff = page.getByRole('region', { name: 'Changes' });
  await diff.getByRole('insertion').getByText('value: "45"').waitFor();
  await diff.getByRole('deletion').getByText('value: "15"').waitFor();
  assert.deepEqual(await accessibilityProblems(page), []);
  await diff.getByRole('button', { name: 'Close' }).click();
  await diff.waitFor({ state: 'detached' });
  await scene.save('e1');
  assert.deepEqual(problems, []);
});

function named(name: string, object: object): string {
  return JSON.stringify({ ...object, metadata: { ...(object as { metadata: object }).metadata, name } });
}

check('names in the lists, on the overview and in the palette lead to it', async () => {
  const { page, problems } = await open('experiments');
  const link = { name: 'shop', exact: true } as const;
  const isThere = async (): Promise<void> => {
    await page.waitForURL(/\/experiments\/e1$/);
    await page.getByRole('heading', { level: 1, name: 'shop' }).waitFor();
  };
  await page.getByRole('table', { name: 'Experiments' }).getByRole('link', link).click();
  await isThere();
  await page.getByRole('link', { name: 'Runs', exact: true }).click();
  await page.getByRole('table', { name: 'Runs' }).getByRole('link', link).first().click();
  await isThere();
  await page.getByRole('link', { name: 'Overview', exact: true }).click();
  await page.getByRole('region', { name: 'Last runs of each experiment' }).getByRole('link', link).click();
  await isThere();
  await page.getByRole('link', { name: 'Probes', exact: true }).click();
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Search or run a command' }).fill('shop');
  await page.getByRole('option', { name: 'shop Experiment' }).click();
  await isThere();
  assert.deepEqual(problems, []);
});

check('what is not there, and what may not be seen, is said', async () => {
  const { page } = await open('experiments/nowhere');
  await page.getByRole('heading', { name: 'Cannot show the experiment' }).waitFor();
  await page.getByText(/no experiment nowhere in this project/).waitFor();
  const stranger = await scene.server.user('sam');
  const { page: theirs } = await open('experiments/e1', { token: stranger.token });
  await theirs.getByRole('heading', { name: 'Your role may not see the experiment' }).waitFor();
});

for (const colorScheme of variants(['light', 'dark'])) {
  check(
    `axe finds nothing in ${colorScheme} colours, and 360 px are enough, with text that means harm`,
    async () => {
      const r = {
        ...{ id: 'e1', name: 'shop', description: `${HOSTILE} ${'x'.repeat(200)}`, manifest: SHOP },
        ...{ infraID: scene.agent.infraID, tags: [HOSTILE, 'shop'] },
      };
      await scene.data(
        'mutation ($p: ID!, $r: SaveChaosExperimentRequest!) { saveChaosExperiment(projectID: $p, request: $r) }',
        { r },
      );
      for (const path of ['experiments/e1?yaml=shown&v=1', 'experiments/e2']) {
        const options = { colorScheme, viewport: { width: 360, height: 700 } };
        const { page, problems } = await open(path, options);
        await page.locator('.data-table, .notice').first().waitFor();
        await page.locator('.waiting').first().waitFor({ state: 'detached' });
        if (path.includes('e1')) await page.getByText(HOSTILE, { exact: true }).waitFor();
        assert.deepEqual(await accessibilityProblems(page), []);
        const width = await page.evaluate('document.documentElement.scrollWidth');
        assert.equal(width, 360, `${path} does not scroll sideways`);
        assert.deepEqual(problems, []);
      }
    },
  );
}

check('it is deleted after a question, and the list lacks it', async () => {
  const { page, problems } = await open('experiments/e1');
  await page.getByRole('button', { name: 'Delete shop' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await page.waitForURL(/\/experiments$/);
  await page.getByRole('link', { name: 'by-the-clock', exact: true }).waitFor();
  assert.equal(await page.getByRole('link', { name: 'shop', exact: true }).count(), 0);
  assert.deepEqual(problems, []);
});

test('the page of an experiment', { skip }, async (t) => {
  const project = await startProject();
  ({ scene, open } = project);
  await scene.save('e1');
  t.afterEach(() => closePages(project.browser));
  for (const { name, run } of checks) await t.test(name, run);
});
