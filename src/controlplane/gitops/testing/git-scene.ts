import assert from 'node:assert/strict';
import { stringify } from 'yaml';
import { Scene, SHOP } from '../../experiment/testing/scene.ts';
import type { GitServer } from '../../remote/testing/git-server.ts';
import type { TestDatabase } from '../../store/testing/databases.ts';

/** Fields of a project's repository. */
export const GIT_CONFIG =
  'enabled branch repoURL authType token userName latestCommit lastError problems { path experimentName message }';
export const ENABLE =
  'mutation ($p: ID!, $c: GitConfig!) { enableGitOps(projectID: $p, configurations: $c) }';
export const SYNC = `mutation ($p: ID!) { syncGitOps(projectID: $p) { ${GIT_CONFIG} } }`;
const NAMES =
  'query ($p: ID!, $r: ListExperimentRequest!) { listExperiment(projectID: $p, request: $r) { experiments { experimentID name } } }';

/** The same as an answer. */
export interface GitConfigAnswer {
  readonly enabled: boolean;
  readonly token: string | null;
  readonly latestCommit: string | null;
  readonly lastError: string | null;
  readonly problems: readonly {
    readonly path: string;
    readonly experimentName: string;
    readonly message: string;
  }[];
}

/** A project whose experiments are kept in a repository. */
export class GitScene {
  readonly scene: Scene;
  readonly git: GitServer;

  constructor(scene: Scene, git: GitServer) {
    this.scene = scene;
    this.git = git;
  }

  static async start(database: TestDatabase, git: GitServer): Promise<GitScene> {
    return new GitScene(await Scene.start(database), git);
  }

  config(more: object = {}): object {
    return { branch: 'main', repoURL: this.git.url, authType: 'NONE', ...more };
  }

  async enable(): Promise<void> {
    assert.equal((await this.scene.data(ENABLE, { c: this.config() })).enableGitOps, true);
  }

  async sync(): Promise<GitConfigAnswer> {
    return (await this.scene.data(SYNC)).syncGitOps as GitConfigAnswer;
  }

  path(name: string): string {
    return `litmus/${this.scene.project}/${name}`;
  }

  /** A document of an experiment of this project's agent. */
  document(name: string, more: { readonly seconds?: string; readonly infraID?: string } = {}): string {
    const { seconds = '30', infraID = this.scene.agent.infraID } = more;
    const object = JSON.parse(SHOP);
    object.metadata = { name, namespace: 'litmus', labels: { infra_id: infraID, seconds: `s${seconds}` } };
    return stringify(object);
  }

  async file(name: string): Promise<string> {
    return this.git.git('show', `main:${this.path(name)}`);
  }

  async files(): Promise<string[]> {
    const listed = await this.git.git(
      'ls-tree',
      '-r',
      '--name-only',
      'main',
      '--',
      `litmus/${this.scene.project}`,
    );
    return listed.split('\n').map((path) => path.replace(this.path(''), ''));
  }

  async log(): Promise<string[]> {
    return (await this.git.git('log', '--format=%an: %s', 'main'))
      .replaceAll(this.scene.project, 'PROJECT')
      .split('\n');
  }

  /** Ids of the project's experiments, by name. */
  async experiments(): Promise<Record<string, string>> {
    const { listExperiment } = await this.scene.data(NAMES, { r: {} });
    const { experiments } = listExperiment as { experiments: { experimentID: string; name: string }[] };
    return Object.fromEntries(experiments.map(({ name, experimentID }) => [name, experimentID]).toSorted());
  }

  /** Types of the actions that the agent has got since the last call. */
  async orders(): Promise<string[]> {
    return (await this.scene.orders()).map(({ type }) => type);
  }

  async setAgent(active: 0 | 1): Promise<void> {
    const { plane } = this.scene.server;
    await plane.store.transaction('test', async ({ db }) => {
      await db.updateTable('infras').set({ active }).where('id', '=', this.scene.agent.infraID).execute();
    });
  }
}
