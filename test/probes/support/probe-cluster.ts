/** An embedded cluster with an operator, in which engines with probes run as users have them: by runner and experiment pods. */
import { randomUUID } from 'node:crypto';
import { createClient } from '@turnsole/kube/client/index';
import type { KubeClient } from '@turnsole/kube/client/types';
import { NAMESPACES, SERVICE_ACCOUNTS } from '@turnsole/kube/kinds/resources';
import { waitForObject } from '@turnsole/kube/runtime/wait';
import { stringify } from 'yaml';
import { runIsOver } from '../../../src/api/engine-status.ts';
import {
  CHAOS_ENGINES,
  CHAOS_RESULTS,
  type ChaosEngine,
  type ChaosResult,
  type ProbeStatus,
} from '../../../src/api/index.ts';
import type { Probe } from '../../../src/api/schema/probe.ts';
import { startChaosCluster } from '../../../src/embedded/index.ts';
import { startLocalOperator } from '../../../src/runs/session/open-cluster.ts';
import { applyText } from '../../support/up.ts';

/** Far more than anything here takes; a wait that lasts so long has failed. */
const LIMIT_MS = 120_000;
const FAULT = 'pod-delete';
const OVER = ['Completed', 'Completed_With_Probe_Failure', 'Stopped', 'Error'];

/** An engine under way. */
export interface ProbeRun {
  /** Resolves with the result when it is as wanted. @throws Error with the last one when the run is over before */
  result(isWanted: (result: ChaosResult) => boolean): Promise<ChaosResult>;
  /** Resolves with the result when the verdict is there. */
  ended(): Promise<ChaosResult>;
  /** Resolves with the engine when it is completed or stopped. */
  engineEnded(): Promise<ChaosEngine>;
}

/** What of a run is to be said. */
export interface ProbeRunOptions {
  readonly namespace: string;
  readonly probes: readonly Probe[];
  readonly durationSeconds: number;
  /** Further variables of the experiment. */
  readonly env?: Readonly<Record<string, string>>;
  /** Added to `spec.components` of the experiment. */
  readonly components?: object;
  readonly steadyState?: 'ignore';
}

/** Its pods are processes that share 127.0.0.1 with the test, so that peers may live in the test. */
export class ProbeCluster {
  readonly client: KubeClient;
  readonly #close: () => Promise<void>;

  private constructor(client: KubeClient, close: () => Promise<void>) {
    this.client = client;
    this.#close = close;
  }

  static async start(): Promise<ProbeCluster> {
    const embedded = await startChaosCluster({ isolation: 'none' });
    const client = createClient(embedded.adminConfig);
    const operator = await startLocalOperator(client, { verbose: false });
    return new ProbeCluster(client, async () => {
      await operator.stop();
      client.close();
      await embedded.close({ graceMs: 0 });
    });
  }

  close(): Promise<void> {
    return this.#close();
  }

  /** A namespace with something to hit and an account that may do what a run with any probe does. */
  async namespace(): Promise<string> {
    const name = `t-${randomUUID().slice(0, 8)}`;
    await this.client.create(NAMESPACES, { metadata: { name } });
    await waitForObject(this.client, SERVICE_ACCOUNTS, 'default', (account) => account !== undefined, {
      namespace: name,
      timeoutMs: LIMIT_MS,
    });
    await applyText(this.client, surroundings(name));
    return name;
  }

  /** Creates an engine that deletes a pod once and then lets its probes look on until the duration is over. */
  async run({
    namespace,
    probes,
    durationSeconds,
    env,
    components,
    steadyState,
  }: ProbeRunOptions): Promise<ProbeRun> {
    const { client } = this;
    const name = `eng-${randomUUID().slice(0, 6)}`;
    const variables = {
      TOTAL_CHAOS_DURATION: String(durationSeconds),
      CHAOS_INTERVAL: String(durationSeconds),
      FORCE: 'true',
      ...env,
    };
    await client.create<ChaosEngine>(
      CHAOS_ENGINES,
      {
        metadata: { name },
        spec: {
          engineState: 'active',
          ...(steadyState !== undefined && { steadyState }),
          chaosServiceAccount: 'chaos',
          appinfo: { appns: namespace, applabel: 'app=web', appkind: 'deployment' },
          experiments: [
            {
              name: FAULT,
              spec: {
                components: {
                  ...components,
                  env: Object.entries(variables).map(([key, value]) => ({ name: key, value })),
                },
                probe: [...probes],
              },
            },
          ],
        },
      },
      { namespace },
    );
    const result: ProbeRun['result'] = async (isWanted) => {
      let last: ChaosResult | undefined;
      const isOver = (one: ChaosResult): boolean => OVER.includes(one.status?.experimentStatus?.phase ?? '');
      const limits = { namespace, timeoutMs: LIMIT_MS + durationSeconds * 1000 };
      await waitForObject<ChaosResult>(
        client,
        CHAOS_RESULTS,
        `${name}-${FAULT}`,
        (one) => {
          last = one;
          return one !== undefined && (isWanted(one) || isOver(one));
        },
        limits,
      ).catch((cause: unknown) => {
        throw new Error(`the result was never as wanted: ${stringify(last?.status)}`, { cause });
      });
      if (last === undefined || !isWanted(last)) {
        throw new Error(`the run was over before the result was as wanted: ${stringify(last?.status)}`);
      }
      return last;
    };
    const engineEnded = async (): Promise<ChaosEngine> => {
      const isOver = (engine: ChaosEngine | undefined): boolean => runIsOver(engine?.status?.engineStatus);
      const limits = { namespace, timeoutMs: LIMIT_MS + durationSeconds * 1000 };
      const engine = await waitForObject<ChaosEngine>(client, CHAOS_ENGINES, name, isOver, limits);
      if (engine === undefined) throw new Error(`engine ${name} is gone`);
      return engine;
    };
    return {
      result,
      ended: () => result((one) => OVER.includes(one.status?.experimentStatus?.phase ?? '')),
      engineEnded,
    };
  }
}

/** Name and verdict of each probe. */
export function verdictsOf(result: ChaosResult): string[] {
  return statusesOf(result).map(({ name, status }) => `${name} ${status.verdict}`);
}

/** How the probes stand. */
export function statusesOf({ status }: ChaosResult): readonly ProbeStatus[] {
  return status?.probeStatuses ?? [];
}

function surroundings(namespace: string): string {
  return `
apiVersion: apps/v1
kind: Deployment
metadata: { name: web, namespace: ${namespace}, labels: { app: web } }
spec:
  selector: { matchLabels: { app: web } }
  template:
    metadata: { labels: { app: web } }
    spec:
      terminationGracePeriodSeconds: 0
      containers: [{ name: web, image: busybox, command: [sleep, '100000'] }]
---
apiVersion: v1
kind: ServiceAccount
metadata: { name: chaos, namespace: ${namespace} }
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: { name: chaos-${namespace} }
subjects: [{ kind: ServiceAccount, name: chaos, namespace: ${namespace} }]
roleRef: { apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: cluster-admin }
---
apiVersion: litmuschaos.io/v1alpha1
kind: ChaosExperiment
metadata: { name: ${FAULT}, namespace: ${namespace} }
spec:
  definition:
    scope: Namespaced
    image: litmuschaos/go-runner:latest
    imagePullPolicy: Always
    command: [/bin/bash]
    args: [-c, ./experiments -name ${FAULT}]
    labels: { name: ${FAULT} }
`;
}
