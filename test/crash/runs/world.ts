import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { createClient, loadKubeconfig } from '../../../src/kube/client/index.ts';
import type { KubeClient } from '../../../src/kube/client/types.ts';
import { chaosAccount } from '../../support/manifests.ts';
import { applyText } from '../../support/up.ts';

const fileOf = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

/** A cluster and an operator, each a process of its own that can be killed and started again. */
export class World {
  /** Begins the names of engines, so that their processes can be told from those of other worlds. */
  readonly id = `c${randomBytes(3).toString('hex')}`;
  readonly folder: string;
  client!: KubeClient;
  #cluster: ChildProcess | undefined;
  #operator: ChildProcess | undefined;
  #port = 0;
  #kubeconfig = '';

  private constructor(folder: string) {
    this.folder = folder;
  }

  /** Starts everything, with an application of two pods on two nodes. */
  static async start(): Promise<World> {
    const world = new World(await mkdtemp(join(tmpdir(), 'turnsole-crash-')));
    await world.startCluster();
    await applyText(world.client, `${chaosAccount()}---${FURTHER}`);
    world.startOperator();
    return world;
  }

  /** For commands. */
  get kubeconfig(): string {
    return this.#kubeconfig;
  }

  get markFolder(): string {
    return join(this.folder, 'marks');
  }

  async startCluster(): Promise<void> {
    const child = spawn(
      process.execPath,
      [fileOf('cluster.ts'), join(this.folder, 'data'), String(this.#port)],
      {
        stdio: ['pipe', 'pipe', 'inherit'],
        env: { ...process.env, TURNSOLE_JOURNAL: join(this.folder, 'journal') },
      },
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
    await kill(this.#operator);
    this.client.close();
    const cluster = this.#cluster;
    if (cluster !== undefined && cluster.exitCode === null) {
      const ended = once(cluster, 'exit');
      cluster.stdin?.end();
      await ended;
    }
    await rm(this.folder, { recursive: true, force: true });
  }
}

async function kill(child: ChildProcess | undefined): Promise<void> {
  if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}

const FURTHER = `
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: { name: marks }
rules: [{ apiGroups: [''], resources: [configmaps], verbs: [create, delete] }]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: { name: marks }
subjects: [{ kind: ServiceAccount, name: chaos-sa, namespace: default }]
roleRef: { apiGroup: rbac.authorization.k8s.io, kind: Role, name: marks }
---
apiVersion: apps/v1
kind: Deployment
metadata: { name: app, labels: { app: app } }
spec:
  replicas: 2
  selector: { matchLabels: { app: app } }
  template:
    metadata: { labels: { app: app } }
    spec:
      terminationGracePeriodSeconds: 1
      containers: [{ name: app, image: busybox, command: [sleep, '100000'] }]
${['mark-by-api', 'mark-on-node']
  .map(
    (name) => `---
apiVersion: litmuschaos.io/v1alpha1
kind: ChaosExperiment
metadata: { name: ${name} }
spec:
  definition:
    scope: Namespaced
    image: crash/chaos
    imagePullPolicy: IfNotPresent
    args: [experiment, -name, ${name}]
    labels: { name: ${name} }
`,
  )
  .join('')}`;
