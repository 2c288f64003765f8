/**
 * An embedded API server with its Job controller and the operator, and in place of nodes a stand-in that "runs" pods as
 * functions of this process: everything of a run but the processes, quick enough for many cases.
 */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { createApiServer } from '@turnsole/cluster/apiserver/index';
import { startControllers } from '@turnsole/cluster/controllers/start';
import { createClient } from '@turnsole/kube/client/index';
import type { ClusterConfig, KubeClient } from '@turnsole/kube/client/types';
import type { CoreEvent, Job, KubeObject, Pod, PodStatus } from '@turnsole/kube/kinds/core';
import { CUSTOM_RESOURCE_DEFINITIONS, EVENTS, JOBS, PODS } from '@turnsole/kube/kinds/resources';
import { Informer, silentLogger, waitForList, waitForObject } from '@turnsole/kube/runtime/index';
import { PATIENCE_MS } from '@turnsole/kube/testing/until';
import { CUSTOM_RESOURCES } from '../../src/api/crds.ts';
import {
  CHAOS_ENGINES,
  CHAOS_EXPERIMENTS,
  CHAOS_RESULTS,
  type ChaosEngine,
  type ChaosExperiment,
  type ChaosResult,
} from '../../src/api/index.ts';
import { type OperatorOptions, startOperator } from '../../src/components/operator/start-operator.ts';
import { runRunner } from '../../src/components/runner/run-runner.ts';

export const NAMESPACE = 'default';

/** How long pods may be on the node that they are bound to, which does not exist: no test takes as long, on the busiest machine. */
const ABSENT_NODE_MS = 3_600_000;

/** What a stand-in program may use; resolves to its exit code. */
export interface Program {
  readonly pod: Pod;
  readonly container: string;
  readonly env: Readonly<Record<string, string>>;
  readonly client: KubeClient;
  /** Fires when the pod is deleted: SIGTERM. */
  readonly signal: AbortSignal;
}
export type Run = (program: Program) => Promise<number>;

export interface StandInOptions {
  /** Serve the chaos kinds with the status as a subresource. @default false, as upstream's CRDs */
  readonly statusSubresource?: boolean;
  /** The program of experiment pods. @default {@link passingExperiment} */
  readonly experiment?: Run;
  /** The program of runner pods. @default our runner */
  readonly runner?: Run;
  /** The program of monitor pods. @default wait until they are deleted */
  readonly monitor?: Run;
  /** Put around the client of the operator, to refuse requests. */
  readonly operatorClient?: (client: KubeClient) => KubeClient;
  /** Put around the client of the runner. */
  readonly runnerClient?: (client: KubeClient) => KubeClient;
  /** Put around the client of the Job controller. */
  readonly controllerClient?: (client: KubeClient) => KubeClient;
  /** @default the operator with its defaults; false for none */
  readonly operator?: Partial<OperatorOptions> | false;
  /** Pods are bound to a node before they run: one without a node is gone at once when it is deleted. @default false */
  readonly isBinding?: boolean;
  /** Status of a pod instead of running it; undefined runs it. */
  readonly podStatus?: (pod: Pod) => PodStatus | undefined;
}

/** A cluster in which engines run. */
export class StandInCluster {
  readonly client: KubeClient;
  /** Of the administrator, for processes that make their own client. */
  readonly config: ClusterConfig;

  constructor(client: KubeClient, config: ClusterConfig) {
    this.client = client;
    this.config = config;
  }

  apply(engine: ChaosEngine): Promise<ChaosEngine> {
    return this.client.create<ChaosEngine>(CHAOS_ENGINES, engine, { namespace: NAMESPACE });
  }

  experiment(
    name: string,
    definition: Partial<ChaosExperiment['spec']['definition']> = {},
  ): Promise<unknown> {
    const experiment: ChaosExperiment = {
      apiVersion: 'litmuschaos.io/v1alpha1',
      kind: 'ChaosExperiment',
      metadata: { name, namespace: NAMESPACE },
      spec: { definition: { image: 'litmuschaos/go-runner:latest', labels: { name }, ...definition } },
    };
    return this.client.create<ChaosExperiment>(CHAOS_EXPERIMENTS, experiment, { namespace: NAMESPACE });
  }

