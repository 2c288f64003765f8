/** The pages around the runs, on the real control plane: what each shows, changes and refuses. That everybody can use them is in walk.test.ts. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { parse } from 'yaml';
import { type Scene, SHOP } from '../../src/controlplane/experiment/testing/scene.ts';
import { closePages } from './chromium.ts';
import { type ProjectPage, skip, startProject } from './project-page.ts';

let scene: Scene;
let address: string;
let open: ProjectPage['open'];
let guestToken: string;

/** What is tried, in this order: all of it on one server. */
const checks: { readonly name: string; run(): Promise<void> }[] = [];
function check(name: string, run: () => Promise<void>): void {
  checks.push({ name, run });
}

check('the overview counts what there is, and shows the latest runs', async () => {
  const { page, problems } = await open('overview');
  await page.getByRole('heading', { name: 'Nothing was run yet' }).waitFor();
  await page.getByRole('link', { name: 'To the experiments' }).waitFor();
  await page.getByText('No chaos is in force.').waitFor();
  await scene.save('e1');
  const notifyID = await scene.run('e1');
  await page.reload();
  await page.getByRole('rowheader', { name: 'shop · 1' }).waitFor();
  const strips = page.getByRole('region', { name: 'Last runs of each experiment' });
  await strips.getByTitle('Run 1 of shop: Queued').waitFor();
  const infras = page.getByRole('region', { name: 'Infrastructures' });
  await infras.getByText(/sign of life/).waitFor();
  // What begins is seen without asking again.
  const text = JSON.stringify({ name: 'shop-1', namespace: 'litmus', phase: 'Running', nodes: {} });
  await scene.report({ experimentID: 'e1', runID: 'uid-of-overview', notifyID, text });
  const inForce = page.getByRole('region', { name: 'In force now' });
  await inForce.getByRole('link', { name: 'shop · 1' }).waitFor();
  await strips.getByRole('link', { name: 'Run 1 of shop: Running' }).waitFor();
  const folder = process.env.TURNSOLE_SCREENSHOTS;
  for (const colorScheme of folder === undefined ? [] : (['light', 'dark'] as const)) {
    await page.emulateMedia({ colorScheme });
    await page.screenshot({ path: `${folder}/overview-${colorScheme}.png`, fullPage: true });
  }
  await page.getByText('1 connected', { exact: true }).waitFor();
  assert.equal(await page.title(), 'Overview · Turnsole');
  assert.deepEqual(problems, []);
});

check('the overview lists what schedules will do next, and lists are narrowed to what has one', async () => {
  const { metadata, spec, ...rest } = JSON.parse(SHOP) as {
    readonly metadata: object;
    readonly spec: object;
  };
  const cron = { schedule: '30 10 * * *', timezone: 'Asia/Tokyo', workflowSpec: spec };
  const object = {
    ...rest,
    kind: 'CronWorkflow',
    metadata: { ...metadata, name: 'by-the-clock' },
    spec: cron,
  };
  await scene.save('e2', { name: 'by-the-clock', manifest: JSON.stringify(object) });
  const { page, problems } = await open('overview', { timezoneId: 'Asia/Tokyo' });
  const next = page.getByRole('region', { name: 'Next scheduled runs' });
  await next.getByText('No run will begin by itself.').waitFor();
  await next.getByText('One schedule has not been started.').waitFor();
  await scene.run('e2');
  const first = next.getByRole('listitem').first();
  await first.getByRole('link', { name: 'by-the-clock' }).waitFor();
  const time = first.locator('time');
  assert.match((await time.textContent()) ?? '', /, 10:30$/);
  assert.match((await time.getAttribute('title')) ?? '', /, 10:30:00 (GMT\+9|JST)$/);

  await page.getByRole('link', { name: 'Experiments', exact: true }).first().click();
  const table = page.getByRole('table', { name: 'Experiments' });
  await table.getByRole('link', { name: 'shop', exact: true }).waitFor();
  await page.getByLabel('Type').selectOption('With a schedule');
  await table.getByRole('link', { name: 'shop', exact: true }).waitFor({ state: 'detached' });
  await table.getByRole('cell', { name: 'every day at 10:30', exact: true }).waitFor();
  await page.waitForURL(/type=CRON/);
  await page.getByLabel('Changed to this day').fill('2020-02-02');
  await page.getByText('2 are hidden by the filters.').waitFor();
  await page.getByRole('button', { name: 'Show all' }).click();
  await table.getByRole('link', { name: 'shop', exact: true }).waitFor();
  assert.deepEqual(problems, []);
});

