/**
 * Runs in every way that a run can go, ordered at a real server and made by its agent on an embedded cluster: what a page in a browser shows of
 * each from its beginning to its end, what `turnsole remote … --wait` prints and ends with, lists, scores and exports all say the same.
 */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import type { KubeClient } from '@turnsole/kube/client/types';
import type { ClusterRoleBinding, Deployment } from '@turnsole/kube/kinds/core';
import { CLUSTER_ROLE_BINDINGS, DEPLOYMENTS } from '@turnsole/kube/kinds/resources';
import { waitForObject } from '@turnsole/kube/runtime/wait';
import type { Page } from 'playwright-core';
import { CHAOS_ENGINES, type ChaosEngine } from '../../src/api/index.ts';
import { readExperiment } from '../../src/cli/remote/experiments.ts';
import type { Scene } from '../../src/controlplane/experiment/testing/scene.ts';
import { TestServer } from '../../src/controlplane/server/testing/test-server.ts';
import { SUBSCRIBER_NAME } from '../../src/services/install/names.ts';
import { RUN_STATES, type RunState } from '../../src/services/report/outcome/run-states.ts';
import { engine, webProbe } from '../support/manifests.ts';
import {
  type Ending,
  manifestOf,
  nameOf,
  prepareSituations,
  SITUATIONS,
  type Situation,
} from '../support/run-situations.ts';
import { TurnsoleProcess, turnsole } from '../support/turnsole.ts';
import { type DetachedCluster, detachedCluster } from '../support/up.ts';
import { databaseHere, type ProjectPage, skip, startProject } from './project-page.ts';

/** Runs at a time. */
const TOGETHER = 4;
/** Only situations whose words have this; for one who mends a state. */
const ONLY = process.env.TURNSOLE_SITUATION ?? '';

/** What the server says of a run. */
interface ToldRun {
  readonly experimentRunID: string;
  readonly outcome: {
    readonly state: RunState;
    readonly word: string;
    readonly reason: string | null;
    readonly survival: string | null;
    readonly score: number | null;
    readonly exitCode: number | null;
  };
}
const RUN = `query ($p: ID!, $run: ID!) { getExperimentRun(projectID: $p, notifyID: $run) {
  experimentRunID outcome { state word reason survival score exitCode } } }`;
const LISTED = `query ($p: ID!) {
  listExperiment(projectID: $p, request: { pagination: { page: 0, limit: 100 } }) {
    experiments { name recentExperimentRunDetails { outcome { state score } } } }
  getExperimentStats(projectID: $p) { totalExpCategorizedByResiliencyScore { count } } }`;
interface Listed {
  readonly listExperiment: {
    readonly experiments: readonly {
      readonly name: string;
      readonly recentExperimentRunDetails: readonly Pick<ToldRun, 'outcome'>[];
    }[];
  };
  readonly getExperimentStats: {
    readonly totalExpCategorizedByResiliencyScore: readonly { readonly count: number }[];
  };
}

/** Keeps each state that the head of a run's page shows, without how much of it is over. */
const WATCH = `
  window.shownStates = [];
  new MutationObserver(() => {
    const words = document.querySelector('.run-head .verdict')?.textContent?.split(',')[0];
    if (words !== undefined && window.shownStates.at(-1) !== words) window.shownStates.push(words);
  }).observe(document, { subtree: true, childList: true, characterData: true });
`;

/** States in which probes have decided. */
const SCORED: readonly RunState[] = ['passed', 'failedByProbe'];

function rowOf(state: RunState): (typeof RUN_STATES)[RunState] & { readonly exitCode?: number } {
  return RUN_STATES[state];
}

/** A cluster whose agent is connected to the project of a page. */
class Agents implements AsyncDisposable {
  readonly project: ProjectPage;
  readonly cluster: DetachedCluster;
  readonly infraID: string;
  readonly env: Readonly<Record<string, string>>;
  /** The list of runs, open all the time. */
  readonly list: Page;
  readonly #secretKey: Buffer;
  scene: Scene;

