import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { createClient, loadKubeconfig } from '@turnsole/kube/client/index';
import type { KubeClient } from '@turnsole/kube/client/types';
import type { Service } from '@turnsole/kube/kinds/core';
import { SERVICES } from '@turnsole/kube/kinds/resources';
import { JOURNAL_FOLDER, readJournals } from '../../../src/experiment/helper/journal.ts';
import { applyText } from '../../support/up.ts';
import { manifests } from './application.ts';
import type { Family } from './families.ts';
import { childrenOf, type SeenProcess } from './processes.ts';

const fileOf = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

/** A cluster and an operator, each a process of its own that can be killed and started again. */
export class World {
  /** Begins the names of engines, so that their processes can be told from those of other worlds. */
  readonly id = `c${randomBytes(3).toString('hex')}`;
  readonly folder: string;
  client!: KubeClient;
  /** Whether pods have namespaces of their own. */
  readonly isolated: boolean;
  #cluster: ChildProcess | undefined;
  #operator: ChildProcess | undefined;
  #port = 0;
  #kubeconfig = '';
  /** Of the API server, as its pods know it. */
  #addressForPods = '';
  #isClosed = false;

  private constructor(folder: string, isolated: boolean) {
    this.folder = folder;
    this.isolated = isolated;
  }

  /** Starts everything, with applications of two pods each. */
  static async start({ isolated = false, applications = 1, family }: WorldOptions = {}): Promise<World> {
    const world = new World(await mkdtemp(join(tmpdir(), 'turnsole-crash-')), isolated);
    await mkdir(world.markFolder, { recursive: true });
    await world.startCluster();
    await applyText(world.client, manifests(applications, family));
    world.startOperator();
    return world;
  }

  /** For commands. */
  get kubeconfig(): string {
    return this.#kubeconfig;
  }

  /** Of the machine, in isolated pods too: they have the folder of the journals from it. */
  get markFolder(): string {
    return this.isolated ? join(JOURNAL_FOLDER, `${this.id}-marks`) : join(this.folder, 'marks');
  }

  async startCluster(): Promise<void> {
    const child = spawn(
      process.execPath,
      [fileOf('cluster.ts'), join(this.folder, 'data'), String(this.#port), this.isolated ? 'full' : 'none'],
      { stdio: ['pipe', 'pipe', 'inherit'] },
    );
    this.#cluster = child;
    const lines = createInterface({ input: child.stdout });
    const [line] = await Promise.race([
      once(lines, 'line'),
      once(child, 'exit').then(() => {
        throw new Error('the cluster did not start');
      }),
    ]);
    const [, kubeconfig = '', server = ''] = String(line).split(' ');
    this.#kubeconfig = kubeconfig;
    this.#port = Number(new URL(server).port);
    this.client?.close();
    this.client = createClient(await loadKubeconfig({ path: kubeconfig }));
    this.#addressForPods = this.isolated ? `${await this.#serviceAddress()}:443` : new URL(server).host;
  }

  async #serviceAddress(): Promise<string | undefined> {
    const { spec } = await this.client.get<Service>(SERVICES, 'kubernetes', { namespace: 'default' });
    return spec?.clusterIP;
  }

  /** Whether a process may be of a pod of this cluster; other suites have clusters on the same machine. */
  mayOwn({ variable }: Pick<SeenProcess, 'variable'>): boolean {
    const host = variable('KUBERNETES_SERVICE_HOST');
    const port = variable('KUBERNETES_SERVICE_PORT');
    return host === undefined || `${host}:${port}` === this.#addressForPods;
  }

  startOperator(): void {
    this.#operator = spawn(process.execPath, [fileOf('component.ts'), 'operator', this.#kubeconfig], {
      stdio: ['ignore', 'ignore', 'inherit'],
      env: { ...process.env, LOG_LEVEL: 'silent' },
    });
  }

  /** kill -9 of the operator; its Deployment would start another one at once. */
  async killOperator(): Promise<void> {
    await kill(this.#operator);
    this.startOperator();
  }

  /** As where none is installed. */
  async removeOperator(): Promise<void> {
    await kill(this.#operator);
  }

  /** kill -9 of API server, controllers and nodes in one: pods end as on a machine that loses power. */
  async killCluster(): Promise<void> {
    await kill(this.#cluster);
    await this.startCluster();
    // Its kubeconfig is another file.
    await this.killOperator();
  }

  /**
   * kill -9 of API server, controllers and node agents together with what would end their pods: these go on by themselves, until
   * the agents are started again.
   */
  async killAgent(awayMs: number): Promise<void> {
    const { pid } = this.#cluster ?? {};
    // The cluster would replace its reaper, and the reaper would end the pods: neither may run in between.
    this.#cluster?.kill('SIGSTOP');
    for (const child of childrenOf(pid)) {
      if (child.words.some((word) => word.includes('turnsole-reaper'))) process.kill(child.pid, 'SIGKILL');
    }
    await kill(this.#cluster);
    await kill(this.#operator);
    await delay(awayMs);
    // A test that has failed meanwhile has no use for another one.
    if (this.#isClosed) return;
    await this.startCluster();
    this.startOperator();
  }

  /** The API server answers nothing, and its connections stay open, until {@link thaw}; processes of pods go on. */
  freeze(): void {
    this.#cluster?.kill('SIGSTOP');
  }

  thaw(): void {
    this.#cluster?.kill('SIGCONT');
  }

  dropConnections(): void {
    this.#cluster?.stdin?.write('drop\n');
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await kill(this.#operator);
    this.client.close();
    const cluster = this.#cluster;
    // A test may fail while it is killed: that one has ended, and has no exit code.
    if (cluster !== undefined && cluster.exitCode === null && cluster.signalCode === null) {
      const ended = once(cluster, 'exit');
      cluster.stdin?.end();
      await ended;
    }
    // Only where something was found wrong there are any.
    for (const { path, record } of await readJournals(JOURNAL_FOLDER)) {
      if (record.result.startsWith(`${this.id}-`)) await rm(path, { force: true });
    }
    for (const folder of [this.folder, this.markFolder]) await rm(folder, { recursive: true, force: true });
  }
}

/** What a world has. */
export interface WorldOptions {
  /** @default false */
  readonly isolated?: boolean;
  /** @default 1 */
  readonly applications?: number;
  /** Of all engines. @default any */
  readonly family?: Family | undefined;
}

async function kill(child: ChildProcess | undefined): Promise<void> {
  if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}
