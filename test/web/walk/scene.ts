/** The control plane that pages are walked on: a project that has one of everything, one that has nothing, and a cluster that is looked at. */
import { after } from 'node:test';
import { createApiServer } from '@turnsole/cluster/apiserver/index';
import { systemClock } from '@turnsole/kube/base/clock';
import { silentLogger } from '@turnsole/kube/base/log';
import type { KubeClient } from '@turnsole/kube/client/types';
import type { KubeObject } from '@turnsole/kube/kinds/core';
import { CUSTOM_RESOURCE_DEFINITIONS } from '@turnsole/kube/kinds/resources';
import { startApi } from '@turnsole/kube/testing/api';
import crds from '../../../src/api/generated/crds.json' with { type: 'json' };
import { CHAOS_ENGINES, CHAOS_RESULTS } from '../../../src/api/index.ts';
import { ObservedCluster } from '../../../src/controlplane/cluster/observed-cluster.ts';
import { Scene, SHOP } from '../../../src/controlplane/experiment/testing/scene.ts';
import type { TestUser } from '../../../src/controlplane/server/testing/test-server.ts';
import type { TestDatabase } from '../../../src/controlplane/store/testing/databases.ts';
import { checkoutRun } from '../fixtures/execution.ts';

/** Where pages are found. */
export interface Place {
  readonly project: string;
  readonly experiment: string;
  readonly run: string;
  readonly hub: string;
  readonly probe: string;
}

/** What things are called, by what they are. */
export type Names = (what: string, plain: string) => string;

/** Everything that pages are walked on. */
export interface WalkScene {
  readonly scene: Scene;
  readonly address: string;
  /** Of the cluster that the server watches. */
  readonly client: KubeClient;
  /** Owner of all projects, and administrator of the server. */
  readonly boss: TestUser;
  readonly viewer: TestUser;
  /** Has an account, and is in none of the projects. */
  readonly stranger: TestUser;
  readonly full: Place;
  readonly empty: Place;
  /** Saves a further experiment. */
  save(id: string, name: string): Promise<void>;
}

const NAMESPACE = 'default';

/** Starts it, and ends it with the test. */
export async function startWalk(
  database: TestDatabase,
  pageFolder: string,
  names: Names,
): Promise<WalkScene> {
  const api = await startApi(createApiServer);
  after(() => api[Symbol.asyncDispose]());
  await fillCluster(api.client, names);
  const cluster = new ObservedCluster(api.client, 'cluster', systemClock, silentLogger);
  after(() => cluster.stop());
  cluster.start();
  const scene = await Scene.start(database, { cluster, settings: { pageFolder } });
  const { server, project } = scene;
  const boss = await server.user('boss', 'admin');
  const viewer = await server.user(names('user', 'vera'));
  const stranger = await server.user('sam');
  await join(scene, boss, 'Owner');
  await join(scene, viewer, 'Viewer');
  const nothing = await server.project([
    [boss, 'Owner'],
    [viewer, 'Viewer'],
  ]);
  const hub = await firstHub(scene);
  const full = { project, experiment: 'e1', run: 'run-2', hub, probe: await fill(scene, names) };
  return {
    ...{ scene, boss, viewer, stranger, full, address: await server.listen(), client: api.client },
    empty: { ...full, project: nothing },
    save: (id, name) => saveExperiment(scene, id, name, names),
  };
}

/** A member from now on. */
async function join({ server, project, owner }: Scene, user: TestUser, role: string): Promise<void> {
  await server.rest('POST', '/send_invitation', { projectID: project, userID: user.id, role }, owner);
  await server.rest('POST', '/accept_invitation', { projectID: project, userID: user.id }, user);
}

async function firstHub(scene: Scene): Promise<string> {
  const { listChaosHub } = await scene.data(`query ($p: ID!) { listChaosHub(projectID: $p) { id } }`);
  return (listChaosHub as { id: string }[])[0]?.id ?? '';
}

/** One of everything that a project can have. @returns the name of its probe */
async function fill(scene: Scene, names: Names): Promise<string> {
  const { server, project, owner } = scene;
  const name = names('project', 'shop');
  await server.rest('POST', '/update_project_name', { projectID: project, projectName: name }, owner);
  await saveExperiment(scene, 'e1', names('experiment', 'checkout'), names);
  await runTwice(scene, names);
  await saveSchedule(scene, names('experiment', 'every-morning'));
  await server.agent(project, names('infra', 'kind-laptop'));
  for (const [query, r] of [
    [
      `mutation ($p: ID!, $r: CreateEnvironmentRequest) { createEnvironment(projectID: $p, request: $r) { environmentID } }`,
      { environmentID: 'lab', name: names('environment', 'lab'), type: 'PROD', ...about(names) },
    ],
    [
      `mutation ($p: ID!, $r: CreateWebhookRequest!) { createWebhook(projectID: $p, request: $r) { webhook { webhookID } } }`,
      {
        ...{ name: names('webhook', 'chat'), url: 'http://127.0.0.1:1/hook', format: 'SLACK' },
        events: ['RUN_ENDED'],
      },
    ],
  ] as const)
    await scene.data(query, { r });
  await server.rest(
    'POST',
    '/create_token',
    { user_id: owner.id, name: names('token', 'pipeline'), days_until_expiration: 30 },
    owner,
  );
  return addProbe(scene, names);
}

