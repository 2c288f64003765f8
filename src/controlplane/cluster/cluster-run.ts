import { Wake } from '@turnsole/kube/base/wake';
import type { KubeObject } from '@turnsole/kube/kinds/core';
import type { Workflow } from '@turnsole/workflows/kinds/workflow';
import { stringify } from 'yaml';
import { runIsOver } from '../../api/engine-status.ts';
import type { ChaosEngine } from '../../api/index.ts';
import { findRecord, lastRunId } from '../../services/report/find-record.ts';
import { runDetails } from '../../services/report/run-details.ts';
import type { RunRecord } from '../../services/report/run-record.ts';
import { type TimelinePage, timelinePage } from '../../services/report/timeline-page/model.ts';
import { nodesOf } from '../../services/workflows/nodes.ts';
import { workflowPage } from '../../services/workflows/workflow-page.ts';
import { findWorkflowRecord } from '../../services/workflows/workflow-record.ts';
import type { ClusterKind, ClusterPod, ClusterRun } from '../schema/generated/types.ts';
import { chaosAround } from './chaos-around.ts';
import { asClusterObject } from './cluster-object.ts';
import type { ObservedCluster } from './observed-cluster.ts';
import { podsOfEngines, podsOfWorkflow } from './run-pods.ts';

/** Identifies a run. */
export interface RunName {
  readonly kind: ClusterKind;
  readonly namespace: string;
  readonly name: string;
}

/** All data of a run; undefined if the object does not exist. */
export async function readRun(cluster: ObservedCluster, run: RunName): Promise<ClusterRun | undefined> {
  const read = run.kind === 'Workflow' ? await readWorkflow(cluster, run) : await readChaos(cluster, run);
  if (read === undefined) return undefined;
  const { object, page, nodes, pods, records } = read;
  return {
    object: asClusterObject(run.kind, object, chaosAround(cluster)),
    removed: false,
    stopping: isStopping(object),
    page: JSON.stringify(page),
    nodes: nodes === undefined ? null : JSON.stringify(nodes),
    details: JSON.stringify(runDetails(records)),
    pods,
    manifest: stringify(object),
  };
}

/** Whether `stop-run.ts` has set the field that stops the run. */
function isStopping(object: KubeObject): boolean {
  const { spec, status } = object as ChaosEngine & Workflow;
  if (spec?.shutdown !== undefined) return status?.finishedAt === undefined || status.finishedAt === null;
  return spec?.engineState === 'stop' && !runIsOver(status?.engineStatus);
}

interface ReadRun {
  readonly object: KubeObject;
  readonly page: TimelinePage;
  readonly nodes?: object;
  readonly records: readonly RunRecord[];
  readonly pods: readonly ClusterPod[];
}

async function readWorkflow(
  cluster: ObservedCluster,
  { namespace, name }: RunName,
): Promise<ReadRun | undefined> {
  const record = await findWorkflowRecord(cluster.client, namespace, name);
  if (record === undefined) return undefined;
  // An informer of another kind may hold its copy; this one is this request's own.
  const { workflow, engines } = record;
  const pods = await Promise.all([podsOfWorkflow(cluster, workflow), podsOfEngines(cluster, engines)]);
  return {
    object: workflow,
    page: workflowPage(record),
    nodes: nodesOf(workflow),
    pods: pods.flat(),
    records: engines,
  };
}

async function readChaos(
  cluster: ObservedCluster,
  { kind, namespace, name }: RunName,
): Promise<ReadRun | undefined> {
  const object = cluster
    .list(kind)
    .find(({ metadata }) => metadata.namespace === namespace && metadata.name === name);
  if (object === undefined) return undefined;
  const record = await findRecord(cluster.client, namespace, name);
  const { engine, results } = record ?? { engine: undefined, results: [] };
  const found = { name, namespace, engine, results, runId: lastRunId(engine, results) };
  const page = timelinePage(found);
  const pods = await podsOfEngines(cluster, [{ namespace, engine, results }]);
  return {
    object: engine !== undefined && kind === 'ChaosEngine' ? engine : object,
    page,
    pods,
    records: [found],
  };
}

/** The run, and again after each change of an object that may belong to it, until the signal aborts. Repeats the last state after its deletion. */
export async function* watchRun(
  cluster: ObservedCluster,
  run: RunName,
  signal: AbortSignal,
): AsyncGenerator<ClusterRun> {
  const woken = new Wake();
  const leave = cluster.onChange(woken.wake);
  try {
    let last: ClusterRun | undefined;
    while (!signal.aborted) {
      const now = await readRun(cluster, run);
      const next = now ?? (last === undefined ? undefined : { ...last, removed: true });
      if (next !== undefined && !isSame(next, last)) {
        yield next;
        last = next;
      }
      await woken.rest(undefined, signal);
    }
  } finally {
    leave();
  }
}

function isSame(a: ClusterRun, b: ClusterRun | undefined): boolean {
  return (
    b !== undefined &&
    a.removed === b.removed &&
    a.page === b.page &&
    a.nodes === b.nodes &&
    a.pods.map(({ name }) => name).join() === b.pods.map(({ name }) => name).join() &&
    a.details === b.details &&
    a.stopping === b.stopping &&
    a.manifest === b.manifest
  );
}
