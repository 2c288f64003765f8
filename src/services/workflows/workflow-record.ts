import type { KubeClient } from '@turnsole/kube/client/types';
import { parseTime } from '@turnsole/kube/text/time';
import { WORKFLOWS } from '@turnsole/workflows/kinds/resources';
import type { Workflow } from '@turnsole/workflows/kinds/workflow';
import { CHAOS_ENGINES, CHAOS_RESULTS, type ChaosEngine, type ChaosResult } from '../../api/index.ts';
import { listOrNone } from '../objects.ts';
import type { RunRecord } from '../report/run-record.ts';
import { mergeTimeline } from '../report/timeline.ts';
import { clusterLibrary } from './cluster-library.ts';
import { type EnginesOf, enginesOf } from './engines-of.ts';

/** A workflow, and the runs of its engines; of those that are gone, what their results have kept. */
export interface WorkflowRecord {
  readonly workflow: Workflow;
  readonly engines: readonly RunRecord[];
}

/** The record of the workflow of this name; undefined when it does not exist, or the cluster has no such kind. */
export async function findWorkflowRecord(
  client: KubeClient,
  namespace: string,
  name: string,
): Promise<WorkflowRecord | undefined> {
  const workflow = await client.find<Workflow>(WORKFLOWS, name, { namespace });
  if (workflow === undefined) return undefined;
  const of = enginesOf(workflow, await clusterLibrary({ client, namespace }));
  const listed = await Promise.all(
    of.namespaces.map(async (place) => ({
      engines: await listOrNone<ChaosEngine>(client, CHAOS_ENGINES, { namespace: place }),
      results: await listOrNone<ChaosResult>(client, CHAOS_RESULTS, { namespace: place }),
    })),
  );
  const engines = listed.flatMap((one) => one.engines);
  const results = listed.flatMap((one) => one.results);
  return { workflow, engines: engineRuns(workflow, of, engines, results) };
}

/** The runs of a workflow's engines in the order in which they began. Pure. */
function engineRuns(
  workflow: Workflow,
  of: Pick<EnginesOf, 'has' | 'hasResult' | 'stepOf'>,
  engines: readonly ChaosEngine[],
  results: readonly ChaosResult[],
): RunRecord[] {
  const own = engines.filter((engine) => of.has(engine));
  const isOf = (result: ChaosResult, { metadata }: ChaosEngine): boolean =>
    result.spec?.engine === metadata.name && result.metadata.namespace === metadata.namespace;
  const present = own.map((engine): RunRecord => {
    const { name, namespace = '' } = engine.metadata;
    const kept = results.filter((result) => isOf(result, engine));
    const step = of.stepOf(workflow, engine);
    return {
      name,
      namespace,
      engine,
      results: kept,
      runId: engine.status?.runId,
      ...(step !== undefined && { step }),
    };
  });
  // An engine of that name that exists and is not this workflow's owns the results by now: they are not counted as left over.
  const orphans = results.filter(
    (result) => of.hasResult(result) && !engines.some((engine) => isOf(result, engine)),
  );
  const gone = new Map<string, ChaosResult[]>();
  for (const result of orphans) {
    const key = `${result.metadata.namespace}/${result.spec?.engine}`;
    gone.set(key, [...(gone.get(key) ?? []), result]);
  }
  const records = [...gone.values()].map((kept): RunRecord => {
    const runId = mergeTimeline(undefined, kept).at(-1)?.runId;
    const { namespace = '', labels } = kept[0]?.metadata ?? {};
    const name = kept[0]?.spec?.engine ?? '';
    const step = of.stepOf(workflow, {
      metadata: { name, namespace, ...(labels !== undefined && { labels }) },
    });
    return { name, namespace, engine: undefined, results: kept, runId, ...(step !== undefined && { step }) };
  });
  return [...present, ...records.filter((record) => isWithin(record, workflow))].toSorted(
    (a, b) => firstStepMs(a) - firstStepMs(b),
  );
}

function firstStepMs({ engine, results, runId }: RunRecord): number {
  return parseTime(mergeTimeline(engine, results, runId)[0]?.time) ?? Number.MAX_SAFE_INTEGER;
}

/** An engine whose name the server drew may be of another run of the same workflow; times of nodes have whole seconds. */
function isWithin(record: RunRecord, { metadata, status }: Workflow): boolean {
  const from = parseTime(metadata.creationTimestamp) ?? 0;
  const to = parseTime(status?.finishedAt) ?? Number.MAX_SAFE_INTEGER;
  const first = firstStepMs(record);
  return first >= from && first <= to + 1000;
}
