/** The namespace of a user in the cluster: applications, and engines with the accounts that `turnsole install` has made. */
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { KubeClient } from '@turnsole/kube/client/types';
import type { Container, Deployment, KubeObject, Pod } from '@turnsole/kube/kinds/core';
import { DEPLOYMENTS, JOBS, PODS, type Resource } from '@turnsole/kube/kinds/resources';
import { waitForList, waitForObject } from '@turnsole/kube/runtime/wait';
import {
  CHAOS_ENGINES,
  CHAOS_RESULTS,
  type ChaosEngine,
  type ChaosEngineSpec,
  type ChaosResult,
  LABEL_CHAOS_UID,
} from '../../../src/api/index.ts';
import { OPERATOR_NAME } from '../../../src/services/install/names.ts';
import { type CommandOutcome, turnsole } from '../../support/turnsole.ts';
import { type ClusterSettings, clusterSettings, connect } from './settings.ts';

/** Far more than anything here takes; a wait that lasts so long has failed. */
export const LIMIT_MS = 180_000;

/** An application: a Deployment of Node servers with a label of its own. */
export interface App {
  readonly name: string;
  readonly label: string;
}

/** What of an engine a test says. */
export interface EngineInput {
  /** @default drawn */
  readonly name?: string;
  /** @default pod-delete */
  readonly fault?: string;
  readonly app?: App;
  readonly env?: Readonly<Record<string, string>>;
  /** Whatever else the spec holds. */
  readonly spec?: Partial<ChaosEngineSpec>;
  /** Further settings of the experiment: probes, components. */
  readonly experiment?: object;
  readonly annotations?: Readonly<Record<string, string>>;
}

/** Long enough for whatever is done to it meanwhile. */
export const ENDLESS = { TOTAL_CHAOS_DURATION: '600', CHAOS_INTERVAL: '600' } as const;
/** One round. */
export const SHORT = { TOTAL_CHAOS_DURATION: '3', CHAOS_INTERVAL: '3' } as const;

/** The shop of the cluster under test. */
export class Shop {
  readonly client: KubeClient;
  readonly settings: ClusterSettings;
  readonly namespace: string;

  private constructor(client: KubeClient, settings: ClusterSettings, namespace: string) {
    this.client = client;
    this.settings = settings;
    this.namespace = namespace;
  }

  /** @param namespace in which a test has made accounts of its own @default that in which the suite installs all faults */
  static async open(namespace?: string): Promise<Shop> {
    const settings = clusterSettings();
    if (settings === undefined) throw new Error('no cluster; see test/cluster/support/settings.ts');
    return new Shop(await connect(settings), settings, namespace ?? settings.shop);
  }

  close(): void {
    this.client.close();
  }

  /** Runs the command against this cluster, in this namespace unless the arguments name another. */
  turnsole(...args: string[]): Promise<CommandOutcome> {
    return turnsole([...args, '--kubeconfig', this.settings.kubeconfig]);
  }

  /**
   * An application whose pods are ready.
   *
   * @param more of its container
   */
  async app(replicas = 2, more: Partial<Container> = {}): Promise<App> {
    const name = `app-${randomUUID().slice(0, 6)}`;
    const labels = { app: name };
    const { image, pullPolicy } = this.settings;
    const server = "require('http').createServer((q, r) => r.end('ok')).listen(8080)";
    const container = {
      name: 'main',
      image,
      imagePullPolicy: pullPolicy,
      command: ['node', '-e', server],
      readinessProbe: { tcpSocket: { port: 8080 }, periodSeconds: 1 },
      ...more,
    };
    const template = {
      metadata: { labels },
      spec: { terminationGracePeriodSeconds: 1, containers: [container] },
    };
    await this.client.create<Deployment>(
      DEPLOYMENTS,
      { metadata: { name, labels }, spec: { replicas, selector: { matchLabels: labels }, template } },
      this,
    );
    await waitForObject<Deployment>(
      this.client,
      DEPLOYMENTS,
      name,
      (found) => found?.status?.availableReplicas === replicas,
      this.limited,
    );
    return { name, label: `app=${name}` };
  }

