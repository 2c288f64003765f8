/** Logs of a run behind an agent, on the real control plane: they stream as the agent reads them, and what is gone is said. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type AgentAction, AgentSocket } from '../../src/controlplane/infra/testing/agent-socket.ts';
import { accessibilityProblems } from './axe.ts';
import { openPage } from './chromium.ts';
import { checkoutRun } from './fixtures/execution.ts';
import { skip, startProject } from './project-page.ts';

const REPLY = `mutation ($r: AgentReply!) { agentReply(request: $r) }`;
const POD_LOG = `mutation ($r: PodLog!) { podLog(request: $r) }`;

test('the log of a pod streams into the page, the link holds its search, and the page says when the pod does not exist', {
  skip,
}, async () => {
  const { browser, scene, address } = await startProject();
  const { server, agent, project, owner } = scene;
  await scene.save('e1');
  const notifyID = await scene.run('e1');
  await scene.report({ experimentID: 'e1', runID: 'run', notifyID, text: checkoutRun(false).executionData });
  await using socket = await AgentSocket.connect(address, agent, { more: ', answers: ["run_pods"]' });
  assert.equal((await socket.action()).requestType, 'create');
  const helper = {
    namespace: 'litmus',
    name: 'helper-1',
    containers: ['chaos'],
    phase: 'Running',
    startedAt: '',
  };
  /** The next request for a log; on the way, the pods are told. */
  const nextLog = async (): Promise<AgentAction> => {
    for (;;) {
      const action = await socket.action();
      if (action.requestType === 'logs') return action;
      const reply = JSON.stringify({ answer: { pods: [helper], problems: [] } });
      await server.data(REPLY, { r: { infraID: agent, requestID: action.requestID, reply } });
    }
  };
  const say = async ({ requestID }: AgentAction, piece: object): Promise<unknown> => {
    const about = { infraID: agent, requestID, experimentRunID: 'run', podName: 'p', podType: 'Pod' };
    return (await server.data(POD_LOG, { r: { ...about, log: JSON.stringify(piece) } })).podLog;
  };

  const { page, problems } = await openPage(browser);
  await page.context().addCookies([server.cookieOf(owner.token, address)]);
  const asked = nextLog();
  await page.goto(`${address}/ui/project/${project}/runs/run?pod=helper-1`);
  const action = await asked;
  assert.deepEqual(JSON.parse(action.externalData ?? ''), {
    ...{ infraID: agent.infraID, experimentRunID: 'run', podName: 'helper-1', podNamespace: 'litmus' },
    ...{
      podType: 'Pod',
      container: 'chaos',
      pieces: true,
      follow: true,
      timestamps: true,
      tailLines: 10_000,
    },
  });
  await say(action, { mainLogs: 'tc is there\nan ERROR came\n', piece: 0, isLast: false });
  const log = page.getByRole('region', { name: 'Log of helper-1' });
  await log.getByText('an ERROR came').waitFor();
  await page.getByText('2 lines; new ones appear as they arrive.').waitFor();
  await say(action, { mainLogs: 'error once more\n', piece: 1, isLast: false });
  await log.getByText('error once more').waitFor();
  await page.getByLabel('Lines with').fill('error');
  await page.getByText('2 of them with “error”. 3 lines').waitFor();
  assert.equal(await log.getByText('tc is there').count(), 0);
  await page.waitForURL(/[?&]find=error/);
  assert.deepEqual(await accessibilityProblems(page), []);

  const pods = page.getByRole('region', { name: 'Logs' }).getByLabel('Pod');
  const gone = (await pods.locator('option').allTextContents()).filter((text) => text.endsWith('(gone)'));
  assert.ok(gone.includes('pod-network-latency-pod (gone)'), gone.join());
  await pods.selectOption({ label: 'pod-network-latency-pod (gone)' });
  await page.getByText('Pod pod-network-latency-pod does not exist, and no log of it is kept.').waitFor();
  assert.deepEqual(problems, []);
});
