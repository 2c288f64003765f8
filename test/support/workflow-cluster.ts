/** An embedded cluster with simulated pods and the workflow controller: everything of a workflow but the processes. */
import assert from 'node:assert/strict';
import type { SimulationRule } from '@turnsole/cluster/node/simulated/plan';
import { createClient } from '@turnsole/kube/client/index';
import type { ClusterConfig, KubeClient } from '@turnsole/kube/client/types';
import type { KubeObject, Pod } from '@turnsole/kube/kinds/core';
import { PODS } from '@turnsole/kube/kinds/resources';
import { waitForObject } from '@turnsole/kube/runtime/index';
import { PATIENCE_MS } from '@turnsole/kube/testing/until';
import { LABEL_WORKFLOW } from '@turnsole/workflows/kinds/labels';
import { WORKFLOWS } from '@turnsole/workflows/kinds/resources';
import type { NodeStatus } from '@turnsole/workflows/kinds/status';
import type { Workflow } from '@turnsole/workflows/kinds/workflow';
import { parse } from 'yaml';
import { defaultSettings, type WorkflowSettings } from '../../src/components/workflow-controller/settings.ts';
import {
  startWorkflowController,
  type WorkflowController,
  type WorkflowControllerOptions,
} from '../../src/components/workflow-controller/start-workflow-controller.ts';
import { startChaosCluster } from '../../src/embedded/index.ts';

const NAMESPACE = 'default';

/** Pods do what the arguments of main say: `exit N`, `run MS`, or `wait` until they are ended; without, they succeed at once. */
const rule: SimulationRule = (pod) => {
  if (pod.metadata.labels?.[LABEL_WORKFLOW] === undefined) return undefined;
  const [word = '', value = '0'] = pod.spec?.containers.find(({ name }) => name === 'main')?.args ?? [];
  if (word === 'wait') return { runMs: PATIENCE_MS * 10 };
  return { runMs: word === 'run' ? Number(value) : 0, exitCode: word === 'exit' ? Number(value) : 0 };
};

export interface WorkflowCluster {
  readonly client: KubeClient;
  /** Of the administrator, for processes that make their own client. */
  readonly config: ClusterConfig;
  /** The same as a file, for programs. */
  readonly kubeconfigPath: string;
  start(options?: Partial<WorkflowControllerOptions>): Promise<WorkflowController>;
  /** Creates a workflow of its spec in YAML. */
  submit(name: string, spec: string, metadata?: object): Promise<Workflow>;
  /** Resolves to the workflow when it is as wanted. */
  when(name: string, isWanted: (workflow: Workflow) => boolean): Promise<Workflow>;
  /** Resolves to the workflow when it is over. */
  over(name: string): Promise<Workflow>;
  patch(name: string, patch: object): Promise<Workflow>;
  pods(name: string): Promise<Pod[]>;
  close(): Promise<void>;
}

/** Starts a cluster for all tests of a file. */
export async function startWorkflowCluster(
  settings: Partial<WorkflowSettings> = {},
): Promise<WorkflowCluster> {
  const embedded = await startChaosCluster({ nodes: 2, runtime: { kind: 'simulated', rules: [rule] } });
  const client = createClient(embedded.adminConfig);
  const started: WorkflowController[] = [];
  const when: WorkflowCluster['when'] = async (name, isWanted) => {
    let last: Workflow | undefined;
    const found = await waitForObject<Workflow>(
      client,
      WORKFLOWS,
      name,
      (workflow) => {
        last = workflow;
        return workflow !== undefined && isWanted(workflow);
      },
      { namespace: NAMESPACE, timeoutMs: PATIENCE_MS },
    ).catch((error: unknown) => {
      throw new Error(`last seen: ${JSON.stringify(last?.status, undefined, 1)}`, { cause: error });
    });
    assert.ok(found);
    return found;
  };
  return {
    client,
    config: embedded.adminConfig,
    kubeconfigPath: embedded.kubeconfigPath,
    when,
    close: async () => {
      await Promise.all(started.map((controller) => controller.stop()));
      client.close();
      await embedded.close({ graceMs: 0 });
    },
    start: async (options = {}) => {
      const controller = await startWorkflowController({
        client,
        settings: () => ({ ...defaultSettings('turnsole:test'), ...settings }),
        ...options,
      });
      started.push(controller);
      return controller;
    },
    submit: (name, spec, metadata = {}) => {
      const workflow: KubeObject & { readonly spec: unknown } = {
        apiVersion: 'argoproj.io/v1alpha1',
        kind: 'Workflow',
        metadata: { ...metadata, name, namespace: NAMESPACE },
        spec: parse(spec),
      };
      return client.create(WORKFLOWS, workflow, {
        namespace: NAMESPACE,
      }) as Promise<KubeObject> as Promise<Workflow>;
    },
    over: (name) =>
      when(name, ({ metadata }) => metadata.labels?.['workflows.argoproj.io/completed'] === 'true'),
    patch: (name, patch) => client.patch<Workflow>(WORKFLOWS, name, 'merge', patch, { namespace: NAMESPACE }),
    pods: async (name) =>
      (await client.list<Pod>(PODS, { namespace: NAMESPACE, labelSelector: `${LABEL_WORKFLOW}=${name}` }))
        .items,
  };
}

/** Nodes as `display name: phase`, in order of their names. */
export function nodesOf({ status }: Workflow): string[] {
  return Object.values<NodeStatus>(status?.nodes ?? {})
    .map(
      ({ displayName, phase, message }) =>
        `${displayName}: ${phase}${message === undefined ? '' : ` (${message})`}`,
    )
    .sort();
}
