import type { KubeClient } from '@turnsole/kube/client/types';
import type { Pod } from '@turnsole/kube/kinds/core';
import { PODS } from '@turnsole/kube/kinds/resources';
import { LABEL_WORKFLOW } from '@turnsole/workflows/kinds/labels';
import type { Workflow } from '@turnsole/workflows/kinds/workflow';
import { LABEL_CHAOS_UID } from '../../api/index.ts';
import type { RunPodLog } from '../../services/logs/run-pod-logs.ts';
import type { RunRecord } from '../../services/report/run-record.ts';
import type { ObservedCluster } from './observed-cluster.ts';

/** A pod whose log can be read. */
export interface RunPod {
  readonly namespace: string;
  readonly name: string;
  /** The main container, if it has several. */
  readonly container: string | null;
  /** False for a deleted one, of whose log the end is kept. */
  readonly isThere: boolean;
}

/** Where pods and their logs are looked for. */
type ObservedPods = Pick<ObservedCluster, 'client' | 'logs'>;

/** The container of a workflow's pod that does the work of its step. */
const MAIN = 'main';

/** The pods of engines: runners, experiments and helpers. Deleted ones whose logs are kept come first, then the oldest. */
export async function podsOfEngines(
  { client, logs }: ObservedPods,
  records: readonly Pick<RunRecord, 'namespace' | 'engine' | 'results'>[],
): Promise<RunPod[]> {
  const uids = records.flatMap((record) => {
    const uid = uidOf(record);
    return uid === undefined ? [] : [{ namespace: record.namespace, uid }];
  });
  const found = await Promise.all(
    uids.map(({ namespace, uid }) => podsWith(client, namespace, `${LABEL_CHAOS_UID}=${uid}`)),
  );
  const known = new Set(uids.map(({ uid }) => uid));
  return withKept(
    found.flat(),
    logs.all().filter(({ engineUid }) => engineUid !== undefined && known.has(engineUid)),
  );
}

/** The uid of an engine, also of one that is gone and has left results. Pure. */
export function uidOf({ engine, results }: Pick<RunRecord, 'engine' | 'results'>): string | undefined {
  return engine?.metadata.uid ?? results[0]?.metadata.labels?.[LABEL_CHAOS_UID];
}

/** The pods of a workflow's own steps, in the same order. */
export async function podsOfWorkflow(
  { client, logs }: ObservedPods,
  { metadata: { name, namespace = '' } }: Workflow,
): Promise<RunPod[]> {
  return withKept(
    await podsWith(client, namespace, `${LABEL_WORKFLOW}=${name}`),
    logs.all().filter((log) => log.workflow === name && log.namespace === namespace),
  );
}

/** Pods that are there, after those that are gone and whose logs are kept. Pure. */
function withKept(there: readonly RunPod[], kept: readonly RunPodLog[]): RunPod[] {
  const names = new Set(there.map(({ namespace, name }) => `${namespace}/${name}`));
  const gone = kept.filter(({ namespace, name }) => !names.has(`${namespace}/${name}`));
  return [
    ...gone.map(({ namespace, name, container }) => ({ namespace, name, container, isThere: false })),
    ...there,
  ];
}

async function podsWith(client: KubeClient, namespace: string, labelSelector: string): Promise<RunPod[]> {
  const { items } = await client.list<Pod>(PODS, { namespace, labelSelector });
  return items
    .filter(({ status }) => status?.phase !== undefined && status.phase !== 'Pending')
    .toSorted(
      (a, b) => startOf(a).localeCompare(startOf(b)) || a.metadata.name.localeCompare(b.metadata.name),
    )
    .map(({ metadata, spec }) => {
      const names = (spec?.containers ?? []).map(({ name }) => name);
      return {
        namespace,
        name: metadata.name,
        container: (names.includes(MAIN) ? MAIN : names[0]) ?? null,
        isThere: true,
      };
    });
}

/** Times of objects have one form, so they sort as texts. */
function startOf({ status, metadata }: Pod): string {
  return status?.startTime ?? metadata.creationTimestamp ?? '';
}
