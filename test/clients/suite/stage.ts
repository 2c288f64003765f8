import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { networkInterfaces } from 'node:os';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { until } from '@turnsole/kube/testing/until';
import { webApp } from '../../support/manifests.ts';
import { temporaryFolder, turnsole } from '../../support/turnsole.ts';
import { applyText, type DetachedCluster, detachedCluster } from '../../support/up.ts';
import type { Outcome } from '../harness.ts';
import { ControlPlane } from './control-plane.ts';

/** What a program is given beside its arguments. */
export interface RunOptions {
  readonly input?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Ends the program, which then counts as failed. @default five minutes */
  readonly limitMs?: number;
}

const LIMIT_MS = 300_000;

/** A home folder, a server and a cluster for one client, made when they are first asked for; ends with `await using`. */
export class Stage implements AsyncDisposable {
  readonly folder: string;
  readonly #removeFolder: () => Promise<void>;
  #cluster: Promise<DetachedCluster> | undefined;
  #controlPlane: Promise<ControlPlane> | undefined;

  private constructor(folder: string, removeFolder: () => Promise<void>) {
    this.folder = folder;
    this.#removeFolder = removeFolder;
  }

  static async open(): Promise<Stage> {
    const folder = await temporaryFolder();
    return new Stage(folder.path, async () => folder[Symbol.asyncDispose]());
  }

  /** `turnsole up --detach`. @param args further ones, used when it is started */
  cluster(args: readonly string[] = []): Promise<DetachedCluster> {
    this.#cluster ??= detachedCluster(args);
    return this.#cluster;
  }

  /** `turnsole server`, at an address that pods reach as well. */
  controlPlane(): Promise<ControlPlane> {
    this.#controlPlane ??= ControlPlane.start(join(this.folder, 'server'), machineAddress());
    return this.#controlPlane;
  }

  /** The cluster, connected to the control plane by Turnsole's own agent, in the namespace `litmus`; returns the id of the infrastructure. */
  async connectedAgent(): Promise<string> {
    const [cluster, plane] = await Promise.all([this.cluster(), this.controlPlane()]);
    const env = {
      TURNSOLE_SERVER: plane.url,
      TURNSOLE_TOKEN: plane.token,
      TURNSOLE_PROJECT: plane.projectID,
    };
    const { code, stdout, stderr } = await turnsole(['connect', '--kubeconfig', cluster.kubeconfig], {
      ...env,
      HOME: this.folder,
      XDG_CONFIG_HOME: join(this.folder, 'config'),
      XDG_STATE_HOME: join(this.folder, 'state'),
    });
    const [, infraID] = /registered \(([0-9a-f-]{36})\)/.exec(stdout) ?? [];
    assert.ok(code === 0 && infraID !== undefined, `connect ended with ${code}: ${stdout}${stderr}`);
    return infraID;
  }

  /** The sample application in a namespace of the cluster, ready. */
  async application(name: string, namespace: string): Promise<void> {
    const { client } = await this.cluster();
    await applyText(client, inNamespace(webApp(1), name, namespace));
  }

  /** A file of the home folder; returns its path. */
  async file(name: string, content: string): Promise<string> {
    const path = join(this.folder, name);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, content, { mode: 0o700 });
    return path;
  }

  /** What programs find in their environment: the home folder, and the kubeconfig of the cluster when there is one. */
  async environment(): Promise<NodeJS.ProcessEnv> {
    const { KUBECONFIG: _, ...inherited } = process.env;
    const cluster = await this.#cluster;
    return {
      ...{ ...inherited, HOME: this.folder, TERM: 'xterm' },
      ...(cluster !== undefined && { KUBECONFIG: cluster.kubeconfig }),
    };
  }

  /** Runs a program to its end, in that environment. */
  async run(program: string, args: readonly string[], options: RunOptions = {}): Promise<Outcome> {
    const env = { ...(await this.environment()), ...options.env };
    const signal = AbortSignal.timeout(options.limitMs ?? LIMIT_MS);
    const child = spawn(program, args, { env, cwd: this.folder, signal });
    child.stdin.on('error', () => {});
    child.stdin.end(options.input ?? '');
    const code = new Promise<number | null>((resolve, reject) => {
      child.once('error', (error) => (signal.aborted ? undefined : reject(error)));
      child.once('close', resolve);
    });
    const [ended, stdout, stderr] = await Promise.all([code, text(child.stdout), text(child.stderr)]);
    return { code: ended, stdout, stderr };
  }

  /** What a program prints on both outputs. @throws AssertionError with it when it fails */
  async ok(program: string, args: readonly string[], options?: RunOptions): Promise<string> {
    const { code, stdout, stderr } = await this.run(program, args, options);
    const printed = stdout + stderr;
    assert.equal(code, 0, `${args.join(' ')} ended with ${code}: ${printed.slice(-2_000)}`);
    return printed;
  }

  /** What a program complains of, on both outputs. @throws AssertionError when it succeeds, or panics */
  async fails(program: string, args: readonly string[], options?: RunOptions): Promise<string> {
    const { code, stdout, stderr } = await this.run(program, args, options);
    const printed = stdout + stderr;
    assert.ok(code !== 0, `${args.join(' ')} did not fail: ${printed}`);
    assert.doesNotMatch(printed, /panic:|Traceback/, `${args.join(' ')} crashed`);
    return printed;
  }

  /** Runs a program again and again until what it prints matches. @throws AssertionError when it does not in time */
  async untilPrinted(program: string, args: readonly string[], pattern: RegExp): Promise<string> {
    let printed = '';
    await until(
      async () => {
        const { stdout, stderr } = await this.run(program, args);
        printed = stdout + stderr;
        return pattern.test(printed);
      },
      () => `${args.join(' ')} printed no ${pattern}: ${printed}`,
    );
    return printed;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const made = await Promise.allSettled([this.#cluster, this.#controlPlane]);
    for (const one of made) if (one.status === 'fulfilled') await one.value?.[Symbol.asyncDispose]();
    await this.#removeFolder();
  }
}

function inNamespace(manifests: string, name: string, namespace: string): string {
  return manifests
    .replaceAll('metadata: { name: web', `metadata: { namespace: ${namespace}, name: ${name}`)
    .replaceAll('app: web', `app: ${name}`);
}

/** An address of this machine that pods with networks of their own reach; the loopback on a machine without a network. */
function machineAddress(): string {
  const all = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  return all.find(({ family, internal }) => family === 'IPv4' && !internal)?.address ?? '127.0.0.1';
}
