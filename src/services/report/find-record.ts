import type { KubeClient } from '@turnsole/kube/client/types';
import { CHAOS_ENGINES, CHAOS_RESULTS, type ChaosEngine, type ChaosResult } from '../../api/index.ts';
import { resultsOf } from '../run/results.ts';
import type { RunRecord } from './run-record.ts';
import { mergeTimeline } from './timeline.ts';

/** The record of the engine of this name; else of the result of this name, with the steps of its engine; undefined without both. */
export async function findRecord(
  client: KubeClient,
  namespace: string,
  name: string,
): Promise<Omit<RunRecord, 'runId'> | undefined> {
  const engineOf = (engine: string): Promise<ChaosEngine | undefined> =>
    client.find<ChaosEngine>(CHAOS_ENGINES, engine, { namespace });
  const [engine, results] = await Promise.all([engineOf(name), resultsOf(client, namespace, name)]);
  if (engine !== undefined || results.length > 0) return { name, namespace, engine, results };
  const result = await client.find<ChaosResult>(CHAOS_RESULTS, name, { namespace });
  if (result === undefined) return undefined;
  const owner = result.spec?.engine;
  const present = owner === undefined ? undefined : await engineOf(owner);
  return { name, namespace, engine: present, results: [result] };
}

/** Run ID of the engine's present or last run; of the newest recorded step when the engine is gone. Pure. */
export function lastRunId(
  engine: ChaosEngine | undefined,
  results: readonly ChaosResult[],
): string | undefined {
  return engine?.status?.runId ?? mergeTimeline(undefined, results).at(-1)?.runId;
}
