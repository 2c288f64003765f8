/** The plan beside an experiment that is made, on a real control plane whose agent answers by script. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Browser } from 'playwright-core';
import {
  engineYaml,
  faultTemplate,
  workflowOf,
} from '../../src/controlplane/experiment/testing/manifests.ts';
import { Scene } from '../../src/controlplane/experiment/testing/scene.ts';
import type { AgentSocket } from '../../src/controlplane/infra/testing/agent-socket.ts';
import { answeringAgent } from '../../src/controlplane/infra/testing/answering-agent.ts';
import type { ManifestPlan } from '../../src/controlplane/schema/generated/types.ts';
import { otherDatabase } from '../../src/controlplane/store/testing/databases.ts';
import { accessibilityProblems } from './axe.ts';
import { browserMissing, openPage, startBrowser, type WatchedPage } from './chromium.ts';
import { type BuiltFolder, buildOnce } from './page-server.ts';
import { picture } from './picture.ts';

const database = otherDatabase('sqlite', true);
const skip = database === undefined ? 'no database here' : browserMissing;

const SHOP = JSON.stringify(
  workflowOf({ name: 'shop', steps: [[{ name: 'a', template: 'fault-step' }]] }, faultTemplate(engineYaml()))
    .object,
);

const HOSTILE = '<script>alert(1)</script>\u202e';
const PLAN: ManifestPlan = {
  wouldRun: true,
  leftOut: 3,
  permissionsChecked: 12,
  permissionsMissing: [
    { account: 'litmus/litmus-admin', verb: 'delete', group: '', resource: 'pods', namespace: 'shop' },
  ],
  findings: [
    {
      ...{
        severity: 'Doubt',
        code: 'PERMISSION',
        object: 'ChaosEngine litmus/a',
        field: 'spec.chaosServiceAccount',
      },
      text: 'service account litmus/litmus-admin lacks permissions that pod-delete needs: pods: delete',
      advice: 'grant what is missing (`turnsole install --faults`)',
    },
    {
      severity: 'Warning',
      code: null,
      text: `budget of ${HOSTILE}`,
      advice: null,
      object: null,
      field: null,
    },
    {
      severity: 'Note',
      code: null,
      text: 'could not look at nodes',
      advice: null,
      object: null,
      field: null,
    },
  ],
  experiments: [
    {
      ...{ engine: 'a', namespace: 'litmus', step: 'a', experiment: 'pod-delete', fault: 'pod-delete' },
      ...{ startsAtSeconds: 0, durationSeconds: 15, expectedSeconds: 15, intervalSeconds: [5, 5], rounds: 3 },
      sequence: 'parallel',
      targets: [{ kind: 'pod', namespace: 'shop', name: 'web-7f4', node: 'node-1', container: null }],
      targetCount: 2,
      workloads: [
        { kind: 'deployment', namespace: 'shop', name: 'web', hit: 2, of: 3, percent: 67, isThere: true },
      ],
      budgets: [{ namespace: 'shop', name: 'web', hitAtOnce: 2, allowed: 1, violated: true }],
      nodes: { hit: ['node-1'], of: 3 },
    },
  ],
};

describe('the plan of an experiment', { skip }, () => {
  let browser: Browser;
  let built: BuiltFolder;
  before(async () => {
    [built, browser] = await Promise.all([buildOnce(), startBrowser()]);
  });
  after(async () => {
    await browser?.close();
    await built?.[Symbol.asyncDispose]();
  });

  /** The studio with a copy of an experiment. */
  async function studio(): Promise<WatchedPage & { scene: Scene; socket: AgentSocket }> {
    assert.ok(database !== undefined);
    const scene = await Scene.start(database, { settings: { pageFolder: built.folder } });
    await scene.save('e1', { name: 'shop', manifest: SHOP });
    const socket = await answeringAgent(scene.server, scene.project, scene.agent, ['plan']);
    const { port } = scene.server.app.server.address() as { port: number };
    const address = `http://127.0.0.1:${port}`;
    const watched = await openPage(browser);
    await watched.page.context().addCookies([scene.server.cookieOf(scene.owner.token, address)]);
    await watched.page.goto(`${address}/ui/project/${scene.project}/studio?copy=e1`);
    return { ...watched, scene, socket };
  }

  async function reply(scene: Scene, requestID: string, answer: object): Promise<void> {
    const r = { infraID: scene.agent, requestID, reply: JSON.stringify(answer) };
    await scene.server.data('mutation ($r: AgentReply!) { agentReply(request: $r) }', { r });
  }

  test('rounds, shares, permissions and findings are shown, and running wants it to have been seen', {}, async () => {
    const { page, problems, scene, socket } = await studio();
    const plan = page.getByRole('region', { name: 'What a run would do' });
    const first = await socket.action();
    assert.equal(first.requestType, 'plan');
    await page.getByRole('button', { name: 'Save and run now' }).click();
    await page.getByText('You have not seen the plan of this experiment').waitFor();
    await reply(scene, first.requestID, { answer: PLAN });
    await plan.getByText('It would run; one finding speaks against it as things are now.').waitFor();
    await page.getByText('You have not seen the plan of this experiment').waitFor({ state: 'detached' });
    for (const words of [
      '3 rounds in 15 s, at 0, 5 and 10 s',
      '2 of 3 pods of deployment shop/web (67 %)',
      'budget shop/web would be violated: 2 hit at once, 1 may be missing now',
      'on 1 of 3 nodes',
      'litmus/litmus-admin may not delete pods in shop',
      'turnsole install --faults',
      '3 more entries are left out; turnsole plan shows all of them.',
    ])
      await plan.getByText(words).waitFor();
    assert.deepEqual(await accessibilityProblems(page), []);
    await picture(page, 'plan');

    // What is changed is planned anew, and meanwhile the plan says that it is another one's.
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('shop-again');
    await plan.getByText('The experiment has changed; it is being planned again.').waitFor();
    const second = await socket.action();
    assert.match(second.externalData ?? '', /shop-again/);
    const problem = 'the agent plans other manifests already; try again in a moment';
    await reply(scene, second.requestID, { problem });
    await plan.getByText(`This is why: ${problem}.`).waitFor();
    await plan.getByRole('button', { name: 'Plan again' }).click();
    const third = await socket.action();
    await reply(scene, third.requestID, {
      answer: { ...PLAN, wouldRun: false, findings: [{ ...PLAN.findings[0], severity: 'Problem' }] },
    });
    await plan.getByText('One problem keeps it from running.').waitFor();
    const run = page.getByRole('button', { name: 'Save and run now' });
    await run
      .and(page.getByTitle('This keeps it from running: service account litmus/litmus-admin'))
      .waitFor();
    assert.equal(await run.isDisabled(), true);
    assert.equal(await page.getByRole('button', { name: 'Save', exact: true }).isDisabled(), false);
    assert.deepEqual(await accessibilityProblems(page), []);
    await plan.getByRole('button', { name: 'Plan again' }).click();
    const fourth = await socket.action();
    await reply(scene, fourth.requestID, { answer: PLAN });
    await plan.getByText('It would run; one finding speaks against it as things are now.').waitFor();
    assert.equal(await run.getAttribute('title'), null);
    await run.click();
    await page.getByRole('heading', { level: 1, name: 'shop-again · run 1' }).waitFor();
    assert.deepEqual(problems, []);
    await socket[Symbol.asyncDispose]();
  });
});
