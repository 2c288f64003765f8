import { setTimeout as delay } from 'node:timers/promises';
import type { SimulatedRun, SimulationRule } from '@turnsole/cluster/node/simulated/plan';
import { createClient } from '@turnsole/kube/client/index';
import type { ClusterConfig, KubeClient } from '@turnsole/kube/client/types';
import type { Pod } from '@turnsole/kube/kinds/core';
import { ANNOTATION_NODE_ID, LABEL_WORKFLOW } from '@turnsole/workflows/kinds/labels';
import { reportLine } from '@turnsole/workflows/pods/report';
import { startChaosCluster } from '../../../src/embedded/index.ts';
import { outputOf } from './scenario.ts';

const ANNOTATION_NODE_NAME = 'workflows.argoproj.io/node-name';
const MOST_RUN_MS = 30;

/** A pod that has run. */
export interface Mark {
  readonly node: string;
  readonly args: readonly string[];
}

/** A cluster whose pods leave a mark in place of working. */
export interface MarkCluster extends AsyncDisposable {
  readonly client: KubeClient;
  readonly config: ClusterConfig;
  /** Marks of a namespace, in order. */
  marksIn(namespace: string): readonly Mark[];
  /** What the helper of a pod would have printed: simulated containers have no logs. */
  reportOf(pod: Pod): string;
}

/** Starts it. */
export async function startMarkCluster(): Promise<MarkCluster> {
  const marks = new Map<string, Mark[]>();
  const work = async ({ pod, signal }: SimulatedRun): Promise<number> => {
    const node = nodeName(pod);
    const args = mainArgs(pod);
    const { namespace = '' } = pod.metadata;
    marks.set(namespace, [...(marks.get(namespace) ?? []), { node, args }]);
    await delay(Math.random() * MOST_RUN_MS, undefined, { signal });
    const attempt = Number(/\((\d+)\)$/.exec(node)?.[1] ?? 0);
    return args[0] === 'fail' && attempt < Number(args[1]) ? 1 : 0;
  };
  const rule: SimulationRule = (pod) =>
    pod.metadata.labels?.[LABEL_WORKFLOW] === undefined
      ? undefined
      : { runMs: 0, containers: { init: { runMs: 0 }, main: { act: work }, wait: { runMs: MOST_RUN_MS } } };
  const embedded = await startChaosCluster({
    nodes: 10,
    runtime: { kind: 'simulated', rules: [rule], capacity: { cpus: 1000 } },
  });
  const client = createClient(embedded.adminConfig);
  return {
    client,
    config: embedded.adminConfig,
    marksIn: (namespace) => marks.get(namespace) ?? [],
    reportOf: (pod) =>
      reportLine({
        node: pod.metadata.annotations?.[ANNOTATION_NODE_ID] ?? '',
        outputs: { parameters: [{ name: 'out', value: outputOf(nodeName(pod)) }] },
        isComplete: true,
      }),
    [Symbol.asyncDispose]: async () => {
      client.close();
      await embedded.close({ graceMs: 0 });
    },
  };
}

function nodeName({ metadata }: Pod): string {
  return metadata.annotations?.[ANNOTATION_NODE_NAME] ?? '';
}

/** The user's arguments also where a shell of the engine's stands before them. */
function mainArgs({ spec }: Pod): readonly string[] {
  const args = spec?.containers.find(({ name }) => name === 'main')?.args ?? [];
  const at = args.findIndex((word) => word === 'do' || word === 'take' || word === 'fail');
  return args.slice(Math.max(0, at));
}
