/** Two readers follow a run and the list of runs on the real control plane, through a restart of the server. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { executionText } from '../../src/controlplane/run/testing/execution.ts';
import { TestServer } from '../../src/controlplane/server/testing/test-server.ts';
import { openPage } from './chromium.ts';
import { checkoutRun } from './fixtures/execution.ts';
import { databaseHere, skip, startProject } from './project-page.ts';

test('a run page and a list follow the reports of the agent, and catch up when the server was away', {
  skip,
}, async () => {
  const secretKey = randomBytes(32);
  const { folder, browser, scene, address } = await startProject({ secretKey });
  await scene.save('e1');
  const event = { experimentID: 'e1', runID: 'run', notifyID: await scene.run('e1') };
  await scene.report({ ...event, text: executionText([]) });

  const open = async (path: string, database = { isAway: false }) => {
    const { page, problems } = await openPage(browser);
    await refuseWhileAway(page, database);
    await page.context().addCookies([scene.server.cookieOf(scene.owner.token, address)]);
    await page.goto(`${address}/ui/project/${scene.project}/${path}`);
    await page.getByText(database.isAway ? /^away since/ : 'live', { exact: true }).waitFor();
    return { page, problems };
  };
  const [run, list] = await Promise.all([open('runs/run'), open('runs')]);
  await scene.report({ ...event, text: checkoutRun(false).executionData });
  const inForce = run.page.getByText('In force now on pod web-6d9f7c5b8-tcldh; no probe has failed.');
  await inForce.waitFor();
  await scene.run('e1');
  await list.page.getByRole('row', { name: /^shop · 2/ }).waitFor();
  assert.deepEqual([run.problems, list.problems], [[], []]);

  await scene.server.stop();
  await Promise.all([run, list].map(({ page }) => page.getByText(/^away since/).waitFor()));
  assert.ok(await inForce.isVisible(), 'what is there stays');
  const server = await TestServer.start(databaseHere(), {
    ...{ settings: { pageFolder: folder }, secretKey },
    location: scene.server.location,
  });
  const engine = { engineName: 'pod-deleteabcde', experimentVerdict: 'Pass', probeSuccessPercentage: '100' };
  const text = executionText([engine], { phase: 'Completed', finishedAt: '9' });
  const answer = await scene.on(server).report({ ...event, text, completed: true });
  assert.deepEqual(answer.errors, []);
  await server.app.listen({ host: '127.0.0.1', port: Number(new URL(address).port) });
  await run.page.locator('.run-head').getByText('Passed').waitFor();
  await list.page
    .getByRole('row', { name: /^shop · 1/ })
    .getByText('Passed')
    .waitFor();
  await Promise.all([run, list].map(({ page }) => page.getByText('live', { exact: true }).waitFor()));

  const gone = { isAway: true };
  const { page } = await open('runs', gone);
  gone.isAway = false;
  await page.getByText('live', { exact: true }).waitFor();
});

/** Has a page's subscriptions be refused as by a server without its database, as long as that is away. */
async function refuseWhileAway(page: Page, database: { readonly isAway: boolean }): Promise<void> {
  await page.routeWebSocket(/\/query$/, (socket) => {
    const server = socket.connectToServer();
    socket.onMessage((message) => {
      const { type, id } = JSON.parse(String(message)) as { readonly type: string; readonly id?: string };
      if (type !== 'subscribe' || !database.isAway) return server.send(message);
      const error = { message: 'the database is not available', extensions: { code: 'unavailable' } };
      socket.send(JSON.stringify({ type: 'error', id, payload: [error] }));
    });
  });
}