check('an environment is made, found, and deleted after a question', async () => {
  const { page, problems } = await open('settings');
  await page.getByRole('heading', { level: 1, name: 'Environments' }).waitFor();
  await page.getByText('Create an environment').click();
  await page.getByLabel('Name', { exact: true }).fill('<b>shop</b>');
  await page.getByLabel(/^ID/).fill('shop-1');
  await page.getByLabel('Type').selectOption('PROD');
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Create' }).click();
  const row = page.getByRole('row', { name: '<b>shop</b> shop-1 production' });
  await row.waitFor();
  await page.getByRole('button', { name: 'Delete <b>shop</b>' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await row.waitFor({ state: 'detached' });
  assert.deepEqual(problems, []);
});

check('a hub that cannot be read is refused with the reason', async () => {
  const { page } = await open('hubs');
  await page.getByText('Add a hub').click();
  await page.getByLabel('Name', { exact: true }).fill('nowhere');
  await page.getByLabel('Address').fill('not an address');
  await page.getByRole('button', { name: 'Add', exact: true }).click();
  await page.getByRole('alert').filter({ hasText: 'Failed:' }).waitFor();
});

check('a token is shown once, works, and is revoked', async () => {
  const { page, problems } = await open('settings/account');
  await page.getByLabel('Purpose').fill('pipeline');
  await page.getByRole('button', { name: 'Create a token' }).click();
  const made = page.getByRole('region', { name: 'The new token' });
  const token = (await made.locator('pre').textContent()) ?? '';
  const authorization = `Bearer ${token}`;
  const ask = async (): Promise<number> =>
    (await fetch(`${address}/get_user/me`, { headers: { authorization } })).status;
  assert.equal(await ask(), 200);
  await made.getByRole('button').click();
  assert.equal((await page.content()).includes(token), false, 'the text is gone from the page');
  await page.getByRole('button', { name: 'Revoke pipeline' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
  await page.getByText('There is no token yet.').waitFor();
  assert.equal(await ask(), 401);
  assert.deepEqual(problems, []);
});

check('somebody is invited, accepts, and may then do what their role may', async () => {
  const guest = await scene.server.user('gerd');
  guestToken = guest.token;
  const { page, problems } = await open('settings/members');
  await page.getByText('Invite a user').click();
  await page.getByRole('combobox', { name: 'User' }).selectOption('gerd');
  await page.getByRole('combobox', { name: 'Role' }).selectOption('Viewer');
  await page.getByRole('button', { name: 'Invite', exact: true }).click();
  await page.getByRole('row', { name: /^gerd Viewer Pending/ }).waitFor();
  assert.deepEqual(problems, []);

  const { page: theirs } = await open('settings/members', { token: guest.token });
  await theirs.getByRole('button', { name: /^Accept the invitation/ }).click();
  await theirs.getByRole('region', { name: 'Your invitations' }).waitFor({ state: 'detached' });
  // The owner sees it without asking again.
  await page.getByRole('row', { name: /^gerd Viewer Accepted/ }).waitFor();
  await theirs.reload();
  const own = theirs.getByRole('row', { name: /^gerd Viewer Accepted/ });
  await own.getByRole('button', { name: 'Leave the project' }).waitFor();
  const others = theirs.getByRole('button', { name: /^(Make|Remove|Invite)/ });
  assert.equal(await others.count(), 0, 'a viewer sees nothing that is refused to viewers');
  await theirs.getByRole('link', { name: 'Audit' }).click();
  await theirs.getByRole('heading', { name: 'Your role may not see the audit log' }).waitFor();
  await theirs.getByRole('link', { name: 'Users' }).click();
  await theirs.getByRole('heading', { name: 'Your role may not see the users' }).waitFor();
});

check(
  'an owner renames a project; a member leaves the only one of theirs, and the page says so',
  async () => {
    const { page, problems } = await open('settings/members');
    await page.getByText('Rename the project').click();
    await page.getByLabel('New name of the project').fill('checkout');
    await page.getByRole('button', { name: 'Rename', exact: true }).click();
    await page.getByLabel('Project', { exact: true }).getByText('checkout').waitFor({ state: 'attached' });
    assert.deepEqual(problems, []);

    const { page: theirs } = await open('settings/members', { token: guestToken });
    await theirs.getByRole('button', { name: 'Leave the project' }).click();
    await theirs.getByRole('dialog').getByRole('button', { name: 'Leave' }).click();
    await theirs.getByRole('heading', { name: 'You are a member of no project' }).waitFor();
  },
);

check('the audit log has what was done, filtered by the link and as JSON lines', async () => {
  const { page, problems } = await open('settings/audit?operation=createEnvironment&v=1');
  await page.getByRole('row', { name: /olga.*created environment / }).waitFor();
  assert.equal(await page.getByRole('row').count(), 2);
  await page.getByText('Show', { exact: true }).click();
  await page.getByText('"environmentID":"shop-1"').waitFor();
  const href = await page.getByRole('link', { name: 'All of these as JSON lines' }).getAttribute('href');
  const lines = await page.context().request.get(`${address}${href}`);
  assert.deepEqual(
    (await lines.text())
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).operation),
    ['createEnvironment'],
  );
  assert.deepEqual(problems, []);
});

check(
  'an environment goes from the list though the connection breaks when the list is asked for again',
  async () => {
    const { page } = await open('settings');
    await page.getByText('Create an environment').click();
    await page.getByLabel('Name', { exact: true }).fill('short-lived');
    await page.getByLabel(/^ID/).fill('short-lived');
    await page.getByRole('button', { name: 'Create' }).click();
    const row = page.getByRole('row', { name: 'short-lived' });
    await row.waitFor();
    let broken = 0;
    await page.route('**/query', async (route) => {
      if (broken > 0 || route.request().postData()?.includes('listEnvironments') !== true)
        return route.continue();
      broken += 1;
      return route.abort('connectionreset');
    });
    await page.getByRole('button', { name: 'Delete short-lived' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await row.waitFor({ state: 'detached' });
    assert.equal(broken, 1);
  },
);

check('the hub of the server shows its faults, and a fault its files by a link', async () => {
  const { page, problems } = await open('hubs');
  await page.getByRole('rowheader').first().getByRole('link').click();
  await page.getByLabel('Only names with').fill('pod-delete');
  await page.getByRole('button', { name: 'Node Drain' }).waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Pod Delete', exact: true }).click();
  await page.getByRole('region', { name: 'Engine' }).getByText('kind: ChaosEngine').waitFor();
  assert.match(page.url(), /fault=/);
  await page.reload();
  await page.getByRole('region', { name: 'Engine' }).getByText('kind: ChaosEngine').waitFor();
  await page.getByRole('button', { name: 'Close' }).click();
  await page.getByRole('region', { name: 'Engine' }).waitFor({ state: 'detached' });
  assert.deepEqual(problems, []);
});

check('a webhook is added with its secret shown once, edited, tested, turned off, and deleted', async () => {
  const { page, problems } = await open('settings/webhooks');
  await page.getByText('This project has no webhooks yet.').waitFor();
  await page.getByText('Add a webhook').click();
  await page.getByLabel('Name', { exact: true }).fill('chat');
  await page.getByLabel('Address').fill('http://127.0.0.1:1/secret-path');
  await page.getByLabel('Format').selectOption('SLACK');
  await page.getByLabel('chaos was halted').uncheck();
  await page.getByRole('button', { name: 'Add', exact: true }).click();
  const made = page.getByRole('region', { name: 'The secret of the webhook' });
  assert.ok(((await made.locator('pre').textContent()) ?? '').length > 20);
  await made.getByRole('button').click();
  const row = page.getByRole('table', { name: 'Webhooks' }).getByRole('row', { name: /^chat / });
  await row.getByText(/^a run has ended, the verdict of an experiment has changed, an inf.* away$/).waitFor();
  assert.equal((await page.content()).includes('secret-path'), false, 'the path may be a secret');

  await row.getByRole('button', { name: 'Edit chat' }).click();
  const edit = page.getByRole('region', { name: 'Edit chat' });
  assert.equal(await edit.getByLabel('Format').inputValue(), 'SLACK');
  assert.equal(await edit.getByLabel('chaos was halted').isChecked(), false);
  await edit.getByLabel('an infrastructure has gone away').uncheck();
  await edit.getByRole('button', { name: 'Save' }).click();
  await edit.waitFor({ state: 'detached' });
  await row.getByText('a run has ended, the verdict of an experiment has changed', { exact: true }).waitFor();

  await row.getByRole('button', { name: 'Test chat' }).click();
  await page.getByRole('table', { name: 'Deliveries' }).getByRole('cell', { name: 'chat' }).waitFor();
  await row.getByRole('button', { name: 'Turn off chat' }).click();
  await row.getByRole('cell', { name: 'off', exact: true }).waitFor();
  await row.getByRole('button', { name: 'Delete chat' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await page.getByText('This project has no webhooks yet.').waitFor();
  assert.deepEqual(problems, []);
});

check('the image registry is changed, and stays so', async () => {
  const { page, problems } = await open('settings/registry');
  await page.getByText('This is the default of every project.').waitFor();
  await page.getByLabel('Registry', { exact: true }).fill('registry.shop');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('The project has set this registry.').waitFor();
  await page.reload();
  await page.getByText('The project has set this registry.').waitFor();
  assert.equal(await page.getByLabel('Registry', { exact: true }).inputValue(), 'registry.shop');
  assert.deepEqual(problems, []);
});

check('a Git repository that cannot be read is refused with the reason', async () => {
  const { page } = await open('settings/git');
  await page.getByText('Experiments of this project are not kept in Git.').waitFor();
  await page.getByLabel('Authentication').selectOption('TOKEN');
  await page.getByLabel('Repository', { exact: true }).fill('https://127.0.0.1:1/shop.git');
  await page.getByLabel('Token', { exact: true }).fill('t');
  await page.getByRole('button', { name: 'Keep experiments in Git' }).click();
  await page.getByRole('alert').filter({ hasText: 'Failed:' }).waitFor();
});

const PROBES: readonly (readonly [
  name: string,
  kind: string,
  fields: Readonly<Record<string, string>>,
  shownText: string,
])[] = [
  // Signs that an address has for itself.
  ['page=answers/50 %', 'an HTTP answer', { URL: 'http://web.shop/' }, 'http://web.shop/'],
  ['disk-free', 'what a command prints', { Command: 'df -h', this: '10' }, 'df -h'],
  [
    'slo-99',
    'a value of Prometheus',
    { Prometheus: 'http://prom:9090', Query: 'up', this: '1' },
    'http://prom:9090',
  ],
  ['web-there', 'objects of the cluster', { Labels: 'app=web' }, 'app=web'],
];
for (const [name, kind, fields, shownText] of PROBES) {
  check(`a probe that looks at ${kind} is made, shown as experiments have it, and deleted`, async () => {
    const { page, problems } = await open('probes');
    await page.getByText('Create a probe').click();
    await page.getByRole('combobox', { name: 'It looks at' }).selectOption(kind);
    await page.getByLabel('Name', { exact: true }).fill(name);
    for (const [label, value] of Object.entries(fields))
      await page.getByLabel(label, { exact: true }).fill(value);
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('link', { name, exact: true }).click();
    await page.getByText('No experiment has run with it yet.').waitFor();
    await page.locator('pre').filter({ hasText: shownText }).waitFor();
    await page.getByRole('link', { name: 'Probes' }).first().click();
    await page.getByRole('button', { name: `Delete ${name}` }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('link', { name, exact: true }).waitFor({ state: 'detached' });
    assert.deepEqual(problems, []);
  });
}

check('the key of an agent is replaced after a question, and its Secret is shown once', async () => {
  const { agent, server } = scene;
  const { page, problems } = await open('infrastructures');
  const row = page.getByRole('table', { name: 'Infrastructures' }).getByRole('row').nth(1);
  const replace = row.getByRole('button', { name: /^Replace key of / });
  const name = ((await replace.getAttribute('aria-label')) ?? '').replace('Replace key of ', '');
  await replace.click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText(/^The former key is worth nothing from then on/).waitFor();
  assert.equal(await dialog.getByRole('checkbox').isChecked(), true);
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  const answers = async (accessKey: string): Promise<boolean> => {
    const r = { infraID: { ...agent, accessKey }, requestID: 'x', reply: '{}' };
    const query = 'mutation ($r: AgentReply!) { agentReply(request: $r) }';
    return (await server.graphql(query, { r })).errors.length === 0;
  };
  assert.equal(await answers(agent.accessKey), true, 'nothing is replaced before the answer');
  await replace.click();
  await dialog.getByRole('checkbox').uncheck();
  await dialog.getByRole('button', { name: 'Replace key' }).click();
  const made = page.getByRole('region', { name: `New key of ${name}` });
  await made.getByRole('status').filter({ hasText: 'it was not to be handed over' }).waitFor();
  const download = page.waitForEvent('download');
  await made.getByRole('link', { name: 'Download agent-key.yaml' }).click();
  const secret = parse(await readFile(await (await download).path(), 'utf8'));
  const accessKey = Buffer.from(secret.data.ACCESS_KEY, 'base64').toString();
  assert.deepEqual([await answers(agent.accessKey), await answers(accessKey)], [false, true]);
  await made.getByRole('button', { name: `Close the new key of ${name}` }).click();
  await made.waitFor({ state: 'detached' });
  assert.ok(!(await page.content()).includes(accessKey));
  assert.deepEqual(problems, []);
});

check('those who may not replace keys are not offered it', async () => {
  const viewer = await scene.server.user('vera-of-keys');
  await scene.server.plane.store.transaction('test', ({ db, now }) =>
    db
      .insertInto('members')
      .values({
        ...{ project_id: scene.project, user_id: viewer.id, role: 'Executor', invitation: 'Accepted' },
        ...{ invited_at: now, joined_at: now },
      })
      .execute(),
  );
  const { page } = await open('infrastructures', { token: viewer.token });
  await page.getByRole('table', { name: 'Infrastructures' }).getByRole('row').nth(1).waitFor();
  assert.equal(await page.getByRole('button', { name: /^Replace the key/ }).count(), 0);
});

test('the pages of a project', { skip }, async (t) => {
  const project = await startProject();
  ({ scene, address, open } = project);
  t.afterEach(() => closePages(project.browser));
  for (const { name, run } of checks) await t.test(name, run);
});