  /** Resolves to the engine when it is as wanted; undefined stands for a deleted one. */
  async engine(name: string, isWanted: (engine: ChaosEngine) => boolean): Promise<ChaosEngine> {
    let last: ChaosEngine | undefined;
    const found = await waitForObject<ChaosEngine>(
      this.client,
      CHAOS_ENGINES,
      name,
      (engine) => {
        last = engine;
        return engine !== undefined && isWanted(engine);
      },
      { namespace: NAMESPACE, timeoutMs: PATIENCE_MS },
    ).catch((error: unknown) => {
      throw new Error(`last seen: ${JSON.stringify(last, undefined, 1)}`, { cause: error });
    });
    assert.ok(found);
    return found;
  }

  ended(name: string, status: 'completed' | 'stopped'): Promise<ChaosEngine> {
    return this.engine(
      name,
      (engine) => engine.status?.engineStatus === status && engine.spec.engineState === 'stop',
    );
  }

  async gone(name: string): Promise<void> {
    await waitForObject(this.client, CHAOS_ENGINES, name, (engine) => engine === undefined, {
      namespace: NAMESPACE,
      timeoutMs: PATIENCE_MS,
    });
  }

  patch(name: string, patch: object): Promise<ChaosEngine> {
    return this.client.patch<ChaosEngine>(CHAOS_ENGINES, name, 'merge', patch, { namespace: NAMESPACE });
  }

  result(name: string): Promise<ChaosResult> {
    return this.client.get<ChaosResult>(CHAOS_RESULTS, name, { namespace: NAMESPACE });
  }

  /** Resolves when a result is as wanted. */
  async resultWhen(name: string, isWanted: (result: ChaosResult) => boolean): Promise<void> {
    await waitForObject<ChaosResult>(
      this.client,
      CHAOS_RESULTS,
      name,
      (result) => result !== undefined && isWanted(result),
      { namespace: NAMESPACE, timeoutMs: PATIENCE_MS },
    );
  }

  async pods(): Promise<Pod[]> {
    return (await this.client.list<Pod>(PODS, { namespace: NAMESPACE })).items;
  }

  async jobs(): Promise<Job[]> {
    return (await this.client.list<Job>(JOBS, { namespace: NAMESPACE })).items;
  }

  /** Resolves to the pods when they are as wanted. */
  podsWhen(isWanted: (pods: readonly Pod[]) => boolean): Promise<readonly Pod[]> {
    return waitForList<Pod>(this.client, PODS, isWanted, { namespace: NAMESPACE, timeoutMs: PATIENCE_MS });
  }

  /** Resolves to the Events on an engine, as `source reason: message`, when all these reasons have been seen. */
  async events(engine: string, ...reasons: string[]): Promise<string[]> {
    let last: readonly CoreEvent[] = [];
    const events = await waitForList<CoreEvent>(
      this.client,
      EVENTS,
      (all) => {
        last = all;
        const own = all.filter(({ involvedObject }) => involvedObject.name === engine);
        return reasons.every((reason) => own.some((event) => event.reason === reason));
      },
      { namespace: NAMESPACE, timeoutMs: PATIENCE_MS },
    ).catch((error: unknown) => {
      throw new Error(`last seen: ${last.map(({ reason }) => reason).join(', ')}`, { cause: error });
    });
    return events
      .filter(({ involvedObject }) => involvedObject.name === engine && involvedObject.kind === 'ChaosEngine')
      .map(({ source, reason, message }) => `${source?.component} ${reason}: ${message}`);
  }
}

/** An engine with these experiments. */
export function engineOf(
  name: string,
  experiments: readonly string[],
  spec: Partial<ChaosEngine['spec']> = {},
): ChaosEngine {
  return {
    apiVersion: 'litmuschaos.io/v1alpha1',
    kind: 'ChaosEngine',
    metadata: { name, namespace: NAMESPACE },
    spec: {
      engineState: 'active',
      chaosServiceAccount: 'default',
      experiments: experiments.map((experiment) => ({ name: experiment })),
      ...spec,
    },
  };
}

