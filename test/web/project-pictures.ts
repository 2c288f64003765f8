/** Pictures of every page of a project, with much in it and with nothing, from the real control plane. */
import { createApiServer } from '@turnsole/cluster/apiserver/index';
import { startApi } from '@turnsole/kube/testing/api';
import type { Browser, Page } from 'playwright-core';
import { Scene, SHOP } from '../../src/controlplane/experiment/testing/scene.ts';
import { otherDatabase } from '../../src/controlplane/store/testing/databases.ts';
import { openPage } from './chromium.ts';
import { checkoutRun } from './fixtures/execution.ts';
import { ranBefore, resultOf } from './fixtures/weeks.ts';
import { buildOnce } from './page-server.ts';
import { takePictures } from './picture.ts';
import { makeApplication, startAgent } from './real-agent.ts';

/** Texts that a page must show as they are. */
const HOSTILE = '<img src=x onerror=alert(1)>\u202e gnp.exe';

interface Picture {
  readonly name: string;
  /** Below the project. */
  readonly path: string;
  /** What is done before it is taken. */
  act?(page: Page): Promise<void>;
}

const open = (summary: string) => async (page: Page) => page.getByText(summary, { exact: true }).click();

const PICTURES: readonly Picture[] = [
  { name: 'overview', path: 'overview' },
  { name: 'experiments', path: 'experiments' },
  { name: 'experiments-filtered-out', path: 'experiments?find=nothing+has+this&v=1' },
  { name: 'experiment', path: 'experiments/e2' },
  { name: 'experiment-scheduled', path: 'experiments/e5?yaml=shown&v=1' },
  { name: 'experiment-never-run', path: 'experiments/e4' },
  { name: 'runs', path: 'runs' },
  { name: 'runs-ordered', path: 'runs?order=-run&v=1' },
  { name: 'run', path: 'runs/run-1' },
  { name: 'run-step', path: 'runs/run-1?step=2&v=1' },
  {
    name: 'run-export',
    path: 'runs/run-1?steps=graph&v=1',
    act: async (page) => {
      await page.locator('.react-flow__node').first().waitFor();
      await open('Export')(page);
    },
  },
  { name: 'run-table', path: 'runs/run-1?axis=table&step=2&pane=ledger&v=1' },
  { name: 'run-replay', path: 'runs/run-1?at=20&v=1' },
  { name: 'run-running', path: 'runs/e1-6' },
  { name: 'run-stopped', path: 'runs/e3-4' },
  { name: 'no-such-run', path: 'runs/none' },
  { name: 'compare', path: 'compare?b=run-1&v=1' },
  {
    name: 'trends',
    path: 'trends',
    act: (page) => page.getByRole('region', { name: 'Never tried' }).waitFor(),
  },
  { name: 'studio', path: 'studio' },
  { name: 'probes', path: 'probes' },
  { name: 'probe', path: 'probes/web-answers' },
  { name: 'hubs', path: 'hubs', act: open('Add a hub') },
  { name: 'infrastructures', path: 'infrastructures' },
  { name: 'connect', path: 'infrastructures', act: open('Connect a cluster') },
  { name: 'environments', path: 'settings/environments', act: open('Create an environment') },
  { name: 'members', path: 'settings/members', act: open('Invite a user') },
  { name: 'notifications', path: 'settings/webhooks' },
  { name: 'gitops', path: 'settings/git' },
  { name: 'registry', path: 'settings/registry' },
  { name: 'audit', path: 'settings/audit' },
  { name: 'projects', path: 'settings/projects' },
  { name: 'account', path: 'settings/account' },
  { name: 'users', path: 'settings/users' },
  {
    name: 'palette',
    path: 'runs',
    act: async (page) => {
      await page.keyboard.press('Control+k');
      await page.getByRole('combobox', { name: 'Search or run a command' }).fill('shop');
      await page.getByRole('option').nth(2).waitFor();
    },
  },
  { name: 'keys', path: 'runs', act: (page) => page.keyboard.press('?') },
  {
    name: 'menu',
    path: 'runs',
    act: (page) => page.getByRole('button', { name: 'Menu' }).click(),
  },
  {
    name: 'halt-question',
    path: 'overview',
    act: (page) => page.getByRole('button', { name: 'Halt all chaos' }).click(),
  },
  { name: 'no-such-page', path: 'nowhere' },
];

/** Of a project in which there is nothing yet. */
const EMPTY = ['overview', 'experiments', 'runs', 'trends', 'probes', 'infrastructures', 'settings/webhooks'];

