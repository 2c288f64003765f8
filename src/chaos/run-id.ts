import type { ObjectMeta } from '@turnsole/kube/kinds/core';
import { LABEL_CHAOS_UID, LABEL_RUN_ID } from '../api/labels.ts';

/**
 * The id under which one iteration of a run is known to its experiments: results, ledger entries and Jobs of the second
 * iteration must not be taken for those of the first. Iterations count from 1; the first has the id of the run itself.
 */
export function iterationRunId(runId: string, iteration: number): string {
  return iteration <= 1 ? runId : `${runId}-i${iteration}`;
}

/** The run of an injection: ids of ledger entries begin with it, then `.r<round>.`. */
export function runIdOfInjection(id: string): string {
  return id.replace(/\.r\d+\..*$/s, '');
}

/** Whether an id that was stored with a result or a line of the timeline is the run's own or that of one of its iterations. */
export function belongsToRun(id: string, runId: string): boolean {
  return id === runId || (id.startsWith(`${runId}-i`) && /^\d+$/.test(id.slice(runId.length + 2)));
}

/**
 * Whether a ChaosResult is of this run, or of the iteration whose id is given: results are reused by later runs of an engine, and
 * outlive it. Upstream's carry no run id; there, and where the engine has lost its own, the engine's uid counts.
 */
export function isResultOfRun(
  { labels }: Pick<ObjectMeta, 'labels'>,
  { engineUid, runId }: { readonly engineUid: string | undefined; readonly runId: string | undefined },
): boolean {
  const label = labels?.[LABEL_RUN_ID];
  return label === undefined || runId === undefined
    ? labels?.[LABEL_CHAOS_UID] === engineUid
    : label === runId;
}