/** Stores a result as an experiment does. */
export async function storeResult(
  { client, env, pod }: Program,
  phase: string,
  verdict: string,
  annotations: Record<string, string> = {},
): Promise<void> {
  const name = `${env.CHAOSENGINE}-${env.EXPERIMENT_NAME}`;
  const place = { namespace: NAMESPACE };
  const labels = { ...pod.metadata.labels, chaosUID: env.CHAOS_UID ?? '' };
  const status = {
    experimentStatus: { phase, verdict, probeSuccessPercentage: verdict === 'Pass' ? '100' : '0' },
  };
  const found = await client.find<ChaosResult>(CHAOS_RESULTS, name, place);
  if (found === undefined) {
    const spec = { engine: env.CHAOSENGINE ?? '', experiment: env.EXPERIMENT_NAME ?? '' };
    const object = {
      apiVersion: 'litmuschaos.io/v1alpha1',
      kind: 'ChaosResult',
      metadata: { name, namespace: NAMESPACE, labels, annotations },
      spec,
    };
    await client.create(CHAOS_RESULTS, object, place);
  } else {
    await client.patch(CHAOS_RESULTS, name, 'merge', { metadata: { labels, annotations } }, place);
  }
  const subresource = (await client.hasStatusSubresource(CHAOS_RESULTS)) ? { subresource: 'status' } : {};
  await client.patch(CHAOS_RESULTS, name, 'merge', { status }, { ...place, ...subresource });
}

/** Runs and passes. */
export const passingExperiment: Run = async (program) => {
  await storeResult(program, 'Running', 'Awaited');
  await storeResult(program, 'Completed', 'Pass');
  return 0;
};

/** Runs until it is stopped, then marks its result Stopped as a real one does. */
export const endlessExperiment: Run = async (program) => {
  await storeResult(program, 'Running', 'Awaited', { 'pod/web-1': 'injected' });
  await untilAborted(program.signal);
  await storeResult(program, 'Stopped', 'Stopped', { 'pod/web-1': 'reverted' });
  return 1;
};

const idle: Run = async ({ signal }) => {
  await untilAborted(signal);
  return 0;
};

export function untilAborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}

/** Starts everything; it ends with the test. */
export async function startStandIn(test: TestContext, options: StandInOptions = {}): Promise<StandInCluster> {
  const dataDir = mkdtempSync(join(tmpdir(), 'turnsole-stand-in-'));
  const server = createApiServer({ dataDir });
  await server.listen();
  const client = createClient(server.adminConfig);
  await createDefinitions(client, options.statusSubresource === true);
  const controllers = await startControllers({
    client: options.controllerClient?.(client) ?? client,
    options: { nodeGraceMs: ABSENT_NODE_MS },
  });
  const kubelet = new StandInKubelet(client, options);
  await kubelet.start();
  const operator =
    options.operator === false
      ? undefined
      : await startOperator({
          client: options.operatorClient?.(client) ?? client,
          knownImages: ['litmuschaos/chaos-runner', 'litmuschaos/go-runner'],
          ...options.operator,
        });
  test.after(async () => {
    await operator?.stop();
    await kubelet.stop();
    await controllers.stop();
    client.close();
    await server.close();
    rmSync(dataDir, { recursive: true, force: true });
  });
  return new StandInCluster(client, server.adminConfig);
}

async function createDefinitions(client: KubeClient, statusSubresource: boolean): Promise<void> {
  for (const { definition } of CUSTOM_RESOURCES) {
    // The definition as the API takes it; our own type leaves out what this changes.
    const object = structuredClone(definition) as unknown as KubeObject & {
      spec: { versions: { subresources?: object }[] };
    };
    if (statusSubresource) for (const version of object.spec.versions) version.subresources = { status: {} };
    await client.create(CUSTOM_RESOURCE_DEFINITIONS, object);
  }
}