  private constructor(
    project: ProjectPage,
    cluster: DetachedCluster,
    infraID: string,
    env: Agents['env'],
    list: Page,
    secretKey: Buffer,
  ) {
    this.project = project;
    this.cluster = cluster;
    this.infraID = infraID;
    this.env = env;
    this.list = list;
    this.#secretKey = secretKey;
    this.scene = project.scene;
  }

  static async start(): Promise<Agents> {
    const secretKey = randomBytes(32);
    const [project, cluster] = await Promise.all([startProject({ secretKey }), detachedCluster()]);
    const { scene, address } = project;
    const env = {
      HOME: cluster.folder,
      ...{ TURNSOLE_SERVER: address, TURNSOLE_TOKEN: scene.owner.token, TURNSOLE_PROJECT: scene.project },
    };
    const [connected] = await Promise.all([
      turnsole(['connect', '--kubeconfig', cluster.kubeconfig, '--name', 'here'], env),
      prepareSituations(cluster.client),
    ]);
    assert.equal(connected.code, 0, connected.stderr);
    await allowEverywhere(cluster.client);
    const infraID = /^infrastructure here registered \((.*)\)$/m.exec(connected.stdout)?.[1] ?? '';
    const { page } = await project.open('runs');
    await page.context().addInitScript(WATCH);
    return new Agents(project, cluster, infraID, env, page, secretKey);
  }

  /** Saves an experiment and orders a run of it by the command, which waits for its end. */
  async order(text: string): Promise<OrderedRun> {
    const { name, manifest } = readExperiment('situation.yaml', text);
    await this.scene.save(name, { name, manifest, infraID: this.infraID });
    const command = new TurnsoleProcess(
      ['remote', 'experiment', 'run', name, '--wait', '--timeout', '2m'],
      this.env,
    );
    const [, id = ''] = /\((.*)\)/.exec(await command.line(/^run of .* ordered/)) ?? [];
    const page = await this.list.context().newPage();
    await page.goto(`${this.project.address}/ui/project/${this.scene.project}/runs/${id}`);
    return new OrderedRun(this, name, id, command, page);
  }

  async exported(run: string, form: string): Promise<string> {
    const { scene } = this;
    const { address } = this.project;
    const headers = { authorization: `Bearer ${scene.owner.token}` };
    const answer = await fetch(`${address}/export/run/${scene.project}/${run}/${form}`, { headers });
    const text = await answer.text();
    assert.equal(answer.status, 200, text);
    return text;
  }

