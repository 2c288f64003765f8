import type { KubeClient } from '@turnsole/kube/client/types';
import type { Pod } from '@turnsole/kube/kinds/core';
import { PODS } from '@turnsole/kube/kinds/resources';
import { LABEL_WORKFLOW } from '@turnsole/workflows/kinds/labels';
import type { Workflow } from '@turnsole/workflows/kinds/workflow';
import { LABEL_CHAOS_UID } from '../../api/index.ts';
import type { RunRecord } from '../../services/report/run-record.ts';
import type { ClusterPod } from '../schema/generated/types.ts';

/** The container of a workflow's pod that does the work of its step. */
const MAIN = 'main';

/** Existing pods of engines: runners, experiments and helpers, the oldest first. */
export async function podsOfEngines(
  client: KubeClient,
  records: readonly Pick<RunRecord, 'namespace' | 'engine' | 'results'>[],
): Promise<ClusterPod[]> {
  const uids = records.flatMap(({ namespace, engine, results }) => {
    const uid = engine?.metadata.uid ?? results[0]?.metadata.labels?.[LABEL_CHAOS_UID];
    return uid === undefined ? [] : [{ namespace, uid }];
  });
  const found = await Promise.all(
    uids.map(({ namespace, uid }) => podsWith(client, namespace, `${LABEL_CHAOS_UID}=${uid}`)),
  );
  return found.flat();
}

/** Existing pods of a workflow's own steps, the oldest first. */
export async function podsOfWorkflow(client: KubeClient, { metadata }: Workflow): Promise<ClusterPod[]> {
  return podsWith(client, metadata.namespace ?? '', `${LABEL_WORKFLOW}=${metadata.name}`);
}

async function podsWith(client: KubeClient, namespace: string, labelSelector: string): Promise<ClusterPod[]> {
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
      };
    });
}

/** Times of objects have one form, so they sort as texts. */
function startOf({ status, metadata }: Pod): string {
  return status?.startTime ?? metadata.creationTimestamp ?? '';
}