class StandInKubelet {
  readonly #client: KubeClient;
  readonly #options: StandInOptions;
  readonly #pods: Informer<Pod>;
  readonly #running = new Map<string, { stop: AbortController; done: Promise<void> }>();

  constructor(client: KubeClient, options: StandInOptions) {
    this.#client = client;
    this.#options = options;
    this.#pods = new Informer<Pod>({ client, resource: PODS });
  }

  async start(): Promise<void> {
    this.#pods.addHandler({ onAdd: (pod) => this.#see(pod), onUpdate: (pod) => this.#see(pod) });
    this.#pods.start();
    await this.#pods.whenSynced();
  }

  async stop(): Promise<void> {
    await this.#pods.stop();
    for (const { stop } of this.#running.values()) stop.abort();
    await Promise.all([...this.#running.values()].map(({ done }) => done));
  }

  #see(pod: Pod): void {
    const uid = pod.metadata.uid ?? '';
    const isGoing = pod.metadata.deletionTimestamp !== undefined;
    const running = this.#running.get(uid);
    if (running === undefined && !isGoing) {
      const stop = new AbortController();
      const done = this.#run(pod, stop.signal).catch(() => {});
      this.#running.set(uid, { stop, done });
    } else if (isGoing) {
      running?.stop.abort();
      void (running?.done ?? Promise.resolve()).then(() =>
        this.#client
          .delete(PODS, pod.metadata.name, { namespace: NAMESPACE, gracePeriodSeconds: 0 })
          .catch(() => {}),
      );
    }
  }

  async #run(pod: Pod, signal: AbortSignal): Promise<void> {
    if (this.#options.isBinding === true) await this.#bind(pod);
    const fixed = this.#options.podStatus?.(pod);
    if (fixed !== undefined) return this.#setStatus(pod, fixed);
    const container = pod.spec?.containers[0];
    assert.ok(container);
    const env: Record<string, string> = {};
    for (const { name, value, valueFrom } of container.env ?? []) {
      env[name] = valueFrom?.fieldRef?.fieldPath === 'metadata.name' ? pod.metadata.name : (value ?? '');
    }
    const state = (now: object): PodStatus => ({
      phase: 'terminated' in now ? 'Succeeded' : 'Running',
      containerStatuses: [
        {
          name: container.name,
          image: container.image ?? '',
          imageID: '',
          ready: false,
          restartCount: 0,
          state: now,
        },
      ],
    });
    await this.#setStatus(pod, state({ running: {} }));
    const run = this.#programOf(container.name);
    const exitCode = await run({ pod, container: container.name, env, client: this.#client, signal });
    const reason = exitCode === 0 ? 'Completed' : 'Error';
    const ended = state({ terminated: { exitCode, reason } });
    await this.#setStatus(pod, { ...ended, phase: exitCode === 0 ? 'Succeeded' : 'Failed' });
  }

  #programOf(container: string): Run {
    const { runner = this.#runner, monitor = idle, experiment = passingExperiment } = this.#options;
    if (container === 'chaos-runner') return runner;
    return container === 'chaos-monitor' ? monitor : experiment;
  }

  readonly #runner: Run = ({ env, client, signal }) =>
    runRunner([], env, {
      client: this.#options.runnerClient?.(client) ?? client,
      logger: silentLogger,
      signal,
    });

  async #bind({ metadata: { name } }: Pod): Promise<void> {
    const body = {
      apiVersion: 'v1',
      kind: 'Binding',
      metadata: { name },
      target: { kind: 'Node', name: 'stand-in' },
    };
    await this.#client.raw('POST', `/api/v1/namespaces/${NAMESPACE}/pods/${name}/binding`, body);
  }

  async #setStatus(pod: Pod, status: PodStatus): Promise<void> {
    const { name } = pod.metadata;
    await this.#client.patch(
      PODS,
      name,
      'merge',
      { status },
      { namespace: NAMESPACE, subresource: 'status' },
    );
  }
}
