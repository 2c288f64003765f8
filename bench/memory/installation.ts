import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadKubeconfig } from '@turnsole/kube/client/config/kubeconfig';
import { createClient } from '@turnsole/kube/client/index';
import type { KubeClient, NewObject } from '@turnsole/kube/client/types';
import type { Deployment, KubeObject } from '@turnsole/kube/kinds/core';
import {
  DEPLOYMENTS,
  type Resource,
  ROLE_BINDINGS,
  ROLES,
  SERVICE_ACCOUNTS,
} from '@turnsole/kube/kinds/resources';
import { waitForObject } from '@turnsole/kube/runtime/wait';
import { WORKFLOWS } from '@turnsole/workflows/kinds/resources';
import type { Workflow } from '@turnsole/workflows/kinds/workflow';
import { parse } from 'yaml';
import { CHAOS_ENGINES, CHAOS_EXPERIMENTS, type ChaosEngine } from '../../src/api/index.ts';
import { TestControlPlane } from '../../src/components/subscriber/testing/control-plane.ts';
import {
  createInfrastructure,
  environment,
  INFRA_ID,
} from '../../src/components/subscriber/testing/infrastructure.ts';
import { startChaosCluster } from '../../src/embedded/index.ts';
import { ONE_ARENA } from '../../src/services/install/component-deployment.ts';
import { chaosAccount, documents, engine, experiment, webApp } from '../../test/support/manifests.ts';
import { oneStep } from '../workflow/manifests.ts';
import { ComponentProcess } from './component-process.ts';

const WAIT_MS = 120_000;
const PLACE = { namespace: 'default' };
const RESOURCES: Readonly<Record<string, Resource>> = Object.fromEntries(
  [DEPLOYMENTS, SERVICE_ACCOUNTS, ROLES, ROLE_BINDINGS, CHAOS_EXPERIMENTS].map((one) => [one.kind, one]),
);

/** The programs that are there all the time in a cluster. */
export const COMPONENTS = [
  'operator',
  'workflow-controller',
  'subscriber',
  'event-tracker',
  'exporter',
] as const;

/** An embedded cluster with an application, in which components are installed and runs take place. */
export class Installation implements AsyncDisposable {
  readonly #client: KubeClient;
  readonly #env: Readonly<Record<string, string>>;
  readonly #folder: string;
  readonly #stack: AsyncDisposableStack;
  #rounds = 0;

  private constructor(
    client: KubeClient,
    env: Readonly<Record<string, string>>,
    folder: string,
    stack: AsyncDisposableStack,
  ) {
    this.#client = client;
    this.#env = env;
    this.#folder = folder;
    this.#stack = stack;
  }

  static async start(): Promise<Installation> {
    await using stack = new AsyncDisposableStack();
    const folder = await mkdtemp(join(tmpdir(), 'turnsole-bench-memory-'));
    stack.defer(() => rm(folder, { recursive: true, force: true }));
    const cluster = await startChaosCluster({});
    stack.defer(() => cluster.close({ graceMs: 0 }));
    const client = createClient(cluster.adminConfig);
    stack.defer(() => client.close());
    const env = await mountedIn(folder, cluster.kubeconfigPath, (await cluster.adminConfig.token?.()) ?? '');
    const texts = documents(webApp(), chaosAccount(), experiment('pod-delete')).split('\n---\n');
    for (const object of texts.map((text) => parse(text) as NewObject<KubeObject> & { kind: string })) {
      const resource = RESOURCES[object.kind];
      if (resource !== undefined) await client.create(resource, object, PLACE);
    }
    const isThere = (web?: Deployment): boolean => web?.status?.availableReplicas === 3;
    await waitForObject<Deployment>(client, DEPLOYMENTS, 'web', isThere, { ...PLACE, timeoutMs: WAIT_MS });
    return new Installation(client, env, folder, stack.move());
  }

  /** Starts all components, for an infrastructure of their own; `stack` ends them. */
  async install(
    home: string,
    nodeOptions: readonly string[],
    stack: AsyncDisposableStack,
  ): Promise<ReadonlyMap<string, ComponentProcess>> {
    const namespace = `infra-${this.#rounds++}`;
    await createInfrastructure(this.#client, namespace);
    const server = stack.use(await TestControlPlane.start());
    const spool = join(this.#folder, namespace);
    const env = {
      ...this.#env,
      ...environment(namespace, server.url, spool),
      INFRA_SCOPE: 'cluster',
      // The others are no Deployments here.
      COMPONENTS: 'DEPLOYMENTS: []',
    };
    const started = new Map<string, ComponentProcess>();
    for (const name of COMPONENTS) {
      started.set(name, stack.use(await ComponentProcess.start(name, home, env, nodeOptions)));
    }
    for (const component of started.values()) await component.ready();
    await server.until(() => server.isSubscribed);
    return started;
  }

  /** A run of pod-delete for a second, and a workflow of one step. Resolves when both are over. */
  async run(): Promise<void> {
    const name = `run-${this.#rounds}`;
    const run = parse(engine({ name, experiments: [{ name: 'pod-delete' }] })) as NewObject<ChaosEngine>;
    const { metadata, ...step } = oneStep(name);
    const labels = { infra_id: INFRA_ID, workflow_id: 'e', revision_id: 'r', workflow_run_id: name };
    await this.#client.create<ChaosEngine>(CHAOS_ENGINES, run, PLACE);
    await this.#client.create<Workflow>(WORKFLOWS, { ...step, metadata: { ...metadata, labels } }, PLACE);
    const limits = { ...PLACE, timeoutMs: WAIT_MS };
    const ended = await waitForObject<ChaosEngine>(
      this.#client,
      CHAOS_ENGINES,
      name,
      (found) => found?.status?.engineStatus === 'completed',
      limits,
    );
    const verdict = ended?.status?.experiments?.[0]?.verdict;
    if (verdict !== 'Pass') throw new Error(`the run ended with verdict ${verdict}`);
    await waitForObject<Workflow>(
      this.#client,
      WORKFLOWS,
      name,
      (found) => found?.status?.phase === 'Succeeded',
      limits,
    );
    await this.#client.delete(CHAOS_ENGINES, name, PLACE);
    await this.#client.delete(WORKFLOWS, name, PLACE);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stack.disposeAsync();
  }
}

/** Lays out what Kubernetes mounts into a pod; returns the environment that the image and a Deployment set. */
async function mountedIn(folder: string, path: string, token: string): Promise<Record<string, string>> {
  const { server, certificateAuthority } = await loadKubeconfig({ path });
  const mounted = join(folder, 'var/run/secrets/kubernetes.io/serviceaccount');
  await mkdir(mounted, { recursive: true });
  const files = { 'ca.crt': certificateAuthority ?? '', token, namespace: 'default' };
  for (const [name, content] of Object.entries(files)) await writeFile(join(mounted, name), content);
  const { hostname, port } = new URL(server);
  return {
    PATH: process.env.PATH ?? '',
    HOME: '/nonexistent',
    NODE_ENV: 'production',
    LOG_LEVEL: 'error',
    [ONE_ARENA.name]: ONE_ARENA.value ?? '',
    WATCH_NAMESPACE: '',
    TURNSOLE_POD_ROOT: folder,
    KUBERNETES_SERVICE_HOST: hostname,
    KUBERNETES_SERVICE_PORT: port,
  };
}
