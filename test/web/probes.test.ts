/** Probes on a real control plane: tried from the form by an agent that answers by script, made, and changed without loss. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { Scene } from '../../src/controlplane/experiment/testing/scene.ts';
import { answeringAgent } from '../../src/controlplane/infra/testing/answering-agent.ts';
import { otherDatabase } from '../../src/controlplane/store/testing/databases.ts';
import { accessibilityProblems } from './axe.ts';
import { browserMissing, openPage, startBrowser } from './chromium.ts';
import { type BuiltFolder, buildOnce } from './page-server.ts';

const database = otherDatabase('sqlite', true);
const skip = database === undefined ? 'no database here' : browserMissing;

describe('probes', { skip }, () => {
  let browser: Browser;
  let built: BuiltFolder;
  before(async () => {
    [built, browser] = await Promise.all([buildOnce(), startBrowser()]);
  });
  after(async () => {
    await browser?.close();
    await built?.[Symbol.asyncDispose]();
  });

  test('a probe is tried from its form, made, and changed; what the form does not show stays', {}, async () => {
    assert.ok(database !== undefined);
    const scene = await Scene.start(database, { settings: { pageFolder: built.folder } });
    const { server, agent } = scene;
    await using socket = await answeringAgent(server, scene.project, agent, ['try_probe']);
    const { port } = server.app.server.address() as { port: number };
    const address = `http://127.0.0.1:${port}`;
    const { page, problems } = await openPage(browser);
    await page.context().addCookies([server.cookieOf(scene.owner.token, address)]);
    await page.goto(`${address}/ui/project/${scene.project}/probes`);
    const reply = async (answer: object): Promise<string> => {
      const { requestID, externalData } = await socket.action();
      const r = { infraID: agent, requestID, reply: JSON.stringify(answer) };
      await server.data('mutation ($r: AgentReply!) { agentReply(request: $r) }', { r });
      return externalData ?? '';
    };
    const picture = async (name: string): Promise<void> => {
      const folder = process.env.TURNSOLE_SCREENSHOTS;
      for (const colorScheme of folder === undefined ? [] : (['light', 'dark'] as const)) {
        await page.emulateMedia({ colorScheme });
        await page.screenshot({ path: `${folder}/probe-${name}-${colorScheme}.png`, fullPage: true });
      }
    };

    await page.getByText('Create a probe').click();
    await page.getByLabel('Name', { exact: true }).fill('web-answers');
    await page.getByLabel('URL').fill('http://web.shop/health');
    await page.getByRole('button', { name: 'Try it now' }).click();
    const answer = { outcome: 'Passed', text: "Actual code: '200'", code: null, milliseconds: 12 };
    assert.match(await reply({ answer }), /http:\/\/web\.shop\/health/);
    await page.getByText("Actual code: '200'").waitFor();
    await page.getByText('in 12 ms').waitFor();
    assert.deepEqual(await accessibilityProblems(page), []);
    await picture('tried');
    await page.getByRole('button', { name: 'Try it now' }).click();
    await reply({ problem: 'probes of type httpProbe are not tried here' });
    await page.getByText('It was not tried: probes of type httpProbe are not tried here').waitFor();
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('link', { name: 'web-answers' }).click();

    await page.getByText('Edit', { exact: true }).click();
    assert.equal(await page.getByLabel('URL').inputValue(), 'http://web.shop/health');
    await page.getByLabel('this', { exact: true }).fill('204');
    await picture('changed');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('"responseCode": "204"').waitFor();
    assert.deepEqual(await accessibilityProblems(page), []);
    assert.deepEqual(problems, []);
  });
});