  /** Its pods that are not about to end. */
  async podsOf({ label }: App): Promise<readonly Pod[]> {
    const { items } = await this.client.list<Pod>(PODS, { namespace: this.namespace, labelSelector: label });
    return items.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  }

  /** Resolves when every replica of the operator is ready. */
  async operatorReady(): Promise<void> {
    const isRolledOut = (found: Deployment | undefined): boolean =>
      found?.status?.observedGeneration === found?.metadata.generation &&
      found?.status?.readyReplicas === found?.spec?.replicas &&
      found?.status?.updatedReplicas === found?.spec?.replicas &&
      found?.status?.replicas === found?.spec?.replicas;
    const { namespace } = this.settings;
    await waitForObject<Deployment>(this.client, DEPLOYMENTS, OPERATOR_NAME, isRolledOut, {
      namespace,
      timeoutMs: LIMIT_MS,
    });
  }

  async removeApp({ name }: App): Promise<void> {
    await this.client.delete(DEPLOYMENTS, name, { ...this, propagationPolicy: 'Background' });
  }

  /** Resolves when no pod of it is left. */
  async appGone({ label }: App): Promise<void> {
    const limits = { ...this.limited, labelSelector: label };
    await waitForList<Pod>(this.client, PODS, (pods) => pods.length === 0, limits);
  }

  /** An engine under way. */
  async run(input: EngineInput): Promise<EngineRun> {
    const { fault = 'pod-delete', app, env = SHORT, name = `e-${randomUUID().slice(0, 6)}` } = input;
    const { components, ...others } = (input.experiment ?? {}) as { components?: object };
    const variables = Object.entries(env).map(([key, value]) => ({ name: key, value }));
    const spec: ChaosEngineSpec = {
      engineState: 'active',
      chaosServiceAccount: `${fault}-sa`,
      ...(app === undefined
        ? {}
        : { appinfo: { appns: this.namespace, applabel: app.label, appkind: 'deployment' as const } }),
      experiments: [{ name: fault, spec: { ...others, components: { ...components, env: variables } } }],
      ...input.spec,
    };
    const createdAt = Date.now();
    const metadata = { name, ...(input.annotations === undefined ? {} : { annotations: input.annotations }) };
    const engine = await this.client.create<ChaosEngine>(CHAOS_ENGINES, { metadata, spec }, this);
    return new EngineRun(this, engine, fault, createdAt);
  }

  get limited(): { readonly namespace: string; readonly timeoutMs: number } {
    return { namespace: this.namespace, timeoutMs: LIMIT_MS };
  }
}

/** An engine and what belongs to it. */
export class EngineRun {
  readonly name: string;
  readonly uid: string;
  readonly fault: string;
  /** Date.now() before it was created. */
  readonly createdAt: number;
  readonly #shop: Shop;

  constructor(shop: Shop, { metadata }: ChaosEngine, fault: string, createdAt: number) {
    this.#shop = shop;
    this.name = metadata.name;
    this.uid = metadata.uid ?? '';
    this.fault = fault;
    this.createdAt = createdAt;
  }

  get resultName(): string {
    return `${this.name}-${this.fault}`;
  }

  /** Resolves with the engine when it is as wanted. */
  until(isWanted: (engine: ChaosEngine) => boolean): Promise<ChaosEngine> {
    return this.#until(CHAOS_ENGINES, this.name, isWanted);
  }

  /** Resolves with the engine when its run is over, however it ended. */
  ended(): Promise<ChaosEngine> {
    return this.until(({ status }) => ['completed', 'stopped'].includes(status?.engineStatus ?? ''));
  }

