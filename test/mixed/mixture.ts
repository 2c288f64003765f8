import { isConflict } from '@turnsole/kube/client/errors';
import type { KubeClient } from '@turnsole/kube/client/types';
import type { CoreEvent, Deployment, Job, Pod } from '@turnsole/kube/kinds/core';
import { DEPLOYMENTS, EVENTS, JOBS, NAMESPACES, PODS } from '@turnsole/kube/kinds/resources';
import { waitForList, waitForObject } from '@turnsole/kube/runtime/index';
import {
  CHAOS_ENGINES,
  CHAOS_EXPERIMENTS,
  type ChaosEngine,
  type ChaosExperiment,
} from '../../src/api/index.ts';
import { ANNOTATION_SETTINGS, keptSettingsOf } from '../../src/chaos/run-record.ts';

/** Whose a component is. */
export type Side = 'ours' | 'upstream';

/** Who does what in a run. */
export interface Mixture {
  readonly operator: Side;
  readonly runner: Side;
  readonly experiment: Side;
}

export const UPSTREAM_RUNNER = 'litmuschaos/chaos-runner:upstream';
export const UPSTREAM_EXPERIMENT = 'litmuschaos/go-runner:upstream';
/** Upstream waits by fixed times, on an abort up to three minutes. */
const LIMIT_MS = 300_000;

/** All eight. */
export const MIXTURES: readonly Mixture[] = (['ours', 'upstream'] as const).flatMap((operator) =>
  (['ours', 'upstream'] as const).flatMap((runner) =>
    (['ours', 'upstream'] as const).map((experiment) => ({ operator, runner, experiment })),
  ),
);

export function nameOf({ operator, runner, experiment }: Mixture): string {
  return `${operator}/${runner}/${experiment}`;
}

/** A namespace with an application and the experiments of one mixture. */
export class Stage {
  readonly client: KubeClient;
  readonly mixture: Mixture;
  readonly namespace: string;

  /** Path of upstream's experiment. */
  readonly #program: string;

  constructor(client: KubeClient, mixture: Mixture, program: string) {
    this.#program = program;
    this.client = client;
    this.mixture = mixture;
    this.namespace = `mix-${nameOf(mixture).replaceAll('/', '-')}`;
  }

  async setUp(): Promise<void> {
    const { client, namespace } = this;
    await client.create(NAMESPACES, { metadata: { name: namespace } });
    await client.raw('POST', '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings', {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRoleBinding',
      metadata: { name: namespace },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
      subjects: [{ kind: 'ServiceAccount', name: 'default', namespace }],
    });
    for (const name of ['pod-delete', 'pod-delete-again']) await this.#experiment(name);
    const labels = { app: 'web' };
    const containers = [{ name: 'web', image: 'busybox', command: ['sleep', '100000'] }];
    await client.create<Deployment>(
      DEPLOYMENTS,
      {
        metadata: { name: 'web', labels },
        spec: {
          replicas: 2,
          selector: { matchLabels: labels },
          template: { metadata: { labels }, spec: { containers, terminationGracePeriodSeconds: 0 } },
        },
      },
      { namespace },
    );
    await this.applicationPods();
  }

  #experiment(name: string): Promise<unknown> {
    const isOurs = this.mixture.experiment === 'ours';
    const object: ChaosExperiment = {
      metadata: { name, namespace: this.namespace },
      spec: {
        definition: {
          image: isOurs ? 'litmuschaos/go-runner:latest' : UPSTREAM_EXPERIMENT,
          imagePullPolicy: 'IfNotPresent',
          // Upstream's runner makes no container without a command.
          command: isOurs ? ['/bin/sh'] : [this.#program],
          args: isOurs ? ['-c', './experiments -name pod-delete'] : ['-name', 'pod-delete'],
          labels: { name },
          env: [
            { name: 'TOTAL_CHAOS_DURATION', value: '4' },
            { name: 'CHAOS_INTERVAL', value: '4' },
            { name: 'FORCE', value: 'true' },
            { name: 'DEFAULT_HEALTH_CHECK', value: 'false' },
          ],
        },
      },
    };
    const { namespace } = this;
    return this.client.create<ChaosExperiment>(CHAOS_EXPERIMENTS, object, { namespace });
  }

  /** The application's pods when all are ready. */
  applicationPods(): Promise<readonly Pod[]> {
    const isReady = (pod: Pod): boolean =>
      pod.metadata.deletionTimestamp === undefined && pod.status?.phase === 'Running';
    return waitForList<Pod>(this.client, PODS, (pods) => pods.length === 2 && pods.every(isReady), {
      namespace: this.namespace,
      labelSelector: 'app=web',
      timeoutMs: LIMIT_MS,
    });
  }