/** Takes them all into a folder; only those whose name has `only`, when it is given. Gives what axe finds in them. */
export async function takeProject(browser: Browser, folder: string, only: string): Promise<string[]> {
  const database = otherDatabase('sqlite', true);
  if (database === undefined) throw new Error('no database here');
  await using built = await buildOnce();
  const scene = await Scene.start(database, { settings: { pageFolder: built.folder } });
  const address = await scene.server.listen();
  const found: string[] = [];
  try {
    await fill(scene);
    await using api = await startApi(createApiServer);
    await makeApplication(api.client, 'shop', 'checkout', 3);
    await makeApplication(api.client, 'pay', 'till', 2);
    await using _agent = await startAgent(api, scene.agent, address);
    const boss = await scene.server.user('boss', 'admin');
    const ofBoss = await scene.server.project([[boss, 'Owner']]);
    const hub = await firstHub(scene);
    const pictures = [
      ...PICTURES,
      { name: 'hub', path: `hubs/${hub}` },
      { name: 'fault', path: `hubs/${hub}?fault=kubernetes/pod-delete&v=1` },
    ].map((one) => ({ ...one, project: scene.project, token: scene.owner.token }));
    const empty = EMPTY.map((path) => ({
      ...{ name: `empty-${path.replace('/', '-')}`, path, act: undefined },
      ...{ project: ofBoss, token: boss.token },
    }));
    const users = { name: 'users-admin', path: 'settings/users', project: ofBoss, token: boss.token };
    for (const picture of [...pictures, ...empty, users]) {
      if (picture.name.includes(only)) found.push(...(await take(browser, scene, address, folder, picture)));
    }
    await halt(scene);
    const halted = { name: 'halted', path: 'overview', project: scene.project, token: scene.owner.token };
    if ('halted'.includes(only)) found.push(...(await take(browser, scene, address, folder, halted)));
    return found;
  } finally {
    await scene.server.stop();
  }
}

async function take(
  browser: Browser,
  { server }: Scene,
  address: string,
  folder: string,
  { name, path, act, project, token }: Picture & { readonly project: string; readonly token: string },
): Promise<string[]> {
  const { page } = await openPage(browser);
  await page.context().addCookies([server.cookieOf(token, address)]);
  await page.goto(`${address}/ui/project/${project}/${path}`);
  await page.getByRole('heading').first().waitFor();
  await page.locator('.waiting').first().waitFor({ state: 'detached' });
  await act?.(page);
  const found = await takePictures(page, folder, name);
  await page.context().close();
  return found;
}

async function firstHub(scene: Scene): Promise<string> {
  const { listChaosHub } = await scene.data(`query ($p: ID!) { listChaosHub(projectID: $p) { id } }`);
  return (listChaosHub as { id: string }[])[0]?.id ?? '';
}

/** How runs end, one after the other. */
const ENDS = [
  'Running',
  'Completed',
  'Completed_With_Probe_Failure',
  'Completed',
  'Stopped',
  'Completed',
  'Error',
];

/** What the agent tells of a run, which ends like the others of its number. */
function reported({ executionData }: ReturnType<typeof checkoutRun>, count: number): string {
  const report = JSON.parse(executionData ?? '{}') as object;
  return JSON.stringify({ ...report, phase: ENDS[count] });
}

/** The sample workflow under another name. */
function shopCalled(name: string): string {
  const { metadata, ...rest } = JSON.parse(SHOP) as { metadata: object };
  return JSON.stringify({ ...rest, metadata: { ...metadata, name } });
}

/** A workflow as one that runs from Monday to Friday. */
function cronOf({ spec, ...rest }: { readonly spec: object }): object {
  const schedule = { schedule: '30 10 * * 1-5', timezone: 'Europe/Berlin' };
  return { ...rest, kind: 'CronWorkflow', spec: { ...schedule, workflowSpec: spec } };
}

