/** The studio on a real control plane whose agent is in a real cluster: an experiment is made, changed as YAML, saved, copied and run. */
import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import { createApiServer } from '@turnsole/cluster/apiserver/index';
import type { Service } from '@turnsole/kube/kinds/core';
import { SERVICES } from '@turnsole/kube/kinds/resources';
import { startApi, type TestApi } from '@turnsole/kube/testing/api';
import { until } from '@turnsole/kube/testing/until';
import type { Browser, Locator, Page } from 'playwright-core';
import {
  engineYaml,
  faultTemplate,
  workflowOf,
} from '../../src/controlplane/experiment/testing/manifests.ts';
import { Scene } from '../../src/controlplane/experiment/testing/scene.ts';
import { otherDatabase } from '../../src/controlplane/store/testing/databases.ts';
import { accessibilityProblems } from './axe.ts';
import { browserMissing, closePages, openPage, startBrowser, type WatchedPage } from './chromium.ts';
import { type BuiltFolder, buildOnce } from './page-server.ts';
import { picture } from './picture.ts';
import { makeApplication, startAgent } from './real-agent.ts';

const database = otherDatabase('sqlite', true);
const skip = database === undefined ? 'no database here' : browserMissing;

/** A workflow with one fault, as others write them: with a comment, and with tags that are no YAML. */
const SHOP = JSON.stringify(
  workflowOf(
    {
      name: 'shop',
      steps: [
        [{ name: 'install-chaos-faults', template: 'install-chaos-faults' }],
        [{ name: 'a', template: 'fault-step' }],
      ],
    },
    faultTemplate(engineYaml()),
  ).object,
);

/** Goes to a part of the studio by its link. */
async function part(page: Page, name: string): Promise<void> {
  await page
    .getByRole('navigation', { name: 'Parts of the experiment' })
    .getByRole('link', { name: new RegExp(`^${name}`) })
    .click();
  await page.getByRole('heading', { level: 2, name, exact: true }).waitFor();
}

/** Opens the editor of the manifest, which is closed at first. */
async function showYaml(page: Page): Promise<void> {
  const button = page.getByRole('button', { name: /^(Show|Hide) the YAML$/ });
  await button.waitFor();
  if ((await button.getAttribute('aria-expanded')) === 'false') await button.click();
}

/** The editor of the manifest. */
function editor(page: Page): Locator {
  return page.getByRole('textbox', { name: 'Manifest as YAML' });
}

async function addFault(page: Page, place: string): Promise<void> {
  await page.getByRole('combobox', { name: 'Fault', exact: true }).selectOption(place);
  await page.getByRole('button', { name: 'Add this fault' }).click();
}

/** Waits until a line of the editor says this; lines out of view are not there. */
async function says(page: Page, words: string): Promise<void> {
  await showYaml(page);
  await editor(page).locator('.cm-line').filter({ hasText: words }).first().waitFor({ state: 'attached' });
}

