/** Logs that are kept with a run, on the real control plane: they are shown when the pods are gone, by level, time and text. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deflateRawSync } from 'node:zlib';
import { accessibilityProblems } from './axe.ts';
import { openPage } from './chromium.ts';
import { checkoutRun } from './fixtures/execution.ts';
import { picture } from './picture.ts';
import { skip, startProject } from './project-page.ts';

const RECORD = `mutation ($r: RunRecordRequest!) { runRecord(request: $r) }`;
const BEGIN = Number(checkoutRun(true).createdAt);
const at = (ms: number): string => new Date(BEGIN + ms).toISOString();

/** Lines as a component of ours prints them, with the time of the server. */
const EXPERIMENT = [
  [3_100, { level: 'info', msg: 'starts', engine: 'shop/checkout' }],
  [9_870, { level: 'debug', msg: 'helper pod is ready', helper: 'net-1' }],
  [12_004, { level: 'warn', msg: 'a target has no network of its own', pod: 'web-1' }],
  [31_500, { level: 'error', msg: 'tc cannot be run in <web-2>', err: { message: 'exit code 2' } }],
] as const;
const TEXT = EXPERIMENT.map(([ms, fields]) => `${at(ms)} ${JSON.stringify(fields)}\n`).join('');

/** A server with the page, a run of the experiment `e1` that its agent is told of, and a browser. */
async function beginRun() {
  const { browser, scene, address } = await startProject();
  await scene.save('e1');
  const notifyID = await scene.run('e1');
  return { browser, scene, address, notifyID };
}

test('the logs of a run that is over are on its page, though no agent and no pod is there', {
  skip,
}, async () => {
  const { browser, scene, address, notifyID } = await beginRun();
  const { server, agent, project, owner } = scene;
  const text = checkoutRun(true).executionData;
  await scene.report({ experimentID: 'e1', runID: 'run', notifyID, text, completed: true });
  const report = async (name: string, more: object): Promise<void> => {
    const log = { kind: 'PodLog', namespace: 'shop', name, container: 'main', isOver: true, leftOutBytes: 0 };
    const record = deflateRawSync(JSON.stringify({ ...log, ...more })).toString('base64');
    const r = { infraID: agent, experimentRunID: 'run', record };
    assert.equal((await server.data(RECORD, { r })).runRecord, 'TAKEN');
  };
  await report('pod-network-latency-pod', { text: TEXT, leftOutBytes: 70_000, createdAt: at(0) });

  const { page, problems } = await openPage(browser);
  await page.context().addCookies([server.cookieOf(owner.token, address)]);
  await page.goto(`${address}/ui/project/${project}/runs/run`);
  const logs = page.getByRole('region', { name: 'Logs' });
  const log = page.getByRole('region', { name: 'Log of pod-network-latency-pod' });
  await log.getByText('tc cannot be run in <web-2> err=exit code 2').waitFor();
  await page
    .getByText(
      'The pod is gone; 4 lines of its log are kept with the run; 70000 bytes before them are not kept.',
    )
    .waitFor();
  assert.deepEqual(await log.locator('.log-level').allTextContents(), ['info', 'debug', 'warn', 'error']);
  await picture(page, 'kept-log');

  await logs.getByLabel('Level').selectOption('Warnings and errors');
  await page.getByText('2 of them are warnings and errors. ').waitFor();
  assert.deepEqual(await log.locator('.log-level').allTextContents(), ['warn', 'error']);
  await page.waitForURL(/[?&]level=warn/);
  await logs.getByLabel('Lines with').fill('network');
  await page.getByText('1 of them are warnings and errors with “network”. ').waitFor();
  assert.deepEqual(await accessibilityProblems(page), []);

  // A log that comes while the page is open is offered without being asked for.
  await report('flow-runner', { text: `${at(1)} plain\n`, createdAt: at(1) });
  await logs.getByRole('option', { name: 'flow-runner (kept)' }).waitFor({ state: 'attached' });
  assert.deepEqual(problems, []);
});

test('a log of thousands of lines opens at its end, and only what is near is in the document', {
  skip,
}, async () => {
  const { browser, scene, address, notifyID } = await beginRun();
  const { server, agent, project, owner } = scene;
  await scene.report({ experimentID: 'e1', runID: 'run', notifyID, text: checkoutRun(true).executionData });
  const lines = Array.from({ length: 1_500 }, (_, number) => `${at(number)} line ${number}\n`).join('');
  const log = { kind: 'PodLog', namespace: 'shop', name: 'long', container: 'main', createdAt: at(0) };
  const record = deflateRawSync(JSON.stringify({ ...log, isOver: true, leftOutBytes: 0, text: lines }));
  const r = { infraID: agent, experimentRunID: 'run', record: record.toString('base64') };
  assert.equal((await server.data(RECORD, { r })).runRecord, 'TAKEN');

  const { page, problems } = await openPage(browser);
  await page.context().addCookies([server.cookieOf(owner.token, address)]);
  await page.goto(`${address}/ui/project/${project}/runs/run?pod=long`);
  const shown = page.getByRole('region', { name: 'Log of long' });
  await shown.getByText('line 1499', { exact: true }).waitFor();
  assert.ok((await shown.locator('.log-line').count()) < 200);
  await shown.evaluate((element) => element.scrollTo(0, 0));
  await shown.getByText('line 0', { exact: true }).waitFor();
  assert.deepEqual(problems, []);
});
