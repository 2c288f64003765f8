import type { ChaosEngine, ChaosResult, LedgerEntry } from '../../api/index.ts';
import { belongsToRun, runIdOfInjection } from '../../chaos/run-id.ts';

/** The facts of a run as its objects have them. */
export interface RunRecord {
  readonly name: string;
  readonly namespace: string;
  /** The step of the workflow that made it, where it is known. */
  readonly step?: string;
  /** Absent when it has been deleted. */
  readonly engine: ChaosEngine | undefined;
  readonly results: readonly ChaosResult[];
  /** Undefined shows all runs. */
  readonly runId: string | undefined;
}

/** The injections of a run, done or planned, without those of an earlier run that was recovered. Pure. */
export function injectionsOf({ results, runId }: Pick<RunRecord, 'results' | 'runId'>): LedgerEntry[] {
  const ledger = results.flatMap(({ status }) => Object.values(status?.ledger ?? {}));
  return ledger.filter(({ id }) => runId === undefined || belongsToRun(runIdOfInjection(id), runId));
}