function about(names: Names): { readonly description: string; readonly tags: readonly string[] } {
  return { description: names('description', 'of the shop'), tags: [names('tag', 'shop')] };
}

async function saveExperiment(scene: Scene, id: string, name: string, names: Names): Promise<void> {
  const r = { id, name, manifest: shopCalled(name), infraID: scene.agent.infraID, ...about(names) };
  await scene.data(
    'mutation ($p: ID!, $r: SaveChaosExperimentRequest!) { saveChaosExperiment(projectID: $p, request: $r) }',
    { r },
  );
}

function shopCalled(name: string): string {
  const { metadata, ...rest } = JSON.parse(SHOP) as { metadata: object };
  return JSON.stringify({ ...rest, metadata: { ...metadata, name } });
}

/** A run that has failed, and one that is at work. */
async function runTwice(scene: Scene, names: Names): Promise<void> {
  const runNames = {
    ...{ experiment: names('experiment', 'checkout'), target: names('target', 'web-6d9f7c5b8-tcldh') },
    ...{ probe: names('probe', 'slo-99'), found: names('description', '3.1 % of requests were errors') },
  };
  for (const [runID, isOver] of [
    ['run-1', true],
    ['run-2', false],
  ] as const) {
    const text = checkoutRun(isOver, runNames).executionData ?? '';
    const event = { experimentID: 'e1', runID, notifyID: await scene.run('e1') };
    await scene.report({ ...event, text, completed: isOver });
  }
}

/** An experiment that runs from Monday to Friday, begun. */
async function saveSchedule(scene: Scene, name: string): Promise<void> {
  const { spec, ...rest } = JSON.parse(shopCalled(name)) as { readonly spec: object };
  const schedule = { schedule: '30 10 * * 1-5', timezone: 'Europe/Berlin' };
  const cron = { ...rest, kind: 'CronWorkflow', spec: { ...schedule, workflowSpec: spec } };
  await scene.save('e2', { name, manifest: JSON.stringify(cron) });
  await scene.run('e2');
}

async function addProbe(scene: Scene, names: Names): Promise<string> {
  const name = names('probe', 'page-answers');
  await scene.data(
    `mutation ($p: ID!, $r: ProbeRequest!) { addProbe(request: $r, projectID: $p) { name } }`,
    {
      r: {
        ...{ name, type: 'httpProbe', infrastructureType: 'Kubernetes', ...about(names) },
        kubernetesHTTPProperties: {
          ...{ probeTimeout: '2s', interval: '1s', attempt: 1, url: 'http://web.shop/' },
          method: { get: { criteria: '==', responseCode: '200' } },
        },
      },
    },
  );
  return name;
}

/** An engine with its result, as operator and experiment leave them. */
async function fillCluster(client: KubeClient, names: Names): Promise<void> {
  for (const crd of crds as unknown as KubeObject[]) await client.create(CUSTOM_RESOURCE_DEFINITIONS, crd);
  const spec = {
    engineState: 'active',
    chaosServiceAccount: 'litmus',
    experiments: [{ name: 'pod-delete' }],
  };
  const at = { namespace: NAMESPACE };
  await client.create(CHAOS_ENGINES, { metadata: { name: 'checkout' }, spec } as never, at);
  const begun = new Date(Date.now() - 10_000).toISOString();
  const step = { time: begun, actor: 'experiment/pod-delete', step: 'ChaosStarted' };
  const result = {
    metadata: { name: 'checkout-pod-delete' },
    spec: { engine: 'checkout', experiment: 'pod-delete' },
    status: {
      experimentStatus: { phase: 'Running', verdict: 'Awaited' },
      probeStatuses: [
        {
          name: names('probe', 'alive'),
          type: 'httpProbe',
          mode: 'Continuous',
          status: { verdict: 'Awaited' },
        },
      ],
      timeline: [{ ...step, message: names('description', 'chaos begins') }],
    },
  };
  await client.create(CHAOS_RESULTS, result as never, at);
}
