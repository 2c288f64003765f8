import { execFileSync, spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { EmbeddedCluster } from '@turnsole/cluster/cluster/types';
import { createClient } from '@turnsole/kube/client/index';
import type { KubeClient } from '@turnsole/kube/client/types';
import { NAMESPACES, SERVICE_ACCOUNTS } from '@turnsole/kube/kinds/resources';
import { waitForObject } from '@turnsole/kube/runtime/wait';
import { PATIENCE_MS } from '@turnsole/kube/testing/until';
import { startChaosCluster } from '../../src/embedded/index.ts';

/** How a program ended, and what it said. */
export interface Outcome {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** What a program is given beside its arguments. */
export interface RunOptions {
  readonly input?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** The time limit of kubectl commands that wait. What they wait for happens within two seconds; a busy machine takes longer. */
export const PATIENT = '--timeout=90s';

/** The version of kubectl that the cluster says it is. */
const SERVER_MINOR = 36;
/** kubectl is supported one minor version around its server's; a few more work as well (version skew policy). */
const OLDEST_MINOR = 28;

/** Why tests of kubectl cannot run here, or false when they can. */
export const kubectlMissing: string | false = lookForKubectl();

function lookForKubectl(): string | false {
  try {
    const answer = execFileSync('kubectl', ['version', '--client', '-o', 'json'], { encoding: 'utf8' });
    const minor = Number.parseInt(JSON.parse(answer).clientVersion.minor, 10);
    if (minor >= OLDEST_MINOR) return false;
    return `kubectl 1.${minor} is too old for a server 1.${SERVER_MINOR}: at least 1.${OLDEST_MINOR} is needed`;
  } catch {
    return 'kubectl is not on PATH';
  }
}

/** An embedded cluster with what clients need around it; ends with `await using`, or by {@link ClientCluster.close}. */
export class ClientCluster {
  readonly cluster: EmbeddedCluster;
  /** For what a test does beside the client under test. */
  readonly client: KubeClient;
  /** For files; also the home folder of clients, so that none reads or keeps anything elsewhere. */
  readonly folder: string;
  #namespaces = 0;

  constructor(cluster: EmbeddedCluster, client: KubeClient, folder: string) {
    this.cluster = cluster;
    this.client = client;
    this.folder = folder;
  }

  /** A namespace nobody else uses, with its service account. */
  async namespace(): Promise<string> {
    this.#namespaces += 1;
    const name = `t-${this.#namespaces}`;
    await this.client.create(NAMESPACES, { metadata: { name } });
    await waitForObject(this.client, SERVICE_ACCOUNTS, 'default', (account) => account !== undefined, {
      namespace: name,
      timeoutMs: PATIENCE_MS,
    });
    return name;
  }

  /** A file with this text; returns its path. */
  async file(name: string, content: string, mode = 0o644): Promise<string> {
    const path = join(this.folder, name);
    await writeFile(path, content, { mode });
    return path;
  }

  /** Runs a program as a user of this cluster would. */
  async run(program: string, args: readonly string[], options: RunOptions = {}): Promise<Outcome> {
    const { KUBECONFIG: _, ...inherited } = process.env;
    const env = {
      ...inherited,
      HOME: this.folder,
      KUBECONFIG: this.cluster.kubeconfigPath,
      ...options.env,
    };
    const child = spawn(program, args, { env, cwd: this.folder });
    child.stdin.on('error', () => {});
    child.stdin.end(options.input ?? '');
    const code = new Promise<number | null>((resolve, reject) => {
      child.once('error', reject);
      child.once('close', resolve);
    });
    const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
    return { code: await code, stdout, stderr };
  }

  async close(): Promise<void> {
    this.client.close();
    await this.cluster.close({ graceMs: 0 });
    await rm(this.folder, { recursive: true, force: true });
  }
}

/** Starts a cluster for clients. */
export async function startClientCluster(
  nodes = 1,
  runtime: 'process' | 'simulated' = 'process',
): Promise<ClientCluster> {
  const folder = await mkdtemp(join(tmpdir(), 'turnsole-clients-'));
  try {
    const cluster = await startChaosCluster({ nodes, runtime });
    return new ClientCluster(cluster, createClient(cluster.adminConfig), folder);
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
}

/** kubectl in one namespace of a cluster. */
export class Kubectl {
  readonly #cluster: ClientCluster;
  readonly namespace: string;

  constructor(cluster: ClientCluster, namespace: string) {
    this.#cluster = cluster;
    this.namespace = namespace;
  }

  /** However it ends. `words` is split at blanks; arguments with blanks come in `more`. */
  run(words: string, more: readonly string[] = [], options?: RunOptions): Promise<Outcome> {
    const args = [`--namespace=${this.namespace}`, ...words.split(' '), ...more];
    return this.#cluster.run('kubectl', args, options);
  }

  /** What it prints. Throws when it fails, with all it said. */
  async ok(words: string, more: readonly string[] = [], options?: RunOptions): Promise<string> {
    const outcome = await this.run(words, more, options);
    if (outcome.code === 0) return outcome.stdout;
    const said = [outcome.stdout, outcome.stderr].join('\n').trim();
    throw new Error(`kubectl ${words} ${more.join(' ')} ended with ${outcome.code}:\n${said}`);
  }

  /** What it complains about. Throws when it succeeds. */
  async fails(words: string, more: readonly string[] = [], options?: RunOptions): Promise<string> {
    const outcome = await this.run(words, more, options);
    if (outcome.code !== 0) return outcome.stderr;
    throw new Error(`kubectl ${words} ${more.join(' ')} did not fail:\n${outcome.stdout}`);
  }

  /** A field of an object, by JSONPath without braces. */
  get(object: string, path: string): Promise<string> {
    return this.ok(`get ${object} -o`, [`jsonpath={${path}}`]);
  }
}