  /** Resolves with the result when it is as wanted. */
  result(isWanted: (result: ChaosResult) => boolean = () => true): Promise<ChaosResult> {
    return this.#until(CHAOS_RESULTS, this.resultName, isWanted);
  }

  /** Resolves when something has been injected in the run that the engine is in. */
  async injected(): Promise<ChaosResult> {
    const { status: engine } = await this.until(({ status }) => status?.engineStatus === 'initialized');
    return this.result(({ status }) =>
      Object.entries(status?.ledger ?? {}).some(
        ([id, { state }]) => id.startsWith(engine?.runId ?? '-') && state !== 'planned',
      ),
    );
  }

  /** The verdict in the engine; its first experiment's. */
  async verdict(): Promise<string | undefined> {
    return (await this.ended()).status?.experiments?.[0]?.verdict;
  }

  async set(spec: Partial<ChaosEngineSpec>): Promise<void> {
    await this.#shop.client.patch(CHAOS_ENGINES, this.name, 'merge', { spec }, this.#shop);
  }

  async delete(): Promise<void> {
    await this.#shop.client.delete(CHAOS_ENGINES, this.name, this.#shop);
  }

  /** Resolves when the engine is not there any more. */
  async gone(): Promise<void> {
    const isGone = (found: KubeObject | undefined): boolean => found === undefined;
    await waitForObject(this.#shop.client, CHAOS_ENGINES, this.name, isGone, this.#shop.limited);
  }

  /** Resolves with its pods when they are as wanted: of runner, experiment and helpers. */
  async pods(isWanted: (pods: readonly Pod[]) => boolean = () => true): Promise<readonly Pod[]> {
    const labelSelector = `${LABEL_CHAOS_UID}=${this.uid}`;
    return await waitForList<Pod>(this.#shop.client, PODS, isWanted, {
      ...this.#shop.limited,
      labelSelector,
    });
  }

  /** Resolves with the running pod of a kind. */
  async pod(kind: 'runner' | 'experiment' | 'helper'): Promise<Pod> {
    const isOne = ({ metadata, status }: Pod): boolean =>
      status?.phase === 'Running' && kindOf(metadata.name, this.name) === kind;
    const found = (await this.pods((pods) => pods.some(isOne))).find(isOne);
    if (found === undefined) throw new Error(`no ${kind} of ${this.name}`);
    return found;
  }

  /** Resolves when neither Jobs nor pods of it are left. */
  async nothingLeft(): Promise<void> {
    await this.pods((pods) => pods.length === 0);
    const labelSelector = `${LABEL_CHAOS_UID}=${this.uid}`;
    await waitForList(this.#shop.client, JOBS, (jobs) => jobs.length === 0, {
      ...this.#shop.limited,
      labelSelector,
    });
  }

  async #until<T extends KubeObject>(
    resource: Resource,
    name: string,
    isWanted: (object: T) => boolean,
  ): Promise<T> {
    let seen: T | undefined;
    await waitForObject<T>(
      this.#shop.client,
      resource,
      name,
      (found) => {
        seen = found;
        return found !== undefined && isWanted(found);
      },
      this.#shop.limited,
    ).catch((cause: unknown) => {
      throw new Error(`${resource.kind} ${name}: ${JSON.stringify(seen)}`, { cause });
    });
    if (seen === undefined) throw new Error(`${resource.kind} ${name} is not there`);
    return seen;
  }
}

function kindOf(pod: string, engine: string): 'runner' | 'experiment' | 'helper' {
  if (pod === `${engine}-runner`) return 'runner';
  return pod.includes('-helper-') ? 'helper' : 'experiment';
}

/** Polls, for what nobody tells: processes. Resolves when a condition holds: for what nobody tells. @throws Error after a minute */
export async function eventually(what: string, look: () => boolean | Promise<boolean>): Promise<void> {
  for (const until = performance.now() + 60_000; !(await look()); await delay(20)) {
    if (performance.now() > until) throw new Error(`${what}: not within a minute`);
  }
}
