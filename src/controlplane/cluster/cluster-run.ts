import { Wake } from '@turnsole/kube/base/wake';
import type { KubeObject } from '@turnsole/kube/kinds/core';
import { equalJson } from '@turnsole/kube/text/json';
import type { Workflow } from '@turnsole/workflows/kinds/workflow';
import { runIsOver } from '../../api/engine-status.ts';
import type { ChaosEngine } from '../../api/index.ts';
import { findRecord, lastRunId } from '../../services/report/find-record.ts';
import { type ExperimentDetails, runDetails } from '../../services/report/run-details.ts';
import type { RunRecord } from '../../services/report/run-record.ts';
import { type TimelinePage, timelinePage } from '../../services/report/timeline-page/model.ts';
import { nodesOf } from '../../services/workflows/nodes.ts';
import { workflowPage } from '../../services/workflows/workflow-page.ts';
import { findWorkflowRecord } from '../../services/workflows/workflow-record.ts';
import type { ClusterKind, ClusterObject } from '../schema/generated/types.ts';
import { chaosAround } from './chaos-around.ts';
import { asClusterObject } from './cluster-object.ts';
import type { ObservedCluster } from './observed-cluster.ts';
import { podsOfEngines, podsOfWorkflow, type RunPod } from './run-pods.ts';

/** Identifies a run. */
export interface RunName {
  readonly kind: ClusterKind;
  readonly namespace: string;
  readonly name: string;
}

/** All data of a run. */
export interface ReadRun {
  /** Its last state, if it was deleted. */
  readonly object: ClusterObject;
  readonly removed: boolean;
  /** Whether a user has stopped it and it has not ended yet: faults in force are being reverted. */
  readonly stopping: boolean;
  readonly page: TimelinePage;
  /** Nodes of a workflow by ID; none of other objects. */
  readonly nodes: object;
  readonly details: readonly ExperimentDetails[];
  /** Pods that work or worked for it, whose logs can be read, oldest first. */
  readonly pods: readonly RunPod[];
  readonly manifest: KubeObject;
}

/** All data of a run; undefined if the object does not exist. */
export async function readRun(cluster: ObservedCluster, run: RunName): Promise<ReadRun | undefined> {
  const read = run.kind === 'Workflow' ? await readWorkflow(cluster, run) : await readChaos(cluster, run);
  if (read === undefined) return undefined;
  const { object, page, nodes, pods, records } = read;
  return {
    object: asClusterObject(run.kind, object, chaosAround(cluster)),
    removed: false,
    stopping: isStopping(object),
    page,
    nodes: nodes ?? {},
    details: runDetails(records),
    pods,
    manifest: object,
  };
}

/** Whether `stop-run.ts` has set the field that stops the run. */
function isStopping(object: KubeObject): boolean {
  const { spec, status } = object as ChaosEngine & Workflow;
  if (spec?.shutdown !== undefined) return status?.finishedAt === undefined || status.finishedAt === null;
  return spec?.engineState === 'stop' && !runIsOver(status?.engineStatus);
}

interface FoundRun {
  readonly object: KubeObject;
  readonly page: TimelinePage;
  readonly nodes?: object;
  readonly records: readonly RunRecord[];
  readonly pods: readonly RunPod[];
}

async function readWorkflow(
  cluster: ObservedCluster,
  { namespace, name }: RunName,
): Promise<FoundRun | undefined> {
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
): Promise<FoundRun | undefined> {
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
): AsyncGenerator<ReadRun> {
  const woken = new Wake();
  const leave = cluster.onChange(woken.wake);
  try {
    let last: ReadRun | undefined;
    while (!signal.aborted) {
      const now = await readRun(cluster, run);
      const next = now ?? (last === undefined ? undefined : { ...last, removed: true });
      if (next !== undefined && !equalJson(next, last)) {
        yield next;
        last = next;
      }
      await woken.rest(undefined, signal);
    }
  } finally {
    leave();
  }
}