/** A project as a team has it after some weeks, with a name that somebody chose to do harm. */
async function fill(scene: Scene): Promise<void> {
  const { server, project, owner } = scene;
  await server.rest('POST', '/update_project_name', { projectID: project, projectName: 'shop' }, owner);
  for (const [id, name] of [
    ['e1', 'shop'],
    ['e2', 'checkout-survives-pod-loss'],
    ['e3', 'search-under-latency'],
  ] as const) {
    await scene.save(id, { name, manifest: shopCalled(name) });
    for (let count = 1; count <= 6; count += 1) {
      const isOver = id !== 'e1' || count < 6;
      const runID = id === 'e2' && count === 6 ? 'run-1' : `${id}-${count}`;
      const names = { experiment: name, target: 'web-6d9f7c5b8-tcldh', probe: 'slo-99', found: HOSTILE };
      const text = reported(checkoutRun(isOver, count % 3 === 0 ? undefined : names), isOver ? count : 0);
      const event = { experimentID: id, runID, notifyID: await scene.run(id) };
      await scene.report({ ...event, text, completed: isOver });
    }
  }
  await fillWeeks(scene);
  await scene.save('e4', { name: 'never-run', manifest: shopCalled('never-run') });
  const cron = cronOf(JSON.parse(shopCalled('every-morning')));
  await scene.save('e5', { name: 'every-morning', manifest: JSON.stringify(cron) });
  await scene.run('e5');
  await server.agent(project, 'kind-laptop');
  const gerd = await server.user('gerd');
  const nora = await server.user('nora');
  const invite = (user: { id: string }, role: string): Promise<unknown> =>
    server.rest('POST', '/send_invitation', { projectID: project, userID: user.id, role }, owner);
  await invite(gerd, 'Executor');
  await invite(nora, 'Viewer');
  await server.rest('POST', '/accept_invitation', { projectID: project, userID: gerd.id }, gerd);
  await server.user('free');
  for (const name of ['pipeline', 'dashboard'])
    await server.rest('POST', '/create_token', { user_id: owner.id, name, days_until_expiration: 30 }, owner);
  for (const [id, type] of [
    ['staging', 'NON_PROD'],
    ['production', 'PROD'],
  ])
    await scene.data(
      `mutation ($p: ID!, $r: CreateEnvironmentRequest) { createEnvironment(projectID: $p, request: $r) { environmentID } }`,
      { r: { environmentID: id, name: id === 'staging' ? HOSTILE : id, type, description: 'for the team' } },
    );
  const webhook = await scene.data(
    `mutation ($p: ID!, $r: CreateWebhookRequest!) { createWebhook(projectID: $p, request: $r) { webhook { webhookID } } }`,
    {
      r: {
        ...{ name: 'team chat', url: 'http://127.0.0.1:1/hooks/secret', format: 'SLACK' },
        events: ['RUN_ENDED', 'HALTED'],
      },
    },
  );
  const { webhookID } = (webhook.createWebhook as { webhook: { webhookID: string } }).webhook;
  await scene.data(`mutation ($p: ID!, $id: ID!) { testWebhook(projectID: $p, webhookID: $id) }`, {
    id: webhookID,
  });
  for (const [name, url] of [
    ['page-answers', 'http://web.default.svc.cluster.local:8080/'],
    ['checkout-answers', 'http://checkout.shop:8080/health'],
  ])
    await scene.data(
      `mutation ($p: ID!, $r: ProbeRequest!) { addProbe(request: $r, projectID: $p) { name } }`,
      {
        r: {
          ...{ name, type: 'httpProbe', infrastructureType: 'Kubernetes', description: 'its front page' },
          kubernetesHTTPProperties: {
            ...{ probeTimeout: '2s', interval: '1s', attempt: 1, url },
            method: { get: { criteria: '==', responseCode: '200' } },
          },
        },
      },
    );
}

/** Days ago, percentage of the probe, and the seconds that a pod was missing, of the runs that hit a service. */
const WEEKS: Readonly<
  Record<string, readonly (readonly [daysAgo: number, percentage: number, seconds: number])[]>
> = {
  checkout: [
    ...([
      [80, 100, 2],
      [73, 100, 3],
      [52, 100, 2],
      [45, 100, 4],
    ] as const),
    ...([
      [24, 100, 3],
      [10, 0, 9],
      [3, 0, 14],
    ] as const),
  ],
  cart: [
    [66, 0, 21],
    [59, 0, 17],
    [38, 100, 8],
    [31, 100, 5],
    [17, 100, 4],
    [2, 100, 3],
  ],
  search: [
    [46, 100, 3],
    [18, 100, 3],
    [4, 100, 2],
  ],
};

/** An experiment for each service, and its runs. */
async function fillWeeks(scene: Scene): Promise<void> {
  for (const [service, runs] of Object.entries(WEEKS)) {
    const [id, name] = [`weekly-${service}`, `${service}-loses-a-pod`];
    await scene.save(id, { name, manifest: shopCalled(name) });
    for (const [daysAgo, percentage, seconds] of runs)
      await ranBefore(scene, id, `${service}-${daysAgo}`, daysAgo, percentage, resultOf(service, seconds));
  }
}

async function halt(scene: Scene): Promise<void> {
  await scene.data(
    `mutation ($p: ID!) { haltChaos(projectID: $p, reason: "the shop has too many errors") { infraID } }`,
  );
}