  /** Ends the server in the middle of everything; gives what starts it again. */
  async endServer(): Promise<() => Promise<void>> {
    const { server } = this.scene;
    await server.stop();
    return async () => {
      const settings = { pageFolder: this.project.folder };
      const again = { location: server.location, secretKey: this.#secretKey, settings };
      const started = await TestServer.start(databaseHere(), again);
      await started.app.listen({ host: '127.0.0.1', port: Number(new URL(this.project.address).port) });
      this.scene = this.scene.on(started);
    };
  }

  async scaleAgent(replicas: number): Promise<void> {
    await this.cluster.client.patch(
      DEPLOYMENTS,
      SUBSCRIBER_NAME,
      'merge',
      { spec: { replicas } },
      { namespace: 'litmus' },
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.cluster[Symbol.asyncDispose]();
  }
}

/** Lets the agent work in all namespaces, by what only an administrator of the cluster may change. */
async function allowEverywhere(client: KubeClient): Promise<void> {
  const [place, name] = [{ namespace: 'litmus' }, SUBSCRIBER_NAME];
  await client.create<ClusterRoleBinding>(CLUSTER_ROLE_BINDINGS, {
    metadata: { name: 'agent-everywhere' },
    subjects: [{ kind: 'ServiceAccount', name, ...place }],
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
  });
  const env = [{ name: 'ALLOWED_NAMESPACES', value: '*' }];
  const spec = { template: { spec: { containers: [{ name: 'subscriber', env }] } } };
  const { metadata } = await client.patch<Deployment>(DEPLOYMENTS, name, 'strategic', { spec }, place);
  await waitForObject<Deployment>(
    client,
    DEPLOYMENTS,
    name,
    (found) => {
      const { observedGeneration = 0, replicas, updatedReplicas, availableReplicas } = found?.status ?? {};
      const isSeen = observedGeneration >= (metadata.generation ?? 0);
      return isSeen && [replicas, updatedReplicas, availableReplicas].every((count) => count === 1);
    },
    { ...place, timeoutMs: 60_000 },
  );
}

/** A run, seen by the command that waits for it and by its page. */
class OrderedRun implements AsyncDisposable {
  readonly id: string;
  readonly page: Page;
  readonly command: TurnsoleProcess;
  readonly #agents: Agents;
  readonly #name: string;

  constructor(agents: Agents, name: string, id: string, command: TurnsoleProcess, page: Page) {
    this.#agents = agents;
    this.#name = name;
    this.id = id;
    this.command = command;
    this.page = page;
  }

  /** States that the page has shown, in order. */
  shown(): Promise<string[]> {
    return this.page.evaluate('window.shownStates');
  }

  async shows(state: RunState, timeout = 60_000): Promise<void> {
    const { label } = RUN_STATES[state];
    const head = this.page.locator('.run-head .verdict', { hasText: new RegExp(`^${label}(,|$)`) });
    await head.waitFor({ timeout });
  }

  /** Ends it before its time. */
  async stop({ by, why }: NonNullable<Situation['stop']>, namespace: string): Promise<void> {
    if (why !== undefined) await this.page.getByText(why).first().waitFor();
    if (by === 'user') {
      await this.page
        .locator('.run-head')
        .getByRole('button', { name: /^Abort/ })
        .click();
      const dialog = this.page.getByRole('dialog');
      await dialog.getByRole('button', { name: 'Abort and revert' }).click();
      await dialog.waitFor({ state: 'detached' });
      return;
    }
    const { client } = this.#agents.cluster;
    const engines = await client.list<ChaosEngine>(CHAOS_ENGINES, { namespace });
    const engine = engines.items.find(({ metadata }) => metadata.name.startsWith(`${this.#name}-`));
    const stop = { spec: { engineState: 'stop' } };
    await client.patch(CHAOS_ENGINES, engine?.metadata.name ?? '', 'merge', stop, { namespace });
  }

  /** Looks at how it has ended, everywhere. */
  async ended({ code, end, before = [], says, shows }: Ending): Promise<void> {
    assert.ok(end !== undefined);
    const ended = await this.command.ended;
    const printed = `${ended.stdout}\n${ended.stderr}`;
    const { label, word } = rowOf(end);
    await this.shows(end, 15_000).catch((error: unknown) => {
      throw new Error(`not shown as ${label}, but the command printed:\n${printed}`, { cause: error });
    });
    const states = await this.shown();
    const told = `shown: ${states.join(', ')}\n${printed}`;
    for (const one of before) assert.ok(states.includes(RUN_STATES[one].label), `never ${one}: ${told}`);

    const { scene } = this.#agents;
    const { getExperimentRun: run } = (await scene.data(RUN, { run: this.id })) as {
      getExperimentRun: ToldRun;
    };
    const { outcome } = run;
    assert.deepEqual([outcome.state, outcome.word, outcome.exitCode], [end, word, code], told);
    assert.equal(ended.code, code, told);
    const isScored = SCORED.includes(end);
    assert.equal(outcome.score !== null, isScored, told);
    assert.match(ended.stdout, isScored ? /^score \d+, /m : /^score none, /m);
    assert.ok(
      ended.stdout.split('\n').some((line) => line === word || line.startsWith(`${word}: `)),
      told,
    );
    await this.page.locator('.facts', { hasText: isScored ? /score \d/ : /score –/ }).waitFor();
    if (says !== undefined) assert.match(printed, says);
    for (const words of [says, shows]) {
      if (words !== undefined) await this.page.locator('.why', { hasText: words }).waitFor();
    }
    await this.#compareExports(run.experimentRunID || this.id, code, told);
    await this.page.close();
  }

  async #compareExports(id: string, code: number, told: string): Promise<void> {
    const [json, junit] = await Promise.all([
      this.#agents.exported(id, 'json'),
      this.#agents.exported(id, 'junit'),
    ]);
    const { outcome } = JSON.parse(json);
    assert.equal(outcome?.exitCode, code, `${told}\n${json}`);
    const [, failures, errors] = /^<testsuites .*failures="(\d+)" errors="(\d+)"/m.exec(junit) ?? [];
    // A dry run has neither passed nor failed.
    const isBroken = code !== 0 && code !== 4;
    assert.equal(Number(failures) + Number(errors) > 0, isBroken, `${told}\n${junit}`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.command[Symbol.asyncDispose]();
  }
}

test('runs by an agent', { skip, concurrency: TOGETHER }, async (t) => {
  await using agents = await Agents.start();
  const chosen = SITUATIONS.filter(({ what }) => what.includes(ONLY));
  const done = chosen.map((situation) => {
    const { stop, code, end } = { ...situation, ...situation.byAgent };
    const ending: Ending = situation.byAgent ?? situation;
    return t.test(`${situation.what}: ${end && RUN_STATES[end].label}, exit code ${code}`, async () => {
      await using run = await agents.order(manifestOf(situation));
      if (stop !== undefined) {
        await run.shows(stop.at);
        await run.stop(stop, situation.namespace ?? 'default');
      }
      await run.ended(ending);
    });
  });
  await Promise.all(done);

  await t.test('lists and counts say the same, and count scores of probes alone', async () => {
    const told = (await agents.scene.data(LISTED)) as unknown as Listed;
    const runs = told.listExperiment.experiments.map(
      ({ name, recentExperimentRunDetails: [run] }) => [name, run?.outcome] as const,
    );
    for (const situation of chosen) {
      const { end } = situation.byAgent ?? situation;
      assert.ok(end !== undefined);
      const [, outcome] = runs.find(([name]) => name === nameOf(situation)) ?? [];
      assert.equal(outcome?.state, end, situation.what);
      const row = agents.list.getByRole('row').filter({ hasText: `${nameOf(situation)} ` });
      await row.getByText(RUN_STATES[end].label, { exact: true }).waitFor();
    }
    const counts = told.getExperimentStats.totalExpCategorizedByResiliencyScore;
    assert.equal(
      counts.reduce((sum, { count }) => sum + count, 0),
      runs.filter(([, outcome]) => outcome?.score !== null).length,
    );
  });

  await t.test('the server and then the agent are away in the middle: Passed, exit code 0', async () => {
    const env = { TOTAL_CHAOS_DURATION: '12', CHAOS_INTERVAL: '12' };
    const experiments = [{ name: 'pod-delete', env, probes: webProbe('Edge') }];
    const text = engine({ name: 'away', experiments }).replace(
      'name: away',
      'name: away, namespace: default',
    );
    await using run = await agents.order(text);
    await run.shows('chaos');
    const startServer = await agents.endServer();
    await run.page.getByText(/^away since /).waitFor();
    await startServer();
    await run.page.getByText('live', { exact: true }).waitFor();
    await agents.scaleAgent(0);
    await run.page.getByText(/^Its agent is away, last seen .*: this is what it has said by then/).waitFor();
    await agents.scaleAgent(1);
    await run.ended({ code: 0, end: 'passed', before: ['chaos'] });
  });
});