describe('the studio', { skip }, () => {
  let browser: Browser;
  let built: BuiltFolder;
  let api: TestApi;
  before(async () => {
    [built, browser, api] = await Promise.all([buildOnce(), startBrowser(), startApi(createApiServer)]);
  });
  afterEach(() => closePages(browser));
  after(async () => {
    await browser?.close();
    await api?.[Symbol.asyncDispose]();
    await built?.[Symbol.asyncDispose]();
  });

  /** A control plane of a test's own. */
  async function begin(): Promise<{ scene: Scene; address: string }> {
    assert.ok(database !== undefined);
    const scene = await Scene.start(database, { settings: { pageFolder: built.folder } });
    return { scene, address: await scene.server.listen() };
  }

  async function open(
    { scene, address }: { scene: Scene; address: string },
    path: string,
  ): Promise<WatchedPage> {
    const watched = await openPage(browser);
    const { page } = watched;
    await page.context().addCookies([scene.server.cookieOf(scene.owner.token, address)]);
    await page.goto(`${address}/ui/project/${scene.project}/${path}`);
    return watched;
  }

  async function stored(scene: Scene, name: string): Promise<{ id: string; manifest: string }> {
    const query = `query ($p: ID!) { listExperiment(projectID: $p, request: {}) { experiments { experimentID name experimentManifest } } }`;
    const { experiments } = (await scene.data(query)).listExperiment as {
      experiments: { experimentID: string; name: string; experimentManifest: string }[];
    };
    const found = experiments.find((one) => one.name === name);
    return { id: found?.experimentID ?? '', manifest: found?.experimentManifest ?? '' };
  }

  test('an experiment is made for what the cluster has, saved, and seen in the list', {}, async () => {
    const { scene, address } = await begin();
    await makeApplication(api.client, 'shop', 'web', 3);
    await using _agent = await startAgent(api, scene.agent, address);
    const { page, problems } = await open({ scene, address }, 'experiments');
    await page.getByRole('link', { name: 'Create an experiment' }).click();
    await page.getByLabel('Name', { exact: true }).fill('Shop');
    await page.getByText('Needs lower-case letters').waitFor();
    await page.getByLabel('Name', { exact: true }).fill('web-loses-pods');
    await addFault(page, 'kubernetes/pod-delete');
    await page.getByRole('region', { name: 'pod-delete', exact: true }).waitFor();
    await addFault(page, 'kubernetes/pod-network-latency');
    await page.getByLabel('together with the step before').check();
    await says(page, 'name: web-loses-pods');
    assert.deepEqual(await accessibilityProblems(page), []);
    await picture(page, 'studio-what');
    await page.getByRole('button', { name: 'Show as a graph' }).click();
    await page.getByLabel('pod-delete: not begun').waitFor();
    await page.getByRole('button', { name: 'Show as a list' }).click();

    await part(page, 'Where');
    await page.getByLabel('Infrastructure').selectOption(scene.agent.infraID);
    await page.getByLabel('Namespace').fill('shop');
    await page.getByLabel('Which deployment').waitFor();
    await page.getByLabel('Which deployment').selectOption('web');
    assert.equal(await page.getByLabel('Label of its pods').inputValue(), 'app=web');
    await page.getByText('About 1 of 3 would be hit in each round').waitFor();
    assert.deepEqual(await accessibilityProblems(page), []);
    await picture(page, 'studio-where');
    await page.getByRole('link', { name: /^pod-network-latency/ }).click();
    await page.getByLabel('Namespace').fill('shop');
    await page.getByLabel('Label of its pods').fill('app=web');

    await part(page, 'Settings');
    await page.getByLabel('NETWORK_LATENCY').fill('soon');
    await page.getByText('Needs a whole number of milliseconds').waitFor();
    assert.ok(await page.getByRole('button', { name: 'Save', exact: true }).isDisabled());
    await picture(page, 'studio-settings');
    await says(page, 'value: soon');
    await page.getByLabel('NETWORK_LATENCY').fill('300');
    await page.getByRole('link', { name: /^pod-delete/ }).click();
    await page.getByLabel('FORCE').selectOption('true');
    assert.deepEqual(await accessibilityProblems(page), []);

    await part(page, 'Checks');
    await page.getByLabel('Weight in the score').fill('7');
    await picture(page, 'studio-checks');
    assert.deepEqual(await accessibilityProblems(page), []);
    await part(page, 'Plan');
    await page.getByText('deployment with app=web in shop').first().waitFor();
    assert.deepEqual(await accessibilityProblems(page), []);
    await picture(page, 'studio-plan');
    await part(page, 'When');
    await page.getByLabel('It runs').selectOption('every day at 3:00');
    await page.getByLabel('Time zone').fill('Europe/Berlin');
    await page.getByRole('region', { name: 'Next times' }).getByRole('listitem').nth(4).waitFor();
    await page.getByLabel('Schedule').fill('0 25 * * *');
    await page.getByText('"25" in "25" is not between 0 and 23').waitFor();
    await page.getByLabel('Schedule').fill('0 4 * * *');
    assert.deepEqual(await accessibilityProblems(page), []);
    await picture(page, 'studio-when');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('rowheader', { name: 'web-loses-pods' }).waitFor();
    assert.deepEqual(problems, []);
    const { manifest } = await stored(scene, 'web-loses-pods');
    for (const said of [
      'CronWorkflow',
      '0 4 * * *',
      'app=web',
      'FORCE',
      'value: \\"300\\"',
      '"weight":"7"',
    ]) {
      assert.ok(manifest.includes(said), `${said} in ${manifest}`);
    }
  });

  test('a check is made where the experiment is made, and stands in its step at once', {}, async () => {
    const { page, problems } = await open(await begin(), 'studio');
    await page.getByLabel('Name', { exact: true }).fill('checked');
    await addFault(page, 'kubernetes/pod-delete');
    await part(page, 'Checks');
    await page.getByText(/^Nothing is checked: a run without a check/).waitFor();
    await page.getByText('A service must keep answering').click();
    await page.getByLabel('URL').fill('http://web.shop.svc.cluster.local:8080/');
    await page.getByLabel('Name of the check').fill('web-answers');
    await picture(page, 'studio-check');
    assert.deepEqual(await accessibilityProblems(page), []);
    await page.getByRole('button', { name: 'Add this check' }).click();
    const mode = page.getByLabel(/^Probe web-answers/);
    await until(async () => (await mode.inputValue()) === 'Continuous', 'the check is not in its step');
    await page.getByText(/^Nothing is checked: a run without a check/).waitFor({ state: 'detached' });
    assert.deepEqual(problems, []);
  });

  test('an experiment with one fault is a sentence with fields, with its check, and runs as it reads', {}, async () => {
    const { scene, address } = await begin();
    // One agent looks at a cluster.
    await using cluster = await startApi(createApiServer);
    await makeApplication(cluster.client, 'sentence', 'web', 3);
    const ports = [
      { name: 'metrics', port: 9090 },
      { name: 'http', port: 8080 },
    ];
    await cluster.client.create<Service>(
      SERVICES,
      { metadata: { name: 'gate' }, spec: { selector: { app: 'web' }, ports } },
      { namespace: 'sentence' },
    );
    await using _agent = await startAgent(cluster, scene.agent, address);
    const { page, problems } = await open({ scene, address }, 'studio');
    const sentence = page.getByRole('region', { name: 'The experiment as a sentence' });
    assert.equal(await sentence.count(), 0);
    await page.getByRole('button', { name: 'Delete pods' }).click();
    // The only one that is connected.
    const places = sentence.getByLabel('Cluster that it runs on');
    assert.equal(await places.inputValue(), scene.agent.infraID);
    await sentence.getByLabel('Its space in the cluster').fill('sentence');
    await sentence.getByLabel('The deployment that is hit').selectOption('web');
    const name = page.getByLabel('Name', { exact: true });
    assert.equal(await name.inputValue(), 'web-pod-delete');
    await name.fill('web-loses-one');
    await sentence.getByLabel('How many pods').selectOption('50 %');
    await sentence.getByLabel('Seconds from round to round').fill('10');
    await sentence.getByLabel('Seconds of chaos').fill('often');
    assert.ok(await page.getByRole('button', { name: 'Save', exact: true }).isDisabled());
    await sentence.getByLabel('Seconds of chaos').fill('30');
    await sentence.getByText(/^Nothing is checked: /).waitFor();
    await picture(page, 'studio-sentence');
    assert.deepEqual(await accessibilityProblems(page), []);
    const url = sentence.getByLabel('URL that has to answer');
    const proposed = 'http://gate.sentence.svc.cluster.local:8080/';
    await until(async () => (await url.inputValue()) === proposed, 'the service is not proposed');
    await sentence.getByLabel('Port of the service').selectOption('9090 (metrics)');
    assert.match(await url.inputValue(), /:9090\/$/);
    await sentence.getByLabel('Port of the service').selectOption('8080 (http)');
    await sentence.getByRole('button', { name: 'Add this check' }).click();
    await sentence.getByText(`${proposed} answers 200 within 1 s`).waitFor();
    // This cluster has objects only, so nothing answers; that is found at once, and not in the run.
    await sentence.getByText('tried', { exact: true }).waitFor();
    await sentence.getByRole('button', { name: 'Remove the check web-answers' }).click();
    await sentence.getByText(/^Nothing is checked: /).waitFor();
    // A probe of that name is there now.
    await sentence.getByRole('button', { name: 'Add this check' }).click();
    await sentence.getByRole('button', { name: 'Remove the check web-answers-2' }).waitFor();
    await sentence.getByRole('button', { name: 'Try again: web-answers-2' }).waitFor();
    assert.deepEqual(await accessibilityProblems(page), []);
    await picture(page, 'studio-sentence-checked');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('rowheader', { name: 'web-loses-one' }).waitFor();
    const { manifest } = await stored(scene, 'web-loses-one');
    for (const said of [
      'sentence',
      'app=web',
      'value: \\"50\\"',
      'value: \\"10\\"',
      'value: \\"30\\"',
      'web-answers-2',
    ])
      assert.ok(manifest.includes(said), `${said} in ${manifest}`);
    assert.deepEqual(problems, []);
  });

  test('form and YAML follow one another; errors stand at their lines; changes outlive a reload', {}, async () => {
    const { page, problems } = await open(await begin(), 'studio');
    const name = page.getByLabel('Name', { exact: true });
    await name.fill('in-step');
    await addFault(page, 'kubernetes/pod-delete');
    await page.getByRole('region', { name: 'pod-delete', exact: true }).waitFor();
    await showYaml(page);
    await editor(page).getByText('name: in-step', { exact: true }).first().click();
    await page.keyboard.press('End');
    await page.keyboard.type('-now # mine');
    await until(async () => (await name.inputValue()) === 'in-step-now', 'the form does not follow the YAML');
    await page.getByLabel('Description').fill('that nothing is lost');
    await name.fill('in-step-still');
    await editor(page).getByText('name: in-step-still # mine', { exact: true }).waitFor();

    await editor(page).getByText('kind: Workflow', { exact: true }).click();
    await page.keyboard.press('End');
    await page.keyboard.type(': broken: [');
    await page.getByRole('button', { name: 'Line 2' }).waitFor();
    await page.getByText('The YAML cannot be read at line 2').waitFor();
    assert.ok(await page.getByLabel('Name', { exact: true }).isDisabled());
    assert.equal(await page.getByLabel('Name', { exact: true }).inputValue(), 'in-step-still');
    await picture(page, 'studio-broken');
    assert.deepEqual(await accessibilityProblems(page), []);
    for (const _key of ': broken: [') await page.keyboard.press('Backspace');
    await page.getByRole('button', { name: 'Line 2' }).waitFor({ state: 'detached' });

    // The browser asks before the page goes with changes.
    page.once('dialog', (dialog) => void dialog.accept());
    await page.reload();
    await page.getByText(/^These are your changes from .*, which were not saved\./).waitFor();
    assert.equal(await page.getByLabel('Description').inputValue(), 'that nothing is lost');
    await editor(page).getByText('name: in-step-still # mine', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Give them up' }).click();
    assert.equal(await page.getByLabel('Name', { exact: true }).inputValue(), '');
    assert.deepEqual(problems, []);
  });

  test('an experiment is copied and run, and changed where it is; somebody else who changes it is named', {}, async () => {
    const { scene, address } = await begin();
    await scene.save('e1', { name: 'shop', manifest: SHOP });
    const { page, problems } = await open({ scene, address }, 'experiments');
    const row = page.getByRole('row', { name: /^shop / });
    await row.getByRole('link', { name: 'Copy shop' }).click();
    await page.getByRole('heading', { level: 1, name: 'Copy of shop' }).waitFor();
    assert.equal(await page.getByLabel('Name', { exact: true }).inputValue(), 'shop-copy');
    await page.getByRole('button', { name: 'Save and run now' }).click();
    // Its agent cannot plan.
    await page.getByRole('button', { name: 'Run without the plan' }).click();
    await page.getByRole('heading', { level: 1, name: 'shop-copy · run 1' }).waitFor();
    const [order] = (await scene.orders()).filter(({ type }) => type === 'create');
    assert.match(order?.manifest ?? '', /"shop-copy-\d+"/);

    await page.goto(`${address}/ui/project/${scene.project}/studio/e1`);
    await page.getByRole('heading', { level: 1, name: 'Change shop' }).waitFor();
    await part(page, 'Settings');
    await page.getByLabel('TOTAL_CHAOS_DURATION').fill('44');
    await scene.save('e1', { name: 'shop', manifest: SHOP });
    // Also when the changes were found again: what they were made of counts.
    page.once('dialog', (dialog) => void dialog.accept());
    await page.reload();
    await page.getByText('The experiment was changed since then').waitFor();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('olga has changed this experiment').waitFor();
    await page.getByRole('button', { name: 'Save anyway' }).click();
    await page.getByRole('rowheader', { name: 'shop', exact: true }).waitFor();
    const { manifest } = await stored(scene, 'shop');
    assert.match(manifest, /value: \\"44\\"/);
    assert.match(manifest, /jobCleanUpPolicy: \{\{workflow\.parameters\.policy\}\}/);
    assert.match(manifest, /context: shop # who asks/);
    assert.deepEqual(problems, []);
  });

  test('by the keyboard alone: a fault of the hub becomes an experiment, while the agent is away, which is said', {}, async () => {
    const { scene, address } = await begin();
    const setActive = (active: 0 | 1): Promise<unknown> =>
      scene.server.plane.store.transaction('test', ({ db }) =>
        db.updateTable('infras').set({ active }).where('id', '=', scene.agent.infraID).execute(),
      );
    await setActive(0);
    const { page, problems } = await open({ scene, address }, 'hubs');
    await page.getByRole('link', { name: 'Litmus ChaosHub' }).press('Enter');
    await page.getByRole('button', { name: /^pod.delete$/i }).press('Enter');
    await page.getByRole('link', { name: 'Create an experiment with it' }).press('Enter');
    await page.getByRole('heading', { level: 1, name: 'New experiment' }).waitFor();
    const { keyboard } = page;
    await page.getByLabel('Name', { exact: true }).focus();
    await keyboard.type('keys-only');
    await page.getByRole('link', { name: 'Next: Where' }).press('Enter');
    await page.locator(':focus', { hasText: /^Where$/ }).waitFor();
    // A key chooses among the options that are there.
    const places = page.getByLabel('Infrastructure');
    await places.locator('option').filter({ hasText: /^c/i }).first().waitFor({ state: 'attached' });
    await places.focus();
    await keyboard.press('c');
    await page.getByText('The agent of the infrastructure is offline').waitFor();
    await keyboard.press('Tab');
    await keyboard.type('shop');
    for (let tabs = 0; tabs < 2; tabs += 1) await keyboard.press('Tab');
    await keyboard.type('app=web');
    assert.equal(await page.getByLabel('Label of its pods').inputValue(), 'app=web');
    assert.match(page.url(), /part=where/);
    await showYaml(page);
    await editor(page).focus();
    await keyboard.press('Escape');
    await keyboard.press('Tab');
    assert.equal(
      await page.evaluate('document.activeElement.shadowRoot === null'),
      true,
      'the editor lets go',
    );
    await page.getByRole('button', { name: 'Save', exact: true }).press('Enter');
    await page.getByText('Failed: experiment scheduling failed due to inactive infra').waitFor();
    await setActive(1);
    await page.getByRole('button', { name: 'Save', exact: true }).press('Enter');
    await page.getByRole('rowheader', { name: 'keys-only' }).waitFor();
    assert.deepEqual(problems, []);
  });

  test('what the form cannot show is changed as YAML, and the studio says why', async () => {
    const { scene, address } = await begin();
    const engine = {
      apiVersion: 'litmuschaos.io/v1alpha1',
      kind: 'ChaosEngine',
      metadata: { name: 'alone', namespace: 'litmus' },
      spec: { engineState: 'active', experiments: [{ name: 'pod-delete' }] },
    };
    await scene.save('e2', { name: 'alone', manifest: JSON.stringify(engine) });
    const { page, problems } = await open({ scene, address }, 'studio/e2');
    await page.getByText('It is of kind ChaosEngine; the form makes workflows.').waitFor();
    await picture(page, 'studio-engine');
    assert.deepEqual(await accessibilityProblems(page), []);
    await editor(page).getByText('engineState: active').click();
    await page.keyboard.press('End');
    await page.keyboard.press('Enter');
    await page.keyboard.type('requireEffect: true');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('rowheader', { name: 'alone' }).waitFor();
    assert.match((await stored(scene, 'alone')).manifest, /"requireEffect":true/);
    assert.deepEqual(problems, []);
  });
});