  /** Applies an engine as `turnsole run` does, or with kubectl's words: both leave what was asked for in metadata. */
  apply(
    name: string,
    spec: Partial<ChaosEngine['spec']> = {},
    seconds = '4',
    experiments: readonly string[] = ['pod-delete'],
  ): Promise<ChaosEngine> {
    const isOurs = this.mixture.runner === 'ours';
    const env = [{ name: 'TOTAL_CHAOS_DURATION', value: seconds }];
    const whole: ChaosEngine['spec'] = {
      engineState: 'active',
      chaosServiceAccount: 'default',
      defaultHealthCheck: false,
      appinfo: { appns: this.namespace, applabel: 'app=web', appkind: 'deployment' },
      components: { runner: { image: isOurs ? 'litmuschaos/chaos-runner:latest' : UPSTREAM_RUNNER } },
      experiments: experiments.map((experiment) => ({ name: experiment, spec: { components: { env } } })),
      ...spec,
    };
    const settings = keptSettingsOf(whole);
    const hasSettings = Object.keys(settings).length > 0;
    const annotations: Record<string, string> = hasSettings
      ? { [ANNOTATION_SETTINGS]: JSON.stringify(settings) }
      : {};
    const engine: ChaosEngine = {
      apiVersion: 'litmuschaos.io/v1alpha1',
      kind: 'ChaosEngine',
      metadata: { name, namespace: this.namespace, annotations },
      spec: whole,
    };
    return this.client.create<ChaosEngine>(CHAOS_ENGINES, engine, { namespace: this.namespace });
  }

  async when(name: string, what: string, isWanted: (engine: ChaosEngine) => boolean): Promise<ChaosEngine> {
    let last: ChaosEngine | undefined;
    const found = await waitForObject<ChaosEngine>(
      this.client,
      CHAOS_ENGINES,
      name,
      (engine) => {
        last = engine;
        return engine !== undefined && isWanted(engine);
      },
      { namespace: this.namespace, timeoutMs: LIMIT_MS },
    ).catch((cause: unknown) => {
      const { status, spec } = last ?? {};
      throw new Error(`${name} is not ${what}: ${spec?.engineState}, ${JSON.stringify(status)}`, { cause });
    });
    if (found === undefined) throw new Error(`${name} is gone`);
    return found;
  }

  /** The engine when it has ended by itself, or was refused. */
  ended(name: string): Promise<ChaosEngine> {
    return this.when(
      name,
      'ended',
      ({ spec, status }) =>
        ['completed', 'stopped'].includes(status?.engineStatus ?? '') && spec.engineState === 'stop',
    );
  }

  async gone(name: string): Promise<void> {
    await waitForObject(this.client, CHAOS_ENGINES, name, (engine) => engine === undefined, {
      namespace: this.namespace,
      timeoutMs: LIMIT_MS,
    });
  }

  /** Resolves when a pod of an experiment of this engine runs. */
  async experimentRuns(engine: ChaosEngine): Promise<void> {
    const isExperiment = ({ metadata, status }: Pod): boolean =>
      metadata.labels?.['job-name'] !== undefined && status?.phase === 'Running';
    await waitForList<Pod>(this.client, PODS, (pods) => pods.some(isExperiment), {
      ...this.#of(engine),
      timeoutMs: LIMIT_MS,
    });
  }

  /** Resolves when no pod and no Job of the engine is left. */
  async nothingLeft(engine: ChaosEngine): Promise<void> {
    for (const resource of [JOBS, PODS]) {
      await waitForList(this.client, resource, (all) => all.length === 0, {
        ...this.#of(engine),
        timeoutMs: LIMIT_MS,
      });
    }
  }

  async jobs(engine: ChaosEngine): Promise<readonly Job[]> {
    return (await this.client.list<Job>(JOBS, this.#of(engine))).items;
  }

  #of({ metadata }: ChaosEngine): { readonly namespace: string; readonly labelSelector: string } {
    return { namespace: this.namespace, labelSelector: `chaosUID=${metadata.uid ?? ''}` };
  }

  /** The warnings of this mixture so far. */
  async warnings(): Promise<string[]> {
    const { items } = await this.client.list<CoreEvent>(EVENTS, { namespace: this.namespace });
    return items
      .filter(({ type }) => type === 'Warning')
      .map(({ reason, message }) => `${reason}: ${message}`);
  }

  /** Says stop or active as a user does. */
  async state(name: string, engineState: 'active' | 'stop'): Promise<void> {
    const { namespace } = this;
    for (;;) {
      try {
        await this.client.patch(CHAOS_ENGINES, name, 'merge', { spec: { engineState } }, { namespace });
        return;
      } catch (error) {
        if (!isConflict(error)) throw error;
      }
    }
  }

  async delete(name: string): Promise<void> {
    await this.client.delete(CHAOS_ENGINES, name, { namespace: this.namespace });
  }
}
